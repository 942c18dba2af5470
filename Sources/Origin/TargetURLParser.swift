import CCurl

/// libcurl's own URL parser: one `CURLU` handle, freed at the end of its scope.
///
/// SAFETY: the handle is made and freed here, never leaves this file, and libcurl keeps no pointer to our bytes.
@safe
struct TargetURLParser: ~Copyable {
    private let handle: OpaquePointer

    /// Makes an empty parser; nil when libcurl has no memory.
    init?() {
        guard let handle = unsafe curl_url() else { return nil }
        unsafe self.handle = handle
    }

    deinit { unsafe curl_url_cleanup(handle) }

    /// Parses an encoded URL.
    ///
    /// Source: `curl_url_set(3)`, flag `CURLU_DISALLOW_USER`.
    func parse(_ text: [UInt8]) throws(TargetURLError) {
        var terminated: [CChar] = []
        terminated.reserveCapacity(text.count + 1)
        for byte in text {
            guard byte != 0 else { throw .controlByte }
            terminated.append(CChar(bitPattern: byte))
        }
        terminated.append(0)
        let code = unsafe terminated.withUnsafeBufferPointer { buffer in
            unsafe curl_url_set(handle, CURLUPART_URL, buffer.baseAddress, UInt32(CURLU_DISALLOW_USER))
        }
        try Self.check(code)
    }

    /// Copies one part out; nil when the URL has none.
    ///
    /// Source: `curl_url_get(3)`.
    func part(_ part: CURLUPart, flags: UInt32 = 0) throws(TargetURLError) -> [UInt8]? {
        var text: UnsafeMutablePointer<CChar>?
        let code = unsafe curl_url_get(handle, part, &text, flags)
        defer { unsafe curl_free(text) }
        switch code {
        case CURLUE_NO_PORT, CURLUE_NO_QUERY, CURLUE_NO_ZONEID: return nil
        // What 7.88 says when IDN cannot write the name in ASCII.
        case CURLUE_OUT_OF_MEMORY where part == CURLUPART_HOST: throw .badHost
        default: try Self.check(code)
        }
        guard let text = unsafe text else { return nil }
        var bytes: [UInt8] = []
        var index = 0
        while unsafe text[index] != 0 {
            unsafe bytes.append(UInt8(bitPattern: text[index]))
            index += 1
        }
        return bytes
    }

    /// Names what libcurl found wrong.
    private static func check(_ code: CURLUcode) throws(TargetURLError) {
        switch code {
        case CURLUE_OK: return
        case CURLUE_USER_NOT_ALLOWED, CURLUE_BAD_USER, CURLUE_BAD_PASSWORD, CURLUE_BAD_LOGIN: throw .userInfo
        case CURLUE_BAD_PORT_NUMBER: throw .badPort
        case CURLUE_NO_HOST: throw .missingHost
        // URLDECODE: a NUL hidden in the host. LACKS_IDN, BAD_HOSTNAME: not a name that IDNA can write.
        case CURLUE_BAD_HOSTNAME, CURLUE_BAD_IPV6, CURLUE_URLDECODE, CURLUE_LACKS_IDN: throw .badHost
        case CURLUE_UNSUPPORTED_SCHEME, CURLUE_BAD_SCHEME: throw .unsupportedScheme
        default: throw .malformed
        }
    }
}
