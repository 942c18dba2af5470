import CCurl

/// The parts of a URL as libcurl, which will fetch it, understands them.
struct TargetURLParts {
    /// `http` or `https`.
    let scheme: TargetURL.Scheme
    /// The canonical host.
    let host: TargetURLHost
    /// The port, default included.
    let port: UInt16
    /// The path, dot segments removed, never empty.
    let path: [UInt8]
    /// The query without its `?`; empty for a lone `?`.
    let query: [UInt8]?

    /// Splits an encoded URL without control bytes.
    init(parsing text: [UInt8]) throws(TargetURLError) {
        guard let prefixLength = TargetURL.lengthOfSchemePrefix(text.span) else { throw .unsupportedScheme }
        scheme = prefixLength == TargetURL.Scheme.http.prefix.utf8CodeUnitCount ? .http : .https

        guard let parser = TargetURLParser() else { throw .malformed }
        try parser.parse(text)
        guard try parser.part(CURLUPART_ZONEID) == nil else { throw .zoneID }
        guard let rawHost = try parser.part(CURLUPART_HOST, flags: UInt32(CURLU_PUNYCODE)) else { throw .missingHost }
        host = try TargetURLHost(rawHost)
        port = try Self.port(parser.part(CURLUPART_PORT)) ?? scheme.defaultPort
        guard let path = try parser.part(CURLUPART_PATH), path.first == UInt8(ascii: "/") else { throw .malformed }
        self.path = path
        query = try parser.part(CURLUPART_QUERY)
    }

    private static func port(_ digits: [UInt8]?) throws(TargetURLError) -> UInt16? {
        guard let digits else { return nil }
        guard let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0 else { throw .badPort }
        return port
    }
}
