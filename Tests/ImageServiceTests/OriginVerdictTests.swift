import HTTPMessages
import Origin
import Testing

@testable import ImageService

private let limit = 1000

private func judge(
    _ code: Int, _ fields: Fields = [:], length: UInt64? = nil, isConditional: Bool = false, relays: Bool = false
) throws -> OriginVerdict {
    let url = try TargetURL.parse(decoded: Array("http://o.test/a.png".utf8).span, maxLength: 8192)
    let head = OriginHead(
        status: try #require(Status(code: code)), fields: fields, contentLength: length, requestTime: 0,
        responseTime: 0, finalURL: url)
    return OriginVerdict.judge(head, isConditional: isConditional, limit: limit, relays: relays, now: 1_000_000)
}

@Suite struct OriginVerdictTests {
    /// 4xx that do not concern the image but us, our request or our connection.
    private static let ours: Set<Int> = [401, 407, 408, 416, 421, 426, 431]
    /// All other 4xx of the IANA HTTP Status Code Registry.
    private static let imageErrors: Set<Int> = [
        400, 402, 403, 404, 405, 406, 409, 410, 411, 412, 413, 414, 415, 417, 422, 423, 424, 425, 428, 429, 451,
    ]

    @Test func `each final status means what the contract says`() throws {
        for code in 100...599 where code != 206 {
            let status = UInt16(code)
            let expected: OriginVerdict =
                switch code {
                case 200, 203: .body(try #require(Status(code: code)), length: nil)
                case 300...399: .failure(.badRedirect("a \(code) that leads nowhere"))
                case _ where Self.imageErrors.contains(code): .failure(.originStatus(status))
                case 500...599: .failure(.originError(status, retryAfterSeconds: nil))
                default: .failure(.originRefused(status))
                }
            #expect(try judge(code) == expected)
            #expect(try judge(code, isConditional: true) == (code == 304 ? .notModified : expected))
        }
    }

    @Test func `a relay passes every status on that ends an exchange`() throws {
        for code in 100...599 where code != 206 && code != 304 {
            let status = try #require(Status(code: code))
            #expect(try judge(code, length: 5, relays: true) == .body(status, length: 5))
        }
        #expect(try judge(304, isConditional: true, relays: true) == .notModified)
        #expect(try judge(304, relays: true) == .failure(.badRedirect("a 304 that leads nowhere")))
    }

    @Test(
        arguments: [
            (nil, nil), ("120", 120), ("0", 0), ("Mon, 12 Jan 1970 13:47:40 GMT", 60),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("soon", nil), ("-5", nil),
        ] as [(String?, Int64?)])
    func `RFC 9110 §10.2.3: an origin's wish to be left alone is kept`(value: String?, seconds: Int64?) throws {
        var fields = Fields()
        if let value { fields.append(.retryAfter, value) }
        #expect(try judge(503, fields) == .failure(.originError(503, retryAfterSeconds: seconds)))
    }

    // MARK: Sizes

    @Test(arguments: [200, 203, 206]) func `a declared length over the limit is refused at once`(code: Int) throws {
        let whole: Fields = [.contentRange: "bytes 0-999/1000"]
        #expect(try judge(code, whole, length: 1001) == .failure(.imageTooLarge(limit: limit)))
        #expect(try judge(code, whole, length: .max) == .failure(.imageTooLarge(limit: limit)))
        #expect(try judge(code, whole, length: .max, relays: true) == .failure(.imageTooLarge(limit: limit)))
        let status = code == 203 ? try #require(Status(code: 203)) : .ok
        #expect(try judge(code, whole, length: 1000) == .body(status, length: 1000))
    }

    @Test func `a confirmation is one whatever length it declares`() throws {
        // RFC 9110 §8.6: in a 304 the length is that of the representation.
        #expect(try judge(304, length: .max, isConditional: true) == .notModified)
    }

    @Test func `an error is told as what it is, however large its page`() throws {
        let verdicts = try [404, 503, 401].map { try judge($0, length: 1001) }
        let expected: [Failure] = [
            .originStatus(404), .originError(503, retryAfterSeconds: nil), .originRefused(401),
        ]
        #expect(verdicts == expected.map { .failure($0) })
    }

    // MARK: Parts

    @Test func `RFC 9110 §15.3.7: a part that nobody asked for is taken when it is the whole`() throws {
        #expect(try judge(206, [.contentRange: "bytes 0-999/1000"], length: 1000) == .body(.ok, length: 1000))
        #expect(try judge(206, [.contentRange: "bytes 0-999/1000"]) == .body(.ok, length: nil))
        #expect(try judge(206, [.contentRange: "bytes 0-9/10"], length: 10, relays: true) == .body(.ok, length: 10))
    }

    @Test(
        arguments: [
            ("bytes 0-499/1000", 500), ("bytes 1-999/1000", 999), ("bytes 0-999/*", 1000), ("bytes 0-9/10", 9),
            ("bytes */1000", nil), ("items 0-9/10", 10), ("", nil), (nil, 10),
        ] as [(String?, UInt64?)])
    func `any other part is broken`(range: String?, length: UInt64?) throws {
        var fields = Fields()
        if let range { fields.append(.contentRange, range) }
        let expected = OriginVerdict.failure(.originBroken("a part was sent where the whole was asked for"))
        #expect(try judge(206, fields, length: length) == expected)
        #expect(try judge(206, fields, length: length, relays: true) == expected)
    }
}

/// RFC 9110 §14.4.
@Suite struct ContentRangeTests {
    private func parts(_ text: String) -> [Int]? {
        ContentRange(Array(text.utf8)).map { [$0.first, $0.last, $0.length] }
    }

    @Test(
        arguments: [
            ("bytes 0-999/1000", [0, 999, 1000]), ("bytes 0-0/1", [0, 0, 1]), ("bytes 5-9/1000", [5, 9, 1000]),
            (
                "bytes 0-9223372036854775806/9223372036854775807",
                [0, 9_223_372_036_854_775_806, 9_223_372_036_854_775_807]
            ),
        ] as [(String, [Int])])
    func `a range with a known length is understood`(text: String, expected: [Int]) {
        #expect(parts(text) == expected)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 0-9", "bytes 0-9/", "bytes 0-9/*", "bytes */10", "bytes 9-0/10", "bytes 0-10/10",
        "bytes 0/10", "bytes -/10", "bytes 0-9-9/10", "bytes=0-9/10", "items 0-9/10", "bytes a-9/10", "bytes 0-9/10 ",
        "bytes 0-9/99999999999999999999", "0-9/10", "bytes  0-9/10", "bytes 0 - 9/10", "bytes 0-9/10/10",
    ])
    func `anything else is not`(text: String) {
        #expect(parts(text) == nil)
    }

    @Test(arguments: ["bytes -0-9/10", "bytes 0--9/10", "bytes 0-9-/10", "bytes +0-9/10", "bytes 0-9/+10"])
    func `a range with signs or dashes to spare is malformed`(text: String) {
        #expect(parts(text) == nil)
    }

    @Test func `RFC 9110 §14.1: the unit is written in any case`() {
        #expect(parts("Bytes 0-9/10") == [0, 9, 10])
    }

    @Test func `the whole is from the first byte to the last`() {
        #expect(ContentRange(Array("bytes 0-9/10".utf8))?.isWhole == true)
        #expect(ContentRange(Array("bytes 0-8/10".utf8))?.isWhole == false)
        #expect(ContentRange(Array("bytes 1-9/10".utf8))?.isWhole == false)
    }
}
