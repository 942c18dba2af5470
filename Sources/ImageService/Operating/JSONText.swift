import HTTPMessages

/// JSON tokens written as bytes.
///
/// Source: RFC 8259 §7.
enum JSONText {
    private static let hexDigits = Array("0123456789abcdef".utf8)

    /// Appends a string with its quotes; what is not UTF-8 becomes U+FFFD.
    ///
    /// `<`, `>`, `&` and the line separators of JavaScript are escaped too, so that the text may stand in a page.
    static func appendString(_ bytes: [UInt8], to output: inout [UInt8]) {
        appendString(String(decoding: bytes, as: UTF8.self), to: &output)
    }

    /// Appends a string with its quotes.
    static func appendString(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars { append(scalar, to: &output) }
        output.append(UInt8(ascii: "\""))
    }

    private static func append(_ scalar: Unicode.Scalar, to output: inout [UInt8]) {
        switch scalar {
        case "\"", "\\":
            output.append(UInt8(ascii: "\\"))
            output.append(UInt8(truncatingIfNeeded: scalar.value))
        case "\n": output.append(contentsOf: "\\n".utf8)
        case "\r": output.append(contentsOf: "\\r".utf8)
        case "\t": output.append(contentsOf: "\\t".utf8)
        case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "<", ">", "&", "\u{2028}", "\u{2029}":
            appendEscape(scalar.value, to: &output)
        default: output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }

    /// Appends `\u` and four digits.
    static func appendEscape(_ value: UInt32, to output: inout [UInt8]) {
        output.append(contentsOf: "\\u".utf8)
        for shift in [12, 8, 4, 0] as [UInt32] { output.append(hexDigits[Int(value >> shift & 0xF)]) }
    }

    /// Appends a whole number.
    static func appendNumber(_ value: Int, to output: inout [UInt8]) {
        if value < 0 { output.append(UInt8(ascii: "-")) }
        DecimalText.append(UInt64(value.magnitude), to: &output)
    }

    /// Appends a number, whole ones without a point; JSON has no infinity, so that is null.
    static func appendNumber(_ value: Double, to output: inout [UInt8]) {
        guard value.isFinite else { return output.append(contentsOf: "null".utf8) }
        if let whole = Int(exactly: value) { return appendNumber(whole, to: &output) }
        output.append(contentsOf: value.description.utf8)
    }
}
