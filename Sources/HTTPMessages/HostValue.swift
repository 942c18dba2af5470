/// The grammar of the `Host` field: a host and an optional port.
///
/// Source: RFC 9110 §7.2, RFC 3986 §3.2.2 and §3.2.3.
enum HostValue {
    /// Says whether a value is `uri-host [ ":" port ]`; an empty one is, for targets without an authority.
    static func isValid(_ value: Span<UInt8>) -> Bool {
        guard !value.isEmpty else { return true }
        var index = 0
        if value[0] == 0x5B {  // [
            guard let end = endOfLiteral(value) else { return false }
            index = end
        } else {
            while index < value.count, isNamePart(value[index]) { index += 1 }
        }
        guard index < value.count else { return true }
        guard index > 0, value[index] == Octet.colon else { return false }
        index += 1
        while index < value.count, Octet.isDigit(value[index]) { index += 1 }
        return index == value.count
    }

    /// Gives the offset behind the closing bracket of an IP literal; the address itself is not judged here.
    private static func endOfLiteral(_ value: Span<UInt8>) -> Int? {
        var index = 1
        while index < value.count, isNamePart(value[index]) || value[index] == Octet.colon { index += 1 }
        guard index > 1, index < value.count, value[index] == 0x5D else { return nil }  // ]
        return index + 1
    }

    /// Says whether an octet may stand in a registered name: unreserved, sub-delimiter or `%`.
    @inline(__always)
    private static func isNamePart(_ octet: UInt8) -> Bool {
        // Bits of ! $ % & ' ( ) * + , - . ; = and the digits; of the letters, _ and ~.
        let low: UInt64 = 0x2BFF_7FF2_0000_0000
        let high: UInt64 = 0x47FF_FFFE_87FF_FFFE
        let mask = octet & 0x40 == 0 ? low : high
        return octet < 0x80 && (mask &>> UInt64(octet & 0x3F)) & 1 == 1
    }
}
