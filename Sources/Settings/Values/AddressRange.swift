/// A network in CIDR notation: `10.0.0.0/8`, `fd00::/8`; a lone address is a network of one.
public struct AddressRange: Sendable, Hashable {
    /// The network's address, host bits zero.
    public let address: IPLiteral
    /// How many leading bits are the network's.
    public let prefixLength: Int

    /// Reads a network.
    ///
    /// - Returns: nil when the text is no network, or has bits set behind the prefix (`10.1.2.3/8` is a slip more
    ///   often than a wish).
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first, let address = IPLiteral(first) else { return nil }
        let width = address.bytes.count * 8
        guard let length = parts.count == 1 ? width : Decimal.parse(parts[1]), length <= width else { return nil }
        for (index, byte) in address.bytes.enumerated() {
            let bits = min(max(length - index * 8, 0), 8)
            guard byte & (0xFF >> bits) == 0 || bits == 8 else { return nil }
        }
        self.address = address
        prefixLength = length
    }
}

extension AddressRange: CustomStringConvertible {
    /// The network with its prefix length, always.
    public var description: String { "\(address)/\(prefixLength)" }
}
