import ObjectStore
import Origin

/// What a purge names.
///
/// Pure: it is matched against the bytes of keys, the canonical URL, which a line feed and the key of a variant may
/// follow.
enum PurgeTarget: Hashable, Sendable {
    /// One image, with its variants.
    case url(CacheKey)
    /// What lies at a canonical URL or below it.
    case prefix([UInt8])
    /// All of a host: both schemes, every port.
    case host(Origin.HostPattern)
    /// Everything.
    case all

    /// Reads the URL of one image, in any spelling.
    ///
    /// - Throws: `badURL` or `urlTooLong`.
    static func url(decoded: Span<UInt8>, limit: Int, seed: UInt64) throws(Failure) -> PurgeTarget {
        .url(CacheKey(try canonical(decoded, limit), seed: seed))
    }

    /// Reads the URL that others begin with, in any spelling.
    ///
    /// One that ends with a slash means what lies below; one without means itself, too.
    ///
    /// - Throws: `badURL` or `urlTooLong`.
    static func prefix(decoded: Span<UInt8>, limit: Int) throws(Failure) -> PurgeTarget {
        .prefix(try canonical(decoded, limit))
    }

    /// Reads a host, or `*.suffix` for those below it.
    ///
    /// - Throws: `badParameter` for anything else.
    static func host(_ text: String) throws(Failure) -> PurgeTarget {
        guard let pattern = Origin.HostPattern(text) else {
            throw .badParameter(name: "host", reason: "must be a host name or an address, without scheme and port")
        }
        return .host(pattern)
    }

    /// Whether a key is meant.
    func matches(_ key: [UInt8]) -> Bool {
        let url = key[..<(key.firstIndex(of: UInt8(ascii: "\n")) ?? key.endIndex)]
        switch self {
        case .url(let key): return url.elementsEqual(key.bytes)
        case .prefix(let prefix): return Self.lies(url, at: prefix)
        case .host(let pattern): return pattern.matches(host: Self.host(of: url))
        case .all: return true
        }
    }

    /// Whether it may concern more than one image, so that files are found by looking at them.
    var isRule: Bool {
        switch self {
        case .url: false
        case .prefix, .host, .all: true
        }
    }

    /// The parameter by which it is asked for, for the log.
    var label: String {
        switch self {
        case .url: "url"
        case .prefix: "prefix"
        case .host: "host"
        case .all: "all"
        }
    }

    private static func canonical(_ decoded: Span<UInt8>, _ limit: Int) throws(Failure) -> [UInt8] {
        do throws(TargetURLError) {
            return try TargetURL.parse(decoded: decoded, maxLength: limit).bytes
        } catch {
            throw error == .tooLong ? .urlTooLong(limit: limit) : .badURL(error)
        }
    }

    /// A path ends at a slash, at a query, or with the URL; a query ends at `&` or with the URL.
    private static func lies(_ url: ArraySlice<UInt8>, at prefix: [UInt8]) -> Bool {
        guard url.starts(with: prefix) else { return false }
        guard let next = url.dropFirst(prefix.count).first else { return true }
        if prefix.contains(UInt8(ascii: "?")) { return next == UInt8(ascii: "&") }
        if prefix.last == UInt8(ascii: "/") { return true }
        return next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
    }

    /// The host of a canonical URL, without brackets.
    private static func host(of url: ArraySlice<UInt8>) -> [UInt8] {
        guard let colon = url.firstIndex(of: UInt8(ascii: ":")) else { return [] }
        let authority = url[(colon + 1)...].drop { $0 == UInt8(ascii: "/") }.prefix { $0 != UInt8(ascii: "/") }
        if authority.first == UInt8(ascii: "[") {
            return Array(authority.dropFirst().prefix { $0 != UInt8(ascii: "]") })
        }
        return Array(authority.prefix { $0 != UInt8(ascii: ":") })
    }
}
