/// Classes of octets that the grammars of RFC 9110 and RFC 9112 are made of.
///
/// Membership is a shift in two 64-bit constants: no table in memory, no lazily initialised global on the hot path.
enum Octet {
    /// HTAB, half of optional white space.
    static let tab: UInt8 = 0x09
    /// LF, the second half of a line end.
    static let lineFeed: UInt8 = 0x0A
    /// CR, the first half of a line end.
    static let carriageReturn: UInt8 = 0x0D
    /// SP, the separator of the first line.
    static let space: UInt8 = 0x20
    /// Between the members of a list.
    static let comma: UInt8 = 0x2C
    /// Behind a field name.
    static let colon: UInt8 = 0x3A
    /// Before a parameter or a chunk extension.
    static let semicolon: UInt8 = 0x3B
    /// DEL, the one control octet above the others.
    static let delete: UInt8 = 0x7F

    /// Says whether an octet is a `tchar`, the stuff of field names and methods.
    ///
    /// Source: RFC 9110 §5.6.2.
    @inline(__always)
    static func isToken(_ octet: UInt8) -> Bool {
        // Bits of ! # $ % & ' * + - . and the digits; of the letters, ^ _ ` | and ~.
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        let mask = octet & 0x40 == 0 ? low : high
        return octet < 0x80 && (mask &>> UInt64(octet & 0x3F)) & 1 == 1
    }

    /// Says whether an octet may stand inside a field value: visible, space, tab or `obs-text`.
    ///
    /// Source: RFC 9110 §5.5.
    @inline(__always)
    static func isFieldContent(_ octet: UInt8) -> Bool {
        (octet >= space && octet != delete) || octet == tab
    }

    /// Says whether an octet is optional white space.
    ///
    /// Source: RFC 9110 §5.6.3.
    @inline(__always)
    static func isBlank(_ octet: UInt8) -> Bool {
        octet == space || octet == tab
    }

    /// Says whether an octet is a decimal digit.
    @inline(__always)
    static func isDigit(_ octet: UInt8) -> Bool {
        octet &- 0x30 < 10
    }

    /// Gives the lower-case form of an ASCII letter, and any other octet unchanged.
    @inline(__always)
    static func lowercased(_ octet: UInt8) -> UInt8 {
        octet &- 0x41 < 26 ? octet | 0x20 : octet
    }

    /// Gives the value of a hexadecimal digit, nil for any other octet.
    @inline(__always)
    static func hexValue(_ octet: UInt8) -> UInt8? {
        if isDigit(octet) { return octet &- 0x30 }
        let letter = (octet | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }
}
