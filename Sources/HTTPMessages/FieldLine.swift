/// One complete field line, found and checked in a buffer.
///
/// Source: RFC 9112 §5.
struct FieldLine {
    /// The name, a token.
    let name: Range<Int>
    /// The value without the white space around it.
    let value: Range<Int>
    /// The offset after the line's CRLF.
    let end: Int

    /// Reads the line that begins at an offset; nil when it is malformed or its CRLF is missing.
    init?(in bytes: Span<UInt8>, from start: Int) {
        var position = start
        while position < bytes.count, Octet.isToken(bytes[position]) { position += 1 }
        guard position > start, position < bytes.count, bytes[position] == Octet.colon else { return nil }
        name = start..<position
        position += 1
        let valueStart = position
        while position < bytes.count, Octet.isFieldContent(bytes[position]) { position += 1 }
        guard position + 1 < bytes.count, bytes[position] == Octet.carriageReturn,
            bytes[position + 1] == Octet.lineFeed
        else { return nil }
        end = position + 2
        let trimmed = bytes.extracting(valueStart..<position).contentRange
        value = valueStart + trimmed.lowerBound..<valueStart + trimmed.upperBound
    }
}

extension Span where Element == UInt8 {
    /// The part between leading and trailing optional white space (RFC 9112 §5.1).
    var contentRange: Range<Int> {
        var start = 0
        var end = count
        while start < end, Octet.isBlank(self[start]) { start += 1 }
        while end > start, Octet.isBlank(self[end - 1]) { end -= 1 }
        return start..<end
    }
}
