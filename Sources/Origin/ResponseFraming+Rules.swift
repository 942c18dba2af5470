import HTTPMessages

extension ResponseFraming {
    /// Decides how the body ends, and leaves one decimal `Content-Length` in the fields where there was any.
    ///
    /// Source: RFC 9112, section 6.3, stricter where two readings exist.
    init(statusLine: ResponseStatusLine, fields: inout Fields) throws(ResponseHeadFault) {
        let length = try Self.contentLength(&fields)
        let isChunked = try Self.isChunked(fields, statusLine)
        if isChunked, length != nil { throw .lengthAndTransferCoding }
        if statusLine.status.forbidsContent {
            self = .none
        } else if isChunked {
            self = .chunked
        } else if let length {
            self = .length(length)
        } else {
            self = .close
        }
    }

    /// Source: RFC 9110, section 8.6: equal repetitions may be taken for one.
    private static func contentLength(_ fields: inout Fields) throws(ResponseHeadFault) -> UInt64? {
        guard let combined = fields.combined(.contentLength) else { return nil }
        var length: UInt64?
        for part in combined.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let value = decimal(part) else { throw .badContentLength }
            guard length == nil || length == value else { throw .conflictingContentLengths }
            length = value
        }
        guard let length else { throw .badContentLength }
        fields.set(.contentLength, to: String(length))
        return length
    }

    /// Digits with blanks around; nil for anything else and above what a file can hold.
    private static func decimal(_ text: ArraySlice<UInt8>) -> UInt64? {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var digits = text.drop(while: isBlank)
        while let last = digits.last, isBlank(last) { digits.removeLast() }
        guard !digits.isEmpty else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            guard value <= UInt64(Int64.max) / 10 else { return nil }
            value = value * 10 + UInt64(digit - 0x30)
            guard value <= UInt64(Int64.max) else { return nil }
        }
        return value
    }

    /// One `chunked` and nothing else is spoken; an HTTP/1.0 sender cannot mean it, and HTTP/2 forbids it.
    ///
    /// Source: RFC 9112, sections 6.1 and 7; RFC 9113, section 8.2.2.
    private static func isChunked(
        _ fields: Fields, _ statusLine: ResponseStatusLine
    ) throws(ResponseHeadFault) -> Bool {
        guard let coding = fields.combined(.transferEncoding) else { return false }
        guard coding.map(TargetURL.lowercased) == Array("chunked".utf8), statusLine.isHTTP11, !statusLine.isFramed,
            !statusLine.status.isInformational, statusLine.status.code != 204
        else { throw .badTransferCoding }
        return true
    }
}
