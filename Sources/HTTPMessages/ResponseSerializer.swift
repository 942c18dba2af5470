/// Appends the parts of a response head to a buffer.
///
/// Always as HTTP/1.1, also to a client of 1.0: a server sends the version it conforms to (RFC 9110 §6.2).
///
/// Source: RFC 9112 §4, §5.
/// Cost: allocates only where the buffer must grow.
public enum ResponseSerializer {
    /// Appends the status line.
    public static func appendStatusLine(_ status: Status, to output: inout [UInt8]) {
        output.append(contentsOf: "HTTP/1.1 ".utf8)
        DecimalText.append(UInt64(status.code), to: &output)
        output.append(Octet.space)
        output.append(contentsOf: status.reason.utf8)
        appendLineEnd(to: &output)
    }

    /// Appends a field line; control octets in the value become spaces, lest they split the response.
    public static func appendField(_ name: FieldName, _ value: Span<UInt8>, to output: inout [UInt8]) {
        appendName(name, to: &output)
        for index in value.indices {
            output.append(Octet.isFieldContent(value[index]) ? value[index] : Octet.space)
        }
        appendLineEnd(to: &output)
    }

    /// Appends a field line; control octets in the value become spaces, lest they split the response.
    public static func appendField(_ name: FieldName, _ value: String, to output: inout [UInt8]) {
        appendName(name, to: &output)
        for octet in value.utf8 {
            output.append(Octet.isFieldContent(octet) ? octet : Octet.space)
        }
        appendLineEnd(to: &output)
    }

    /// Appends a field line with a number.
    public static func appendField(_ name: FieldName, _ value: UInt64, to output: inout [UInt8]) {
        appendName(name, to: &output)
        DecimalText.append(value, to: &output)
        appendLineEnd(to: &output)
    }

    /// Appends the empty line that ends a head.
    public static func appendEnd(to output: inout [UInt8]) {
        appendLineEnd(to: &output)
    }

    private static func appendName(_ name: FieldName, to output: inout [UInt8]) {
        FieldName.appendWireForm(of: name.bytes[...], to: &output)
        output.append(Octet.colon)
        output.append(Octet.space)
    }

    private static func appendLineEnd(to output: inout [UInt8]) {
        output.append(Octet.carriageReturn)
        output.append(Octet.lineFeed)
    }
}

/// A response head as a value, for answers that are not prepared in advance.
public struct ResponseHead: Hashable, Sendable {
    /// The status.
    public var status: Status
    /// The fields, in the order in which they are sent.
    public var fields: Fields

    /// Makes a head.
    public init(status: Status, fields: Fields = Fields()) {
        self.status = status
        self.fields = fields
    }

    /// Appends status line, fields and empty line.
    public func serialize(into output: inout [UInt8]) {
        ResponseSerializer.appendStatusLine(status, to: &output)
        fields.serialize(into: &output)
        ResponseSerializer.appendEnd(to: &output)
    }
}
