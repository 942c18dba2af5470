/// The names of days and months, as date fields write them.
enum DateNames {
    /// Three letters a day, from Sunday.
    static let weekdays = Array("SunMonTueWedThuFriSat".utf8)
    /// Three letters a month, from January.
    static let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)
    /// Whole names of the days, from Sunday, for the obsolete format.
    static let longWeekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        .map { Array($0.utf8) }
}

/// A day of the proleptic Gregorian calendar.
struct CivilDate: Equatable {
    /// The year; 0 is 1 BC.
    var year: Int64
    /// 1 to 12.
    var month: Int
    /// 1 to 31.
    var day: Int

    /// Makes the date from its parts, unchecked.
    init(year: Int64, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Makes the date of a day counted from 1970-01-01.
    ///
    /// The year begins in March here, so that the leap day is its last; eras are 400 years of 146,097 days.
    init(daysSinceEpoch: Int64) {
        let (era, dayOfEra) = HTTPDate.floorDivide(daysSinceEpoch + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5) + 1
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The day counted from 1970-01-01.
    var daysSinceEpoch: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = HTTPDate.floorDivide(shiftedYear, by: 400)
        let shiftedMonth = Int64(month > 2 ? month - 3 : month + 9)
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Whether the day exists.
    var exists: Bool {
        guard (1...12).contains(month), day >= 1 else { return false }
        return CivilDate(daysSinceEpoch: daysSinceEpoch) == self
    }
}

/// What a date field says, before it is known to make sense.
struct DateFields {
    /// The day; of a two-digit year only those digits.
    var date = CivilDate(year: 0, month: 0, day: 0)
    /// Whether the year still needs its century.
    var hasTwoDigitYear = false
    /// Seconds since midnight.
    var secondOfDay: Int64 = 0

    /// Seconds since the epoch, or nil when there is no such day.
    func seconds(near now: HTTPDate) -> Int64? {
        guard hasTwoDigitYear else { return Self.seconds(date, secondOfDay) }
        let present = CivilDate(daysSinceEpoch: HTTPDate.floorDivide(now.secondsSinceEpoch, by: 86_400).quotient)
        var candidate = date
        candidate.year += (present.year / 100 + 1) * 100
        // The most recent year that does not look more than 50 years ahead.
        while candidate.year > present.year + 50 { candidate.year -= 100 }
        if candidate.year == present.year + 50, let seconds = Self.seconds(candidate, secondOfDay) {
            let limit = Self.seconds(
                CivilDate(year: candidate.year, month: present.month, day: present.day),
                HTTPDate.floorDivide(now.secondsSinceEpoch, by: 86_400).remainder)
            if let limit, seconds > limit { candidate.year -= 100 }
        }
        return Self.seconds(candidate, secondOfDay)
    }

    private static func seconds(_ date: CivilDate, _ secondOfDay: Int64) -> Int64? {
        guard date.exists else { return nil }
        return date.daysSinceEpoch * 86_400 + secondOfDay
    }
}

/// Reads a date from left to right; every step fails when the bytes are not exactly what the format wants.
struct DateReader: ~Escapable {
    private let value: Span<UInt8>
    private var index: Int
    private let end: Int

    /// Reads inside `range` of `value`.
    @_lifetime(copy value)
    init(value: Span<UInt8>, range: Range<Int>) {
        self.value = value
        index = range.lowerBound
        end = range.upperBound
    }

    /// Whether all bytes are used up.
    var isAtEnd: Bool { index == end }

    /// Reads whichever of the three formats stands here.
    mutating func fields() -> DateFields? {
        let start = index
        if takeLongWeekday() { return obsoleteFields() }
        index = start
        guard takeName(from: DateNames.weekdays) != nil else { return nil }
        return take(UInt8(ascii: ",")) ? preferredFields() : asctimeFields()
    }

    /// The rest of the preferred form, ` 06 Nov 1994 08:49:37 GMT`.
    private mutating func preferredFields() -> DateFields? {
        var fields = DateFields()
        guard take(UInt8(ascii: " ")), let day = number(digits: 2), take(UInt8(ascii: " ")),
            let month = takeName(from: DateNames.months), take(UInt8(ascii: " ")), let year = number(digits: 4),
            take(UInt8(ascii: " ")), let time = timeOfDay(), takeZone()
        else { return nil }
        fields.date = CivilDate(year: year, month: month + 1, day: Int(day))
        fields.secondOfDay = time
        return fields
    }

    /// The rest of the obsolete form, `, 06-Nov-94 08:49:37 GMT`.
    private mutating func obsoleteFields() -> DateFields? {
        var fields = DateFields()
        guard take(UInt8(ascii: ",")), take(UInt8(ascii: " ")), let day = number(digits: 2),
            take(UInt8(ascii: "-")), let month = takeName(from: DateNames.months), take(UInt8(ascii: "-")),
            let year = number(digits: 2), take(UInt8(ascii: " ")), let time = timeOfDay(), takeZone()
        else { return nil }
        fields.date = CivilDate(year: year, month: month + 1, day: Int(day))
        fields.hasTwoDigitYear = true
        fields.secondOfDay = time
        return fields
    }

    /// The rest of the asctime form, ` Nov  6 08:49:37 1994`.
    private mutating func asctimeFields() -> DateFields? {
        var fields = DateFields()
        guard take(UInt8(ascii: " ")), let month = takeName(from: DateNames.months), take(UInt8(ascii: " "))
        else { return nil }
        guard let day = take(UInt8(ascii: " ")) ? number(digits: 1) : number(digits: 2), take(UInt8(ascii: " ")),
            let time = timeOfDay(), take(UInt8(ascii: " ")), let year = number(digits: 4)
        else { return nil }
        fields.date = CivilDate(year: year, month: month + 1, day: Int(day))
        fields.secondOfDay = time
        return fields
    }

    /// `08:49:37`, where a leap second counts as the second before it.
    private mutating func timeOfDay() -> Int64? {
        guard let hour = number(digits: 2), take(UInt8(ascii: ":")), let minute = number(digits: 2),
            take(UInt8(ascii: ":")), let second = number(digits: 2)
        else { return nil }
        guard hour < 24, minute < 60, second <= 60 else { return nil }
        return hour * 3600 + minute * 60 + min(second, 59)
    }

    /// ` GMT`, in any case; every other zone makes the date invalid (RFC 9111 §4.2).
    private mutating func takeZone() -> Bool {
        take(UInt8(ascii: " ")) && takeLetter(UInt8(ascii: "g")) && takeLetter(UInt8(ascii: "m"))
            && takeLetter(UInt8(ascii: "t"))
    }

    private mutating func takeLongWeekday() -> Bool {
        let start = index
        for name in DateNames.longWeekdays {
            index = start
            if name.allSatisfy({ takeLetter($0 | 0x20) }) { return true }
        }
        return false
    }

    /// The position of the three letters that stand here in a table of such names.
    private mutating func takeName(from names: [UInt8]) -> Int? {
        guard end - index >= 3 else { return nil }
        for position in 0..<(names.count / 3) {
            let matches = (0..<3).allSatisfy { offset in
                FieldList.lowercased(value[index + offset]) == FieldList.lowercased(names[position * 3 + offset])
            }
            guard matches else { continue }
            index += 3
            return position
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < end, value[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func takeLetter(_ lowercase: UInt8) -> Bool {
        guard index < end, FieldList.lowercased(value[index]) == lowercase else { return false }
        index += 1
        return true
    }

    private mutating func number(digits: Int) -> Int64? {
        guard end - index >= digits else { return nil }
        var result: Int64 = 0
        for _ in 0..<digits {
            let digit = value[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            result = result * 10 + Int64(digit)
            index += 1
        }
        return result
    }
}
