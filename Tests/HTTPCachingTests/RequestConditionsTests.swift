import HTTPCaching
import HTTPMessages
import Testing

private let response = stored([
    .eTag: "\"v1\"", .lastModified: dateField(-1000), .date: dateField(-10), .contentType: "image/png",
])

private func judge(
    _ request: Fields, _ response: StoredResponse = response, method: Method = .get, bodyBytes: Int64? = 1000
) -> RequestConditions {
    RequestConditions.judge(method: method, request: request, response: response, bodyBytes: bodyBytes)
}

@Suite struct RequestConditionsTests {
    @Test(arguments: [
        ("\"v1\"", true), ("\"x\", W/\"v1\"", true), ("*", true), ("\"x\"", false), ("v1", false), ("", false),
    ])
    func `RFC 9110 §13_1_2: If-None-Match`(value: String, matches: Bool) {
        #expect(judge([.ifNoneMatch: value]) == (matches ? .notModified : .full))
        #expect(judge([.ifNoneMatch: value], method: .head) == (matches ? .notModified : .full))
    }

    @Test func `RFC 9110 §13_1_2: tags in several lines are one list`() {
        #expect(judge([.ifNoneMatch: "\"x\"", .ifNoneMatch: "\"v1\""]) == .notModified)
    }

    @Test(arguments: [(-1000, true), (-999, true), (0, true), (-1001, false)])
    func `RFC 9110 §13_1_3: If-Modified-Since`(since: Int64, notModified: Bool) {
        #expect(judge([.ifModifiedSince: dateField(since)]) == (notModified ? .notModified : .full))
    }

    @Test func `RFC 9110 §13_1_3: an invalid or repeated date is ignored`() {
        #expect(judge([.ifModifiedSince: "yesterday"]) == .full)
        #expect(judge([.ifModifiedSince: dateField(0), .ifModifiedSince: dateField(0)]) == .full)
    }

    @Test func `RFC 9110 §13_2_2: If-None-Match puts If-Modified-Since out of force`() {
        #expect(judge([.ifNoneMatch: "\"x\"", .ifModifiedSince: dateField(0)]) == .full)
        #expect(judge([.ifNoneMatch: "\"v1\"", .ifModifiedSince: dateField(-5000)]) == .notModified)
    }

    @Test func `RFC 9111 §4_3_2: without Last-Modified the Date stands in`() {
        let undated = stored([.date: dateField(-10)])
        #expect(judge([.ifModifiedSince: dateField(-10)], undated) == .notModified)
        #expect(judge([.ifModifiedSince: dateField(-11)], undated) == .full)
        #expect(judge([.ifModifiedSince: dateField(0)], stored([:])) == .notModified)
    }

    @Test func `RFC 9111 §4_3_2: conditions for origin servers are not evaluated`() {
        #expect(judge([.ifMatch: "\"x\""]) == .full)
        #expect(judge([.ifUnmodifiedSince: dateField(-5000)]) == .full)
    }

    @Test func `RFC 9110 §13_2_1: conditions do not count where the answer is no success`() {
        let missing = stored([.eTag: "\"v1\""], status: 404)
        #expect(judge([.ifNoneMatch: "*"], missing) == .full)
        #expect(judge([.range: "bytes=0-1"], missing) == .full)
    }

    @Test(arguments: [
        ("bytes=0-99", RequestConditions.partial(0..<100)), ("bytes=-50", .partial(950..<1000)),
        ("bytes=900-", .partial(900..<1000)), ("bytes=0-5242880", .partial(0..<1000)), ("bytes=1000-", .unsatisfiable),
        ("bytes=abc", .full), ("items=0-1", .full), ("bytes=0-1,3-4", .full),
    ])
    func `RFC 9110 §14_2: a single range`(value: String, expected: RequestConditions) {
        #expect(judge([.range: value]) == expected)
        #expect(judge([.range: value], method: .head) == .full)
        #expect(judge([.range: value], bodyBytes: nil) == .full)
    }

    @Test func `RFC 9110 §13_2_2: a 304 comes before any range`() {
        #expect(judge([.range: "bytes=5000-", .ifNoneMatch: "\"v1\""]) == .notModified)
        #expect(judge([.range: "bytes=0-1", .ifNoneMatch: "\"x\""]) == .partial(0..<2))
    }

    @Test(arguments: [
        ("\"v1\"", true), ("\"v2\"", false), ("W/\"v1\"", false), ("v1", false), (dateField(-1000), true),
        (dateField(-999), false), (dateField(0), false), ("", false),
    ])
    func `RFC 9110 §13_1_5: If-Range compares strongly`(value: String, holds: Bool) {
        #expect(judge([.range: "bytes=0-1", .ifRange: value]) == (holds ? .partial(0..<2) : .full))
    }

    @Test func `RFC 9110 §13_1_5: weak validators never hold a range`() {
        let weak = stored([.eTag: "W/\"v1\"", .lastModified: dateField(-10), .date: dateField(-10)])
        #expect(judge([.range: "bytes=0-1", .ifRange: "W/\"v1\""], weak) == .full)
        #expect(judge([.range: "bytes=0-1", .ifRange: dateField(-10)], weak) == .full)
        #expect(judge([.range: "bytes=5000-", .ifRange: "\"v2\""]) == .full)
        #expect(judge([.ifRange: "\"v1\""]) == .full)
    }

    @Test func `RFC 9110 §15_4_5: a 304 keeps validators and drops what describes a body`() {
        let fields = RequestConditions.notModifiedFields(of: [
            .eTag: "\"v1\"", .contentType: "image/png", .cacheControl: "max-age=1", .vary: "Accept",
            .contentLocation: "/x", .contentEncoding: "gzip", .contentSecurityPolicy: "sandbox",
        ])
        #expect(
            fields == [
                .eTag: "\"v1\"", .cacheControl: "max-age=1", .vary: "Accept", .contentLocation: "/x",
                .contentSecurityPolicy: "sandbox",
            ])
    }
}
