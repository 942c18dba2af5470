import HTTPMessages
import Testing

@testable import ImageService

@Suite struct ImageQueryTests {
    private func parse(_ query: String) throws(Failure) -> ImageQuery { try ImageQuery(Array(query.utf8).span) }

    private func url(_ query: String) throws -> String { String(decoding: try parse(query).url, as: UTF8.self) }

    // MARK: The URL

    @Test(arguments: [
        // percent-encoded as a whole
        ("url=http%3A%2F%2Fo.test%2Fa.png", "http://o.test/a.png"),
        ("url=http%3A%2F%2Fo.test%2Fa.fcgi%3FF%3D1%26W%3D2", "http://o.test/a.fcgi?F=1&W=2"),
        ("url=http%3A%2F%2Fo.test%2Fa%3Fx&priority=low", "http://o.test/a?x"),
        // typed by hand
        ("url=http://o.test/a.png", "http://o.test/a.png"),
        ("url=http://o.test/a.png#f", "http://o.test/a.png#f"),
        ("url=http://o.test/a=b", "http://o.test/a=b"),
        ("url=//o.test/a.png", "//o.test/a.png"),
        // a literal question mark takes everything behind it
        ("url=http://o.test/a.fcgi?F=1&W=2", "http://o.test/a.fcgi?F=1&W=2"),
        ("url=http://o.test/a?url=b&url=c", "http://o.test/a?url=b&url=c"),
        ("url=http://o.test/a?b&priority=low&only=memory", "http://o.test/a?b&priority=low&only=memory"),
        ("priority=low&url=http://o.test/a?b&c", "http://o.test/a?b&c"),
        ("url=http://o.test/a?", "http://o.test/a?"),
        ("url=?&x", "?&x"),
        ("url=http://o.test/a?b=%2526&c=%26", "http://o.test/a?b=%26&c=&"),
        // a plus is a plus
        ("url=http%3A%2F%2Fo.test%2Fa%2Bb.png", "http://o.test/a+b.png"),
        ("url=http://o.test/a+b.png", "http://o.test/a+b.png"),
        // decoded exactly once
        ("url=http://o.test/100%2525_x.png", "http://o.test/100%25_x.png"),
        ("url=http://o.test/%252F%252f", "http://o.test/%2F%2f"),
        ("url=http://o.test/a%20b.png", "http://o.test/a b.png"),
        ("url=http:%5C%5Cfoobar", "http:\\\\foobar"),
        ("url=http://o.test/%22%3C%3E%5C%5E%60%7B%7C%7D", "http://o.test/\"<>\\^`{|}"),
        (
            "url=http://o.test/avatar?d=https%3A%2F%2Fcdn.test%2Fkr.png",
            "http://o.test/avatar?d=https://cdn.test/kr.png"
        ),
        // a stray per cent sign stays for the URL to deal with
        ("url=http://o.test/100%.png", "http://o.test/100%.png"),
        ("url=http://o.test/%4", "http://o.test/%4"),
        ("url=http://o.test/%zz", "http://o.test/%zz"),
        // what is no URL is for others to judge
        ("url=%20", " "), ("url=javascript:alert(1)", "javascript:alert(1)"), ("url=http://", "http://"),
    ])
    func `the URL is what the value says, decoded once`(query: String, expected: String) throws {
        #expect(try url(query) == expected)
    }

