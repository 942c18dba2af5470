import HTTPMessages
import Settings

/// One line of the log, before it is text.
struct LogLine: Sendable {
    /// How much of a value is written; a log is no place for bodies.
    private static let maxValueBytes = 2048

    /// When it was logged, in Unix milliseconds.
    var milliseconds: Int64
    /// How much it matters.
    var level: LogLevel
    /// What happened; the same words each time.
    var message: StaticString
    /// To what it happened, in the order of the line.
    var fields: KeyValuePairs<String, String>
    /// How many of its like were kept back since the last one.
    var repeated = 0

    /// Appends the text with its line end.
    func append(to output: inout [UInt8]) {
        LogTime(milliseconds: milliseconds).append(to: &output)
        output.append(UInt8(ascii: " "))
        output.append(contentsOf: level.rawValue.utf8)
        output.append(UInt8(ascii: " "))
        Self.appendEscaped(message.description, to: &output)
        for (key, value) in fields { Self.append(key, value, to: &output) }
        if repeated > 0 { Self.append("repeated", repeated.description, to: &output) }
        output.append(UInt8(ascii: "\n"))
    }

    private static func append(_ key: String, _ value: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: " "))
        appendEscaped(key, to: &output)
        output.append(UInt8(ascii: "="))
        let needsQuotes = value.isEmpty || value.utf8.contains { $0 <= 0x20 || $0 == 0x22 || $0 == 0x3D || $0 == 0x5C }
        if needsQuotes { output.append(UInt8(ascii: "\"")) }
        appendEscaped(value, to: &output)
        if needsQuotes { output.append(UInt8(ascii: "\"")) }
    }

    /// Appends text that can neither end the line nor the quotes, nor move the cursor of a terminal.
    private static func appendEscaped(_ text: String, to output: inout [UInt8]) {
        let end = output.count + maxValueBytes
        for scalar in text.unicodeScalars {
            guard output.count < end else { return output.append(contentsOf: "…".utf8) }
            switch scalar {
            case "\"", "\\":
                output.append(UInt8(ascii: "\\"))
                output.append(UInt8(truncatingIfNeeded: scalar.value))
            case "\n": output.append(contentsOf: "\\n".utf8)
            case "\r": output.append(contentsOf: "\\r".utf8)
            case "\t": output.append(contentsOf: "\\t".utf8)
            // Control characters, line separators, and the marks that turn the direction of writing.
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{200E}"..."\u{200F}", "\u{2028}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                JSONText.appendEscape(scalar.value, to: &output)
            default: output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }
}

/// A time as lines begin with it.
///
/// Source: RFC 3339 §5.6.
struct LogTime {
    /// Unix milliseconds.
    var milliseconds: Int64

    /// Appends `2026-10-05T12:00:00.123Z`.
    func append(to output: inout [UInt8]) {
        let time = max(0, milliseconds)
        let date = Self.civil(dayNumber: time / 86_400_000)
        let parts: [(value: Int64, digits: Int, separator: UInt8)] = [
            (date.year, 4, UInt8(ascii: "-")), (date.month, 2, UInt8(ascii: "-")), (date.day, 2, UInt8(ascii: "T")),
            (time / 3_600_000 % 24, 2, UInt8(ascii: ":")), (time / 60_000 % 60, 2, UInt8(ascii: ":")),
            (time / 1000 % 60, 2, UInt8(ascii: ".")), (time % 1000, 3, UInt8(ascii: "Z")),
        ]
        for part in parts {
            let digits = DecimalText.digitCount(UInt64(part.value))
            output.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, part.digits - digits)))
            DecimalText.append(UInt64(part.value), to: &output)
            output.append(part.separator)
        }
    }

    /// The date of a day counted from 1970-01-01.
    ///
    /// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`: years begin in March, so
    /// that the leap day is the last one.
    private static func civil(dayNumber: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = dayNumber + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
