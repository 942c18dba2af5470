/// A host, or all hosts below one: `images.example.com`, `*.example.com`.
public struct HostPattern: Sendable, Hashable {
    /// The host, lower case, without `*.`, without a trailing dot; an IPv6 address without brackets.
    public let name: String
    /// Whether it stands for the hosts below `name` (and not for `name` itself).
    public let isWildcard: Bool

    /// Reads a pattern.
    ///
    /// - Returns: nil when the text is no host name. A name beyond ASCII is written in its `xn--` form.
    public init?(_ text: String) {
        isWildcard = text.hasPrefix("*.")
        var name = text.dropFirst(isWildcard ? 2 : 0).lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        guard !name.isEmpty, name.utf8.count <= 253 else { return nil }
        if let address = IPLiteral(name) {
            guard !isWildcard else { return nil }
            name = address.description
        } else {
            guard name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(Self.isLabel) else {
                return nil
            }
        }
        self.name = name
    }

    /// Whether a canonical host (lower case, no trailing dot) falls under the pattern, on a label boundary.
    public func matches(_ host: String) -> Bool {
        isWildcard ? host.utf8.count > name.utf8.count + 1 && host.hasSuffix("." + name) : host == name
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count)
            && label.utf8.allSatisfy {
                (48...57).contains($0) || (97...122).contains($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
    }
}

extension HostPattern: CustomStringConvertible {
    /// The pattern as the configuration writes it.
    public var description: String { (isWildcard ? "*." : "") + name }
}
