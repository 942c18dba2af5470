/// An entry of a host list: one host, or `*.suffix` for every name below a suffix.
///
/// A suffix matches on a label boundary only: `*.example.com` takes `a.example.com` and `a.b.example.com`, neither
/// `badexample.com` nor `example.com` itself. Hosts are put through the rules of a URL's host first, so that IDN,
/// upper case, a trailing dot and numeric spellings mean the same in a list as in a URL.
public struct HostPattern: Hashable, Sendable {
    private let host: [UInt8]
    private let matchesSubdomains: Bool

    /// Reads an entry; nil when the text is neither a host nor `*.` before one.
    ///
    /// Names outside ASCII need a UTF-8 `LC_CTYPE`.
    public init?(_ text: String) {
        let isWildcard = text.hasPrefix("*.")
        let name = isWildcard ? String(text.dropFirst(2)) : text
        guard let url = Self.url(forHost: name) else { return nil }
        if isWildcard, url.isIPLiteral { return nil }
        host = url.host
        matchesSubdomains = isWildcard
    }

    /// Says whether the entry names the host of a URL.
    public func matches(_ url: TargetURL) -> Bool { matches(host: url.host) }

    /// Says whether the entry names a canonical host, without brackets.
    public func matches(host candidate: [UInt8]) -> Bool {
        guard matchesSubdomains else { return candidate == host }
        guard candidate.count > host.count + 1, candidate.suffix(host.count).elementsEqual(host) else { return false }
        return candidate[candidate.count - host.count - 1] == UInt8(ascii: ".")
    }

    /// The URL `http://host/`; nil when the text holds more or less than a host.
    private static func url(forHost name: String) -> TargetURL? {
        let bytes = Array(name.utf8)
        guard !bytes.contains(where: { "/?#@%\\".utf8.contains($0) }) else { return nil }
        let isBareIPv6 = bytes.first != UInt8(ascii: "[") && bytes.count { $0 == UInt8(ascii: ":") } > 1
        let host = isBareIPv6 ? [UInt8(ascii: "[")] + bytes + [UInt8(ascii: "]")] : bytes
        // A port would be dropped in silence; only the colons of an IPv6 address are welcome.
        guard host.first == UInt8(ascii: "[") ? host.last == UInt8(ascii: "]") : !host.contains(UInt8(ascii: ":"))
        else { return nil }
        return try? TargetURL.parse(decoded: (Array("http://".utf8) + host + [UInt8(ascii: "/")]).span, maxLength: 512)
    }
}

extension HostPattern: CustomStringConvertible {
    /// The canonical spelling of the entry.
    public var description: String { (matchesSubdomains ? "*." : "") + String(decoding: host, as: UTF8.self) }
}
