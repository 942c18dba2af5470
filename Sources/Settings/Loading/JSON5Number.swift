/// What counts as a number in JSON5.
///
/// Source: the JSON5 specification 1.0.0, section 6.
enum JSON5Number {
    /// Whether a whole word is one number.
    static func isNumber(_ word: String) -> Bool {
        var rest = Substring(word)
        if rest.hasPrefix("+") || rest.hasPrefix("-") { rest.removeFirst() }
        if rest == "Infinity" || rest == "NaN" { return true }
        if rest.hasPrefix("0x") || rest.hasPrefix("0X") { return isHexadecimal(rest.dropFirst(2)) }
        return isDecimal(rest)
    }

    private static func isHexadecimal(_ digits: Substring) -> Bool {
        !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    /// Digits, a fraction, an exponent; either side of the point may be empty, but not both.
    private static func isDecimal(_ text: Substring) -> Bool {
        var rest = text
        let whole = digits(&rest)
        guard whole.count <= 1 || !whole.hasPrefix("0") else { return false }
        var fraction: Substring = ""
        if rest.hasPrefix(".") {
            rest.removeFirst()
            fraction = digits(&rest)
        }
        guard !whole.isEmpty || !fraction.isEmpty else { return false }
        if rest.hasPrefix("e") || rest.hasPrefix("E") {
            rest.removeFirst()
            if rest.hasPrefix("+") || rest.hasPrefix("-") { rest.removeFirst() }
            guard !digits(&rest).isEmpty else { return false }
        }
        return rest.isEmpty
    }

    private static func digits(_ text: inout Substring) -> Substring {
        let found = text.prefix { $0.isASCII && $0.isNumber }
        text = text.dropFirst(found.count)
        return found
    }
}
