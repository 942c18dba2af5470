import HTTPMessages
import Testing

/// Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110 §5.6.7.
private let example: Int64 = 784_111_777

/// Thu, 01 Jan 2026 00:00:00 GMT.
private let present = HTTPDate(secondsSinceEpoch: 1_767_225_600)

private func parse(_ text: String, now: HTTPDate = present) -> Int64? {
    HTTPDate(parsing: Array(text.utf8).span, now: now)?.secondsSinceEpoch
}

@Suite struct HTTPDateTests {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", example),
        ("Sunday, 06-Nov-94 08:49:37 GMT", example),
        ("Sun Nov  6 08:49:37 1994", example),
        ("Sun Nov 16 08:49:37 1994", example + 864_000),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        // A leap second counts as the second before it.
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_799),
        // RFC 9110 §5.5: whitespace around a value is no part of it.
        ("  Sun, 06 Nov 1994 08:49:37 GMT\t", example),
        // RFC 9111 §4.2: caches match in any case.
        ("SUN, 06 NOV 1994 08:49:37 gmt", example),
        ("sUnDAY, 06-nov-94 08:49:37 Gmt", example),
    ])
    func `RFC 9110 §5_6_7: three formats are read`(text: String, seconds: Int64) {
        #expect(parse(text) == seconds)
    }

    @Test(arguments: [
        "", "0", "-1", "now", "Sun", "Sun,", "784111777",
        "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 AEST",
        "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT+1", "Sun, 06 Nov 1994 08:49:37 GMT, x",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov  1994 08:49:37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Mon, 29 Feb 1999 12:00:00 GMT", "Mon, 29 Feb 1900 12:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Xxx, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Xxx 1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
        "Sun Nov  6 08:49:37 1994 GMT", "\"Sun, 06 Nov 1994 08:49:37 GMT\"",
    ])
    func `anything else is no date`(text: String) {
        #expect(parse(text) == nil)
    }

    @Test(arguments: [
        // RFC 9110 §5.6.7: more than 50 years ahead means the most recent past year with those digits.
        ("Wednesday, 01-Jan-75 00:00:00 GMT", 3_313_526_400),
        ("Thursday, 01-Jan-76 00:00:00 GMT", 3_345_062_400),
        ("Thursday, 01-Jan-76 00:00:01 GMT", 189_302_401),
        ("Friday, 01-Jan-77 00:00:00 GMT", 220_924_800),
        ("Friday, 31-Dec-99 00:00:00 GMT", 946_598_400),
    ])
    func `a two-digit year is at most fifty years ahead`(text: String, seconds: Int64) {
        #expect(parse(text) == seconds)
    }

    @Test(arguments: [
        (example, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        (951_825_600, "Tue, 29 Feb 2000 12:00:00 GMT"),
        (Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
        (Int64.min, "Sat, 01 Jan 0000 00:00:00 GMT"),
    ])
    func `the preferred format is written`(seconds: Int64, text: String) {
        let written = HTTPDate(secondsSinceEpoch: seconds).written()
        #expect(String(decoding: written, as: UTF8.self) == text)
        #expect(written.count == HTTPDate.writtenByteCount)
    }

    @Test func `what is written reads back, whatever the day`() {
        for day in stride(from: Int64(-200_000), through: 900_000, by: 37) {
            let date = HTTPDate(secondsSinceEpoch: day * 86_400 + abs(day) % 86_400)
            #expect(HTTPDate(parsing: date.written().span, now: present) == date)
        }
    }

    @Test func `every cut of a date is no date`() {
        let whole = "Sunday, 06-Nov-94 08:49:37 GMT"
        for length in 0..<whole.utf8.count {
            #expect(parse(String(whole.prefix(length))) == nil)
        }
    }
}
