import HTTPMessages

/// The tables behind `HeaderRules`.
enum FieldTables {
    /// Fields of one connection, dropped in both directions.
    ///
    /// Source: RFC 9110 §7.6.1.
    static let hopByHop = names([
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization", "http2-settings",
    ])

    /// Fields that are written anew for each answer, or have no meaning for a whole stored body.
    static let perMessage = names(["age", "content-length"])

    /// Fields that freshness, validation and selection rest on: always stored.
    static let decisive: Set<FieldName> = [
        .cacheControl, .cdnCacheControl, .expires, .date, .eTag, .lastModified, .vary,
    ]

    /// What is passed on with images, beside the prefixes below.
    static let imageFields = names([
        "etag", "last-modified", "cache-control", "cdn-cache-control", "expires", "date", "age", "vary", "via",
        "cache-status", "timing-allow-origin",
    ])
    /// Prefixes of what is passed on with images.
    static let imagePrefixes = prefixes(["content-", "access-control-"])
    /// The exception to the first of them.
    static let contentSecurityPolicy = prefixes(["content-security-policy"])

    /// What is never relayed: fields that speak for the origin's own host, to a browser that sees ours.
    static let denied = names([
        "www-authenticate", "strict-transport-security", "clear-site-data", "alt-svc", "report-to",
        "reporting-endpoints", "nel", "expect-ct", "x-frame-options", "x-xss-protection", "link", "refresh",
        "service-worker-allowed", "permissions-policy", "document-policy", "accept-ch", "origin-agent-cluster",
    ])
    /// Prefixes of the same.
    static let deniedPrefixes = prefixes([
        "set-cookie", "proxy-", "public-key-pins", "content-security-policy", "cross-origin-",
    ])

    /// Request fields that are ours to write or to evaluate, and never forwarded.
    static let ownRequestFields = names([
        "host", "content-length", "expect", "max-forwards", "via", "range", "if-match", "if-none-match",
        "if-modified-since", "if-unmodified-since", "if-range",
    ])
    /// Request fields that `*` does not stand for.
    static let sensitive = names(["cookie", "authorization", "proxy-authorization", "forwarded"])
    /// Prefixes of the same.
    static let sensitivePrefixes = prefixes(["x-forwarded-"])

    /// Whether the name begins with any of the prefixes.
    static func hasPrefix(_ name: FieldName, _ prefixes: [[UInt8]]) -> Bool {
        prefixes.contains { name.bytes.starts(with: $0) }
    }

    private static func names(_ texts: [String]) -> Set<FieldName> {
        Set(texts.compactMap { FieldName($0) })
    }

    private static func prefixes(_ texts: [String]) -> [[UInt8]] {
        texts.map { Array($0.utf8) }
    }
}
