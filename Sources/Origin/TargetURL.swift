/// A URL that may be asked of an origin, in its one canonical spelling.
///
/// The same bytes are the cache key and the text handed to libcurl, so what was judged, what is fetched and what is
/// remembered cannot differ. Path and query stay byte for byte as the caller wrote them (signed URLs depend on it);
/// only scheme, host, port, fragment and dot segments are normalised.
///
/// Shape: `scheme "://" host [":" port] path ["?" query]`, ASCII, no control bytes, no user-info, no fragment.
public struct TargetURL: Hashable, Sendable {
    /// The canonical URL.
    public let bytes: [UInt8]
    /// How the origin is spoken to.
    public let scheme: Scheme
    /// The port to connect to, the scheme's default included.
    public let port: UInt16
    /// The address, when the host is a literal one.
    public let address: IPAddress?

    /// Where the host stands in `bytes`, brackets of an IPv6 address included.
    let hostRange: Range<Int>
    /// Where the path begins in `bytes`.
    let pathStart: Int

    /// The two schemes that are fetched.
    public enum Scheme: Hashable, Sendable {
        /// Plain HTTP.
        case http
        /// HTTP over TLS.
        case https

        /// The port that is left out of the canonical spelling.
        public var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .https: 443
            }
        }

        /// The scheme with `://`, lower case.
        var prefix: StaticString {
            switch self {
            case .http: "http://"
            case .https: "https://"
            }
        }
    }

    /// The host as it stands in the URL: lower-case ASCII name, dotted IPv4 address, or IPv6 address *in brackets*.
    public var hostInBrackets: [UInt8] { Array(bytes[hostRange]) }

    /// The host without brackets, as resolvers and host lists want it.
    public var host: [UInt8] {
        guard case .v6 = address else { return Array(bytes[hostRange]) }
        return Array(bytes[(hostRange.lowerBound + 1)..<(hostRange.upperBound - 1)])
    }

    /// The host without brackets, as text.
    public var hostName: String { String(decoding: host, as: UTF8.self) }

    /// True when the host is an address, so that nothing needs to be resolved.
    public var isIPLiteral: Bool { address != nil }

    /// Path and query: what the request line carries.
    public var requestTarget: [UInt8] { Array(bytes[pathStart...]) }

    /// Scheme, host and port: what limits and breakers of one origin are kept by.
    public var origin: [UInt8] { Array(bytes[..<pathStart]) }

    /// Compares canonical bytes; all else follows from them.
    public static func == (left: TargetURL, right: TargetURL) -> Bool { left.bytes == right.bytes }

    /// Hashes the canonical bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension TargetURL: CustomStringConvertible {
    /// The URL up to its query: queries carry tokens, and descriptions end up in logs.
    public var description: String {
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        let text = String(decoding: bytes[..<end], as: UTF8.self)
        return end == bytes.endIndex ? text : text + "?…"
    }
}
