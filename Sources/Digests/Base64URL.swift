// Base64 with the alphabet that is safe in URLs and file names.

/// Base64url without padding.
///
/// Source: RFC 4648 section 5; padding left out as section 3.2 allows.
public enum Base64URL {
    /// Encodes bytes.
    ///
    /// - Returns: ASCII from `A-Z a-z 0-9 - _`, no padding.
    public static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var pending: UInt32 = 0
        var pendingBits: UInt32 = 0
        for index in bytes.indices {
            pending = pending << 8 | UInt32(bytes[index])
            pendingBits += 8
            while pendingBits >= 6 {
                pendingBits -= 6
                text.append(letter(for: UInt8(truncatingIfNeeded: pending >> pendingBits & 0x3F)))
            }
        }
        if pendingBits > 0 {
            text.append(letter(for: UInt8(truncatingIfNeeded: pending << (6 - pendingBits) & 0x3F)))
        }
        return text
    }

    /// Decodes text, with or without its padding.
    ///
    /// - Returns: the bytes, or nil for a foreign letter, an impossible length, wrong padding, or leftover bits that
    ///   are not zero (RFC 4648 section 3.5), so that one value has one spelling.
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard let letters = countWithoutPadding(text), letters % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters * 3 / 4)
        var pending: UInt32 = 0
        var pendingBits: UInt32 = 0
        for index in 0..<letters {
            guard let value = value(of: text[index]) else { return nil }
            pending = pending << 6 | UInt32(value)
            pendingBits += 6
            if pendingBits >= 8 {
                pendingBits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> pendingBits))
            }
        }
        guard pending & (1 << pendingBits - 1) == 0 else { return nil }
        return bytes
    }

    private static func countWithoutPadding(_ text: Span<UInt8>) -> Int? {
        var letters = text.count
        while letters > 0, text[letters - 1] == UInt8(ascii: "=") { letters -= 1 }
        let padding = text.count - letters
        guard padding == 0 || (padding <= 2 && text.count % 4 == 0) else { return nil }
        return letters
    }

    private static func letter(for value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "-")
        default: UInt8(ascii: "_")
        }
    }

    private static func value(of letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