    @Test func `bytes that are no text pass unharmed`() throws {
        #expect(
            try parse("url=http://o.test/%EC%98%A4%FF%00").url == Array("http://o.test/".utf8) + [
                0xEC, 0x98, 0xA4, 0xFF, 0,
            ])
        let raw = Array("url=http://o.test/".utf8) + [0xFF, 0xFE]
        #expect(try ImageQuery(raw.span).url == Array("http://o.test/".utf8) + [0xFF, 0xFE])
    }

    @Test(arguments: ["%75rl=http://o.test/a", "u%72%6C=http://o.test/a", "%75%72%6c=http://o.test/a"])
    func `an encoded name is the same name`(query: String) throws {
        #expect(try url(query) == "http://o.test/a")
        #expect(try url(query + "?b&c") == "http://o.test/a?b&c")
        #expect(throws: Failure.badParameter(name: "url", reason: "is repeated")) { try parse(query + "&url=x") }
    }

    // MARK: The other parameters

    @Test func `without more there is high priority, and every tier and the origin are asked`() throws {
        let query = try parse("url=x")
        #expect(query.priority == .high)
        #expect(query.only == nil)
    }

    @Test(
        arguments: [
            ("url=x&priority=low", .low, nil), ("priority=low&url=x", .low, nil), ("url=x&priority=high", .high, nil),
            ("url=x&only=memory", .high, .memory), ("url=x&only=cache", .high, .cache),
            ("only=cache&priority=low&url=x", .low, .cache), ("url=x&%70riority=%6cow", .low, nil),
            ("&&url=x&&priority=low&", .low, nil), ("url=x&sig=abc&expires=1", .high, nil),
            ("url=x&only=cache&sig=a=b", .high, .cache),
        ] as [(String, Priority, ImageQuery.Tier?)])
    func `parameters are taken in any order`(query: String, priority: Priority, only: ImageQuery.Tier?) throws {
        let parsed = try parse(query)
        #expect(parsed.priority == priority)
        #expect(parsed.only == only)
        #expect(parsed.url == Array("x".utf8))
    }

    // MARK: Refusals

    @Test(arguments: [
        ("", "url", "is missing"), ("&", "url", "is missing"), ("=", "url", "is missing"),
        ("priority=low", "url", "is missing"), ("sig=x", "url", "is missing"),
        ("url", "url", "is empty"), ("url=", "url", "is empty"), ("url=&priority=low", "url", "is empty"),
        ("url=x&url=y", "url", "is repeated"), ("url=x&url=", "url", "is repeated"),
        ("url=x&%75rl=y", "url", "is repeated"), ("url=x&url=y?z", "url", "is repeated"),
        ("url=x&priority=low&priority=low", "priority", "is repeated"), ("url=x&sig=1&sig=2", "sig", "is repeated"),
        ("url=x&priority=", "priority", "must be high or low"), ("url=x&priority", "priority", "must be high or low"),
        ("url=x&priority=LOW", "priority", "must be high or low"),
        ("url=x&priority=low+", "priority", "must be high or low"),
        ("url=x&only=disk", "only", "must be cache or memory"), ("url=x&only=", "only", "must be cache or memory"),
    ])
    func `what is wrong with a parameter is said of that parameter`(query: String, name: String, reason: String) {
        #expect(throws: Failure.badParameter(name: name, reason: reason)) { try parse(query) }
    }

    @Test(arguments: [
        ("url=http://o.test/a.fcgi&W=2", "W"), ("W=2&url=x", "W"), ("url=x&URL=y", "URL"), ("url=x&w", "w"),
        ("url=x&=y", "(empty)"), ("url=x&a%20b=1", "a?b"), ("url=x&%3Cscript%3E=1", "<script>"),
        ("url=x&a%22b=1", "a?b"), ("url=x&%C3%A9=1", "??"), ("url=x&%00=1", "?"), ("uurl=x", "uurl"), ("ur=x", "ur"),
        ("url=x&url%20=y", "url?"),
    ])
    func `an unknown parameter is named in plain characters`(query: String, name: String) throws {
        let failure = #expect(throws: Failure.self) { try parse(query) }
        guard case .badParameter(name, let reason) = failure else {
            Issue.record("\(String(describing: failure)) does not name \(name)")
            return
        }
        #expect(reason.hasPrefix("is not known"))
    }

    @Test func `a long name is cut short`() throws {
        let failure = #expect(throws: Failure.self) { try parse("url=x&" + String(repeating: "n", count: 5000) + "=1") }
        guard case .badParameter(let name, _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(name == String(repeating: "n", count: 40))
    }

    @Test func `a placeholder is not served yet, and that is said`() {
        #expect(
            throws: Failure.badParameter(name: "placeholder", reason: "is not available in this version; remove it")
        ) {
            try parse("url=x&placeholder=1")
        }
    }
}
