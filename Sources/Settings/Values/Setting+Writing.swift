/// How a settings tree is written out.
public enum SettingNotation: Sendable {
    /// JSON5: bare keys, trailing commas.
    case json5
    /// Plain JSON.
    case json
}

extension Setting {
    /// Writes the value on one line.
    ///
    /// - Parameter notation: with or without quotes around keys.
    public func rendered(_ notation: SettingNotation = .json5) -> String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .number(let value): Self.decimal(value)
        case .string(let value): Self.quoted(value)
        case .array(let elements): "[" + elements.map { $0.rendered(notation) }.joined(separator: ", ") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }
                .map { Self.key($0.key, notation) + ": " + $0.value.rendered(notation) }
                .joined(separator: ", ") + "}"
        }
    }

    /// A key as it stands before the colon.
    static func key(_ name: String, _ notation: SettingNotation) -> String {
        switch notation {
        case .json: quoted(name)
        case .json5: isIdentifier(name) ? name : quoted(name)
        }
    }

    /// A text in double quotes, control characters escaped.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, isLetter(first) else { return false }
        return name.utf8.allSatisfy { isLetter($0) || (48...57).contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "_")
    }

    private static func decimal(_ value: Double) -> String {
        guard let whole = Int(exactly: value) else { return "\(value)" }
        return String(whole)
    }
}
