/// A media type, parsed strictly: what does not follow the grammar to its last byte has no media type, so that a
/// malformed string can never be passed on to a browser that reads it in its own way.
///
/// Source: RFC 9110 §8.3.1.
public struct MediaType: Hashable, Sendable {
    /// One parameter; the name is lower case, the value unquoted and as received.
    public struct Parameter: Hashable, Sendable {
        /// The name in lower case.
        public let name: [UInt8]
        /// The value without quotes.
        public let value: [UInt8]
    }

    /// The type, lower case: `image`.
    public let type: [UInt8]
    /// The subtype, lower case: `png`.
    public let subtype: [UInt8]
    /// The parameters in order.
    public let parameters: [Parameter]

    /// Makes a media type from its parts, which have to be lower case tokens.
    public init(type: [UInt8], subtype: [UInt8], parameters: [Parameter] = []) {
        self.type = type
        self.subtype = subtype
        self.parameters = parameters
    }

    /// Reads the value of a `Content-Type` field; nil when any byte is not part of exactly one media type.
    public init?(parsing value: Span<UInt8>) {
        let whole = FieldList.trimmed(0..<value.count, in: value)
        var index = whole.lowerBound
        guard let type = Self.token(in: value, at: &index, end: whole.upperBound),
            index < whole.upperBound, value[index] == UInt8(ascii: "/")
        else { return nil }
        index += 1
        guard let subtype = Self.token(in: value, at: &index, end: whole.upperBound),
            let parameters = Self.parameters(in: value, from: index, end: whole.upperBound)
        else { return nil }
        self.init(
            type: type.map(FieldList.lowercased), subtype: subtype.map(FieldList.lowercased), parameters: parameters)
    }

    /// Whether the type is `image`.
    public var isImage: Bool { type == Self.image }

    /// Type and subtype without parameters: `image/png`.
    public var essence: [UInt8] { type + [UInt8(ascii: "/")] + subtype }

    private static let image = Array("image".utf8)

    private static func token(in value: Span<UInt8>, at index: inout Int, end: Int) -> [UInt8]? {
        let start = index
        while index < end, FieldList.isTokenByte(value[index]) { index += 1 }
        return index > start ? FieldList.bytes(start..<index, of: value) : nil
    }

    /// `*( OWS ";" OWS [ parameter ] )`; nil when something else stands there.
    private static func parameters(in value: Span<UInt8>, from start: Int, end: Int) -> [Parameter]? {
        var result: [Parameter] = []
        var index = start
        while index < end {
            skipWhitespace(in: value, at: &index, end: end)
            guard index < end, value[index] == UInt8(ascii: ";") else { return nil }
            index += 1
            skipWhitespace(in: value, at: &index, end: end)
            if index == end || value[index] == UInt8(ascii: ";") { continue }
            guard let name = token(in: value, at: &index, end: end), index < end, value[index] == UInt8(ascii: "=")
            else { return nil }
            index += 1
            guard let argument = argument(in: value, at: &index, end: end) else { return nil }
            result.append(Parameter(name: name.map(FieldList.lowercased), value: argument))
        }
        return result
    }

    private static func argument(in value: Span<UInt8>, at index: inout Int, end: Int) -> [UInt8]? {
        guard index < end, value[index] == UInt8(ascii: "\"") else { return token(in: value, at: &index, end: end) }
        guard let close = FieldList.quotedStringEnd(in: value, from: index), close <= end else { return nil }
        var result: [UInt8] = []
        index += 1
        while index < close - 1 {
            if value[index] == UInt8(ascii: "\\") { index += 1 }
            guard isQuotableByte(value[index]) else { return nil }
            result.append(value[index])
            index += 1
        }
        index = close
        return result
    }

    private static func isQuotableByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\t") || (byte >= 0x20 && byte != 0x7F)
    }

    private static func skipWhitespace(in value: Span<UInt8>, at index: inout Int, end: Int) {
        while index < end, FieldList.isWhitespace(value[index]) { index += 1 }
    }
}
