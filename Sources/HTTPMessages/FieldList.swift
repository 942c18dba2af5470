/// Splits a list-based field value into its members.
///
/// Every list field is split here, so that commas inside quoted strings are understood in one way. Empty members are
/// skipped, as recipients have to. A quote that is never closed is taken as an ordinary byte: restrictions that
/// follow it are then still seen.
///
/// Source: RFC 9110 §5.6.1.2 (recipient requirements), §5.6.4 (quoted strings).
public enum FieldList {
    /// Calls `body` with the range of each non-empty member, whitespace trimmed, in order.
    public static func forEachMember(in value: Span<UInt8>, _ body: (Range<Int>) -> Void) {
        var start = 0
        while start < value.count {
            let end = memberEnd(in: value, from: start)
            let member = trimmed(start..<end, in: value)
            if !member.isEmpty { body(member) }
            start = end + 1
        }
    }

    /// The members as byte arrays.
    ///
    /// Cost: allocates one array for each member.
    public static func members(of value: Span<UInt8>) -> [[UInt8]] {
        var result: [[UInt8]] = []
        forEachMember(in: value) { result.append(bytes($0, of: value)) }
        return result
    }

    /// The bytes of one range as an array.
    public static func bytes(_ range: Range<Int>, of value: Span<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        for index in range { result.append(value[index]) }
        return result
    }

    /// `range` without optional whitespace (space and tab) at either end.
    public static func trimmed(_ range: Range<Int>, in value: Span<UInt8>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, isWhitespace(value[lower]) { lower += 1 }
        while upper > lower, isWhitespace(value[upper - 1]) { upper -= 1 }
        return lower..<upper
    }

    /// Where the quoted string that opens at `start` ends: the index after its closing quote, or nil when it is
    /// never closed.
    public static func quotedStringEnd(in value: Span<UInt8>, from start: Int) -> Int? {
        var index = start + 1
        while index < value.count {
            if value[index] == UInt8(ascii: "\\") {
                index += 2
                continue
            }
            if value[index] == UInt8(ascii: "\"") { return index + 1 }
            index += 1
        }
        return nil
    }

    /// Whether the byte is optional whitespace (RFC 9110 §5.6.3).
    public static func isWhitespace(_ byte: UInt8) -> Bool { Octet.isBlank(byte) }

    /// Whether the byte may stand in a token (RFC 9110 §5.6.2).
    public static func isTokenByte(_ byte: UInt8) -> Bool { Octet.isToken(byte) }

    /// The byte in lower case when it is an ASCII letter.
    public static func lowercased(_ byte: UInt8) -> UInt8 { Octet.lowercased(byte) }

    /// Where the member that starts at `start` ends: a comma outside quotes, or the end of the value.
    private static func memberEnd(in value: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < value.count {
            switch value[index] {
            case UInt8(ascii: ","): return index
            case UInt8(ascii: "\""): index = quotedStringEnd(in: value, from: index) ?? index + 1
            default: index += 1
            }
        }
        return value.count
    }
}
