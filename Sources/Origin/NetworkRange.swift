/// A block of addresses: a prefix and its length, as in `10.0.0.0/8`.
public struct NetworkRange: Hashable, Sendable {
    /// The first address of the block.
    public let base: IPAddress
    /// How many leading bits are common to all of it.
    public let prefixLength: Int

    /// The block that holds an address; bits behind the prefix are cleared.
    ///
    /// Nil when no address is that long.
    public init?(_ address: IPAddress, prefixLength: Int) {
        guard (0...address.bitWidth).contains(prefixLength) else { return nil }
        base = address.masked(to: prefixLength)
        self.prefixLength = prefixLength
    }

    /// A block that the source text shows to be well formed.
    init(known base: IPAddress, prefixLength: Int) {
        self.base = base
        self.prefixLength = prefixLength
    }

    /// Reads `address/length`; an address alone is a block of one.
    ///
    /// `10.1.2.3/8` is read as `10.0.0.0/8`, as routers and web servers do.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)), parts.count <= 2 else { return nil }
        guard parts.count == 2 else {
            self.init(address, prefixLength: address.bitWidth)
            return
        }
        let digits = parts[1]
        guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let length = Int(digits)
        else { return nil }
        self.init(address, prefixLength: length)
    }

    /// Says whether the block holds an address of the same family.
    public func contains(_ address: IPAddress) -> Bool {
        address.bitWidth == base.bitWidth && address.masked(to: prefixLength) == base
    }
}

extension NetworkRange: CustomStringConvertible {
    /// `address/length`.
    public var description: String { "\(base)/\(prefixLength)" }
}

extension IPAddress {
    /// The address with all but the leading bits cleared.
    func masked(to prefixLength: Int) -> IPAddress {
        switch self {
        // A shift by the whole width or more gives zero with Swift's smart shifts.
        case .v4(let value): .v4(value & (UInt32.max << (32 - prefixLength)))
        case .v6(let high, let low):
            .v6(
                high: high & (UInt64.max << max(0, 64 - prefixLength)),
                low: low & (UInt64.max << min(64, 128 - prefixLength)))
        }
    }
}
