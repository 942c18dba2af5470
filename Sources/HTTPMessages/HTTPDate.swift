/// A moment in whole seconds since the Unix epoch, as date fields carry it.
///
/// The three formats of HTTP are read; only the preferred one is written. A cache matches names in any case
/// (RFC 9111 §4.2); a zone other than GMT, a day that does not exist and every other deviation make the date invalid.
///
/// Source: RFC 9110 §5.6.7.
public struct HTTPDate: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z, without leap seconds.
    ///
    /// Always in the years 0 to 9999, which have a written form; so no difference of two dates overflows.
    public let secondsSinceEpoch: Int64

    /// How many bytes the written form has.
    public static let writtenByteCount = 29

    /// Makes the date from seconds since the Unix epoch; moments outside the years 0 to 9999 become the nearest inside.
    public init(secondsSinceEpoch: Int64) {
        self.secondsSinceEpoch = min(max(secondsSinceEpoch, -62_167_219_200), 253_402_300_799)
    }

    /// Reads a field value in any of the three formats; nil when it is none of them.
    ///
    /// - Parameter now: the present; the two-digit years of the obsolete format are read as the year that is at most
    ///   50 years ahead of it.
    public init?(parsing value: Span<UInt8>, now: HTTPDate) {
        let whole = FieldList.trimmed(0..<value.count, in: value)
        var reader = DateReader(value: value, range: whole)
        guard let fields = reader.fields(), reader.isAtEnd else { return nil }
        guard let seconds = fields.seconds(near: now) else { return nil }
        self.init(secondsSinceEpoch: seconds)
    }

    /// Orders by time.
    public static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }

    /// Appends the preferred form, `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// Cost: allocates only when `output` has to grow.
    public func append(to output: inout [UInt8]) {
        let (days, secondOfDay) = Self.floorDivide(secondsSinceEpoch, by: 86_400)
        let date = CivilDate(daysSinceEpoch: days)
        // 1970-01-01 was a Thursday, day 4 of a week that starts on Sunday.
        let weekday = Self.floorDivide(days + 4, by: 7).remainder
        Self.append(DateNames.weekdays, Int(weekday), to: &output)
        output.append(UInt8(ascii: ","))
        output.append(UInt8(ascii: " "))
        Self.append(Int64(date.day), digits: 2, then: UInt8(ascii: " "), to: &output)
        Self.append(DateNames.months, date.month - 1, to: &output)
        output.append(UInt8(ascii: " "))
        Self.append(date.year, digits: 4, then: UInt8(ascii: " "), to: &output)
        Self.append(secondOfDay / 3600, digits: 2, then: UInt8(ascii: ":"), to: &output)
        Self.append(secondOfDay / 60 % 60, digits: 2, then: UInt8(ascii: ":"), to: &output)
        Self.append(secondOfDay % 60, digits: 2, then: UInt8(ascii: " "), to: &output)
        output.append(UInt8(ascii: "G"))
        output.append(UInt8(ascii: "M"))
        output.append(UInt8(ascii: "T"))
    }

    /// The written form as bytes of its own.
    public func written() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(Self.writtenByteCount)
        append(to: &output)
        return output
    }

    private static func append(_ names: [UInt8], _ index: Int, to output: inout [UInt8]) {
        for offset in 0..<3 { output.append(names[index * 3 + offset]) }
    }

    private static func append(_ value: Int64, digits: Int, then separator: UInt8, to output: inout [UInt8]) {
        var divisor: Int64 = digits == 4 ? 1000 : 10
        while divisor > 0 {
            output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
        output.append(separator)
    }

    /// Quotient and remainder, the remainder never negative.
    static func floorDivide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let remainder = ((value % divisor) + divisor) % divisor
        return ((value - remainder) / divisor, remainder)
    }
}
