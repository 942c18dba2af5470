extension TargetURL {
    /// Decodes `%XX` exactly once; a `%` that no two hex digits follow is kept.
    ///
    /// A plus stays a plus: the value is a URL, not a form field.
    public static func percentDecodeOnce(_ text: Span<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if let byte = escapedByte(in: text, at: index) {
                decoded.append(byte)
                index += 3
            } else {
                decoded.append(text[index])
                index += 1
            }
        }
        return decoded
    }

    /// Percent-encodes what may not stand in a URL and cuts the fragment; all else is left alone.
    ///
    /// A stray `%` becomes `%25`. Control bytes are not expected here.
    static func encodeForbidden(_ text: Span<UInt8>) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.count + 16)
        for index in text.indices {
            let byte = text[index]
            if byte == UInt8(ascii: "#") { break }
            if mustBeEncoded(byte) || (byte == percent && escapedByte(in: text, at: index) == nil) {
                encoded.append(percent)
                encoded.append(hexDigit(byte >> 4))
                encoded.append(hexDigit(byte & 0x0F))
            } else {
                encoded.append(byte)
            }
        }
        return encoded
    }

    /// ASCII lower case; other bytes as they are.
    static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static let percent = UInt8(ascii: "%")

    /// Source: RFC 3986, appendix A: bytes that appear in no rule of the grammar (brackets are left alone).
    private static func mustBeEncoded(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F...0xFF: true
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"): true
        case UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"): true
        default: false
        }
    }

    private static func escapedByte(in text: Span<UInt8>, at index: Int) -> UInt8? {
        guard text[index] == percent, index + 2 < text.count,
            let high = hexValue(text[index + 1]), let low = hexValue(text[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
