/// Durations as the configuration writes them: `"500ms"`, `"30s"`, `"5m"`, `"1h"`, `"7d"`.
enum TimeSpan {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// Reads a duration.
    ///
    /// - Returns: nil when the text is not a whole number with a known unit, or is too large.
    static func parse(_ text: String) -> Duration? {
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }),
            let count = Decimal.parse(text.dropLast(unit.suffix.count))
        else { return nil }
        let (milliseconds, overflow) = Int64(count).multipliedReportingOverflow(by: unit.milliseconds)
        return overflow ? nil : .milliseconds(milliseconds)
    }

    /// Writes a duration in the largest unit that divides it; one minute is `60s`, as people say it of timeouts.
    static func text(_ duration: Duration) -> String {
        let parts = duration.components
        let milliseconds = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0 else { return "0s" }
        let unit =
            units.last {
                milliseconds.isMultiple(of: $0.milliseconds) && ($0.suffix != "m" || milliseconds != $0.milliseconds)
            } ?? units[0]
        return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
    }
}
