/// Where a listener binds: a TCP address or a Unix socket.
public enum ListenAddress: Sendable, Hashable {
    /// An IP address and port; port 0 lets the kernel choose.
    case tcp(IPLiteral, port: UInt16)
    /// A socket file.
    case unix(path: String)

    /// `sun_path` holds 108 bytes, the closing NUL among them (unix(7)).
    private static let maxPathBytes = 107

    /// Reads `host:port`, `[v6]:port` or `unix:/path`.
    ///
    /// The host is an IP address or `localhost` (127.0.0.1): a name that DNS answers has no place in a bind call.
    /// - Returns: nil when the text is none of these.
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/"), path.utf8.count <= Self.maxPathBytes, !path.utf8.contains(0) else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"),
            let number = Decimal.parse(text[text.index(after: colon)...]), let port = UInt16(exactly: number),
            let host = Self.host(text[..<colon])
        else { return nil }
        self = .tcp(host, port: port)
    }

    /// Whether other machines can reach it.
    public var isBeyondLoopback: Bool {
        switch self {
        case .tcp(let host, _): !host.isLoopback
        case .unix: false
        }
    }

    /// Whether a socket cannot be bound to both: they are one, or one is every address of the other's kind.
    ///
    /// An IPv6 socket takes no IPv4 connections here, so `[::]` and `0.0.0.0` do not meet.
    public func overlaps(_ other: ListenAddress) -> Bool {
        guard case .tcp(let host, let port) = self, case .tcp(let otherHost, let otherPort) = other else {
            return self == other
        }
        guard port == otherPort, port != 0, host.bytes.count == otherHost.bytes.count else { return false }
        return host == otherHost || [host, otherHost].contains { $0.bytes.allSatisfy { $0 == 0 } }
    }

    private static func host(_ text: Substring) -> IPLiteral? {
        if text.hasPrefix("["), text.hasSuffix("]") {
            guard case .v6(let bytes)? = IPLiteral(text.dropFirst().dropLast()) else { return nil }
            return .v6(bytes)
        }
        guard text != "localhost" else { return .v4([127, 0, 0, 1]) }
        guard case .v4(let bytes)? = IPLiteral(text) else { return nil }
        return .v4(bytes)
    }
}

extension ListenAddress: CustomStringConvertible {
    /// The address as the configuration writes it.
    public var description: String {
        switch self {
        case .tcp(.v4(let bytes), let port): "\(IPLiteral.v4(bytes)):\(port)"
        case .tcp(.v6(let bytes), let port): "[\(IPLiteral.v6(bytes))]:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
