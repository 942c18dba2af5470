extension TargetURL {
    /// Parses the value of a `url` parameter as it stood on the wire: percent-decodes it once, then as `parse(decoded:)`.
    public static func parse(percentEncoded value: Span<UInt8>, maxLength: Int) throws(TargetURLError) -> TargetURL {
        // Decoding at most divides by three; what is longer cannot fit, and is not worth a buffer.
        guard value.count / 3 <= maxLength else { throw .tooLong }
        return try parse(decoded: percentDecodeOnce(value).span, maxLength: maxLength)
    }

    /// Parses a URL whose outer percent-encoding is gone.
    ///
    /// In this order: literal scheme and authority, no control byte, no user-info; percent-encode what may not stand in
    /// a URL; split by libcurl, host by IDN to lower-case ASCII; rebuild from the parts and split again until nothing
    /// changes, so that a host that *becomes* a number (`１２７.1`) is seen as one.
    /// - Throws: the first rule broken.
    public static func parse(decoded: Span<UInt8>, maxLength: Int) throws(TargetURLError) -> TargetURL {
        guard !decoded.isEmpty else { throw .empty }
        guard decoded.count <= maxLength else { throw .tooLong }
        for index in decoded.indices where isControl(decoded[index]) { throw .controlByte }
        try requireLiteralOrigin(decoded)
        let url = try canonical(of: encodeForbidden(decoded))
        guard url.bytes.count <= maxLength else { throw .tooLong }
        return url
    }

    /// Says whether a byte could break a line or end a C string.
    static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    /// Requires `http://` or `https://` and an authority without user-info.
    ///
    /// libcurl takes `http:/host` and `http:///host` for the same as `http://host`; browsers and other checkers do not.
    private static func requireLiteralOrigin(_ text: Span<UInt8>) throws(TargetURLError) {
        guard let start = lengthOfSchemePrefix(text) else { throw .unsupportedScheme }
        var end = start
        var hasUserInfo = false
        while end < text.count, !isAuthorityEnd(text[end]) {
            hasUserInfo = hasUserInfo || text[end] == UInt8(ascii: "@")
            end += 1
        }
        guard end > start else { throw .missingHost }
        guard !hasUserInfo else { throw .userInfo }
    }

    /// The length of `http://` or `https://` at the beginning, in any case; nil when neither stands there.
    static func lengthOfSchemePrefix(_ text: Span<UInt8>) -> Int? {
        for scheme in [Scheme.http, .https] where startsWith(scheme.prefix, text) {
            return scheme.prefix.utf8CodeUnitCount
        }
        return nil
    }

    private static func startsWith(_ prefix: StaticString, _ text: Span<UInt8>) -> Bool {
        let wanted = prefix.description.utf8
        guard text.count >= wanted.count else { return false }
        for (index, byte) in wanted.enumerated() where lowercased(text[index]) != byte { return false }
        return true
    }

    private static func isAuthorityEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Splits and rebuilds until the text stands still.
    ///
    /// Two rounds are the rule: the first normalises, the second finds nothing to do. A third is taken by hosts that
    /// turn into numbers. Anything longer is somebody's game with the parser.
    private static func canonical(of encoded: [UInt8]) throws(TargetURLError) -> TargetURL {
        var text = encoded
        for _ in 0..<4 {
            let parts = try TargetURLParts(parsing: text)
            let url = TargetURL(parts)
            if url.bytes == text {
                guard !parts.host.endsInNumber else { throw .badHost }
                return url
            }
            text = url.bytes
        }
        throw .malformed
    }

    /// Writes the parts down in canonical form.
    private init(_ parts: TargetURLParts) {
        var text: [UInt8] = []
        text.reserveCapacity(parts.host.text.count + parts.path.count + (parts.query?.count ?? 0) + 16)
        text.append(contentsOf: parts.scheme.prefix.description.utf8)
        let hostStart = text.count
        text.append(contentsOf: parts.host.text)
        hostRange = hostStart..<text.count
        if parts.port != parts.scheme.defaultPort {
            text.append(UInt8(ascii: ":"))
            text.append(contentsOf: String(parts.port).utf8)
        }
        pathStart = text.count
        text.append(contentsOf: parts.path)
        if let query = parts.query {
            text.append(UInt8(ascii: "?"))
            text.append(contentsOf: query)
        }
        bytes = text
        scheme = parts.scheme
        port = parts.port
        address = parts.host.address
    }
}
