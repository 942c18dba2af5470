import HTTPMessages
import Testing

private func range(_ text: String) -> ByteRange? {
    ByteRange(parsing: Array(text.utf8).span)
}

@Suite struct ByteRangeTests {
    @Test(arguments: [
        ("bytes=0-99", ByteRange.fromFirst(0, last: 99)), ("bytes=900-", .fromFirst(900, last: nil)),
        ("bytes=-50", .suffix(length: 50)), ("bytes=-0", .suffix(length: 0)), ("Bytes=0-0", .fromFirst(0, last: 0)),
        ("bytes= 0-99 ", .fromFirst(0, last: 99)), ("bytes=,0-99,", .fromFirst(0, last: 99)),
        ("bytes=0-99999999999999999999999", .fromFirst(0, last: Int64.max - 1)),
    ])
    func `RFC 9110 §14_1_2: one range of bytes`(text: String, expected: ByteRange) {
        #expect(range(text) == expected)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=-", "bytes=abc", "items=0-1", "bytes=5-4", "bytes=0-1,5-6", "bytes=a-1",
        "bytes=1-a", "bytes=--1", "bytes=1--2", "bytes 0-1", "bytes =0-1", "bytes=0 - 1", "bytes=+1-2", "bytes=1.5-2",
    ])
    func `RFC 9110 §14_2: malformed, foreign and several ranges are ignored`(text: String) {
        #expect(range(text) == nil)
    }

    @Test(arguments: [
        ("bytes=0-99", ByteRange.Resolution.satisfiable(0..<100)), ("bytes=-50", .satisfiable(950..<1000)),
        ("bytes=900-", .satisfiable(900..<1000)), ("bytes=0-5242880", .satisfiable(0..<1000)),
        ("bytes=999-999", .satisfiable(999..<1000)), ("bytes=-5000", .satisfiable(0..<1000)),
        ("bytes=1000-", .unsatisfiable), ("bytes=1000-2000", .unsatisfiable), ("bytes=-0", .unsatisfiable),
        ("bytes=9999999999999999999999-", .unsatisfiable), ("bytes=0-99999999999999999999", .satisfiable(0..<1000)),
    ])
    func `RFC 9110 §14_1_2: resolved against a thousand bytes`(text: String, expected: ByteRange.Resolution) throws {
        #expect(try #require(range(text)).resolved(length: 1000) == expected)
    }

    @Test(arguments: ["bytes=0-", "bytes=-1", "bytes=0-0"])
    func `no range of an empty body can be satisfied`(text: String) throws {
        #expect(try #require(range(text)).resolved(length: 0) == .unsatisfiable)
    }
}
