import HTTPMessages

/// A strict parser of dictionary structured fields.
///
/// Source: RFC 8941 §4.2.2 to §4.2.8.
struct DictionaryParser: ~Escapable {
    private let value: Span<UInt8>
    private var index = 0

    /// Parses `value` from its beginning.
    @_lifetime(copy value)
    init(_ value: Span<UInt8>) {
        self.value = value
    }

    /// The members in order, the last of duplicates winning; nil when parsing fails.
    mutating func members() -> [DictionaryMember]? {
        var result: [DictionaryMember] = []
        skip { $0 == UInt8(ascii: " ") }
        while index < value.count {
            guard let member = member() else { return nil }
            if let position = result.firstIndex(where: { $0.key == member.key }) {
                result[position] = member
            } else {
                result.append(member)
            }
            skip(while: FieldList.isWhitespace)
            if index == value.count { return result }
            guard take(UInt8(ascii: ",")) else { return nil }
            skip(while: FieldList.isWhitespace)
            // A trailing comma is an error.
            if index == value.count { return nil }
        }
        return result
    }

    private mutating func member() -> DictionaryMember? {
        guard let key = key() else { return nil }
        var result = DictionaryMember(key: key, value: .boolean(true))
        if take(UInt8(ascii: "=")) {
            guard let value = take(UInt8(ascii: "(")) ? innerList() : bareItem() else { return nil }
            result.value = value
        }
        return parameters() ? result : nil
    }

    private mutating func key() -> [UInt8]? {
        guard index < value.count, Self.isLowercaseLetter(value[index]) || value[index] == UInt8(ascii: "*")
        else { return nil }
        let start = index
        skip(while: Self.isKeyByte)
        return FieldList.bytes(start..<index, of: value)
    }

    /// `*( ";" *SP key [ "=" bare-item ] )`, read and dropped; false when malformed.
    private mutating func parameters() -> Bool {
        while take(UInt8(ascii: ";")) {
            skip { $0 == UInt8(ascii: " ") }
            guard key() != nil else { return false }
            if take(UInt8(ascii: "=")), bareItem() == nil { return false }
        }
        return true
    }

    private mutating func innerList() -> DictionaryValue? {
        while index < value.count {
            skip { $0 == UInt8(ascii: " ") }
            if take(UInt8(ascii: ")")) { return .other }
            guard bareItem() != nil, parameters() else { return nil }
            guard index < value.count, value[index] == UInt8(ascii: " ") || value[index] == UInt8(ascii: ")")
            else { return nil }
        }
        return nil
    }

    private mutating func bareItem() -> DictionaryValue? {
        guard index < value.count else { return nil }
        let first = value[index]
        switch first {
        case UInt8(ascii: "-"): return number()
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "?"): return boolean()
        case UInt8(ascii: ":"): return byteSequence()
        default: break
        }
        if Self.isDigit(first) { return number() }
        guard Self.isLetter(first) || first == UInt8(ascii: "*") else { return nil }
        skip { FieldList.isTokenByte($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
        return .other
    }

    /// An integer of at most 15 digits, or a decimal of at most 12 and 3.
    private mutating func number() -> DictionaryValue? {
        let start = index
        _ = take(UInt8(ascii: "-"))
        let whole = digitCount()
        guard whole > 0 else { return nil }
        guard take(UInt8(ascii: ".")) else {
            return whole <= 15 ? .integer(FieldList.bytes(start..<index, of: value)) : nil
        }
        let fraction = digitCount()
        return whole <= 12 && (1...3).contains(fraction) ? .other : nil
    }

    private mutating func digitCount() -> Int {
        let start = index
        skip(while: Self.isDigit)
        return index - start
    }

    private mutating func string() -> DictionaryValue? {
        var result: [UInt8] = []
        index += 1
        while index < value.count {
            let byte = value[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                return .string(result)
            case UInt8(ascii: "\\"):
                guard index < value.count, value[index] == UInt8(ascii: "\"") || value[index] == UInt8(ascii: "\\")
                else { return nil }
                result.append(value[index])
                index += 1
            case 0x20...0x7E:
                result.append(byte)
            default:
                return nil
            }
        }
        return nil
    }

    private mutating func boolean() -> DictionaryValue? {
        index += 1
        if take(UInt8(ascii: "1")) { return .boolean(true) }
        return take(UInt8(ascii: "0")) ? .boolean(false) : nil
    }

    private mutating func byteSequence() -> DictionaryValue? {
        index += 1
        skip {
            Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
                || $0 == UInt8(ascii: "=")
        }
        return take(UInt8(ascii: ":")) ? .other : nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < value.count, value[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skip(while predicate: (UInt8) -> Bool) {
        while index < value.count, predicate(value[index]) { index += 1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private static func isLowercaseLetter(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        isLowercaseLetter(FieldList.lowercased(byte))
    }

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "*"): true
        default: isLowercaseLetter(byte) || isDigit(byte)
        }
    }
}
