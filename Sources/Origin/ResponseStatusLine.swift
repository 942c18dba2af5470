import HTTPMessages

/// The first line of a response.
struct ResponseStatusLine: Sendable {
    /// The status.
    let status: Status
    /// True from HTTP/1.1 on: the sender knows transfer codings.
    let isHTTP11: Bool
    /// True for HTTP/2, where frames delimit the body.
    let isFramed: Bool

    /// Reads a line without its CRLF.
    ///
    /// The space behind the code may be missing where the reason is: many servers leave it out.
    ///
    /// Source: RFC 9112, section 4; libcurl writes `HTTP/2 200 ` for HTTP/2.
    init(_ line: Span<UInt8>) throws(ResponseHeadFault) {
        guard let (length, isHTTP11, isFramed) = Self.version(line) else { throw .badStatusLine }
        guard line.count >= length + 3 else { throw .badStatusLine }
        var code = 0
        for index in length..<(length + 3) {
            guard (0x30...0x39).contains(line[index]) else { throw .badStatusLine }
            code = code * 10 + Int(line[index] - 0x30)
        }
        guard line.count == length + 3 || line[length + 3] == UInt8(ascii: " "), let status = Status(code: code)
        else { throw .badStatusLine }
        self.status = status
        self.isHTTP11 = isHTTP11
        self.isFramed = isFramed
    }

    private static func version(_ line: Span<UInt8>) -> (length: Int, isHTTP11: Bool, isFramed: Bool)? {
        if starts(line, with: "HTTP/1.1 ") { return (9, true, false) }
        if starts(line, with: "HTTP/1.0 ") { return (9, false, false) }
        if starts(line, with: "HTTP/2 ") { return (7, true, true) }
        return nil
    }

    private static func starts(_ line: Span<UInt8>, with text: StaticString) -> Bool {
        guard line.count >= text.utf8CodeUnitCount else { return false }
        for (index, byte) in text.description.utf8.enumerated() where line[index] != byte { return false }
        return true
    }
}
