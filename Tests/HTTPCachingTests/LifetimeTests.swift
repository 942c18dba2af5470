import HTTPCaching
import HTTPMessages
import Testing

private func limit(_ hops: [(Int, Fields)], settings: CachePolicySettings = plainSettings()) -> Int64? {
    RedirectLifetime.limit(
        of: hops.map { RedirectLifetime.Hop(status: status($0.0), fields: $0.1) }, requestTime: receipt,
        responseTime: receipt, settings: settings)
}

@Suite struct RedirectLifetimeTests {
    @Test(
        arguments: [
            (301, "max-age=60", 60), (302, "max-age=60", 60), (307, "s-maxage=5, max-age=60", 5), (308, "", nil),
            (301, "", nil), (302, "", 300), (303, "", 300), (307, "", 300), (300, "", 300), (301, "no-store", 0),
            (302, "no-store, max-age=60", 0), (301, "no-cache", 0), (301, "private", 0), (302, "max-age=x", 0),
        ] as [(Int, String, Int64?)])
    func `one hop`(code: Int, cacheControl: String, expected: Int64?) {
        #expect(limit([(code, [.cacheControl: cacheControl])]) == expected)
    }

    @Test func `the shortest hop counts, and no hop does not limit`() {
        #expect(limit([]) == nil)
        #expect(limit([(301, [:]), (302, [.cacheControl: "max-age=60"]), (302, [:])]) == 60)
        #expect(limit([(302, [:]), (302, [.cacheControl: "max-age=600"])]) == 300)
        #expect(limit([(302, [:])], settings: plainSettings { $0.redirectTTL = 7 }) == 7)
    }

    @Test func `the age of a hop is taken off`() {
        #expect(limit([(302, [.cacheControl: "max-age=60", .age: "20"])]) == 40)
        #expect(limit([(302, [.cacheControl: "max-age=60", .age: "90"])]) == 0)
        #expect(limit([(302, [.date: dateField(-10), .expires: dateField(50)])]) == 50)
        #expect(limit([(302, [.expires: "0"])]) == 0)
    }

    @Test func `an addressed field decides for hops too`() {
        #expect(limit([(302, [.cacheControl: "no-store", .cdnCacheControl: "max-age=9"])]) == 9)
    }
}

@Suite struct NegativeTTLTests {
    @Test func `each kind of failure has its own time`() {
        var ttl = NegativeTTL()
        #expect(NegativeTTL.Failure.allCases.map { ttl.seconds(for: $0) } == [60, 5, 5, 5, 10, 60, 600, 60])
        ttl.notFound = 0
        #expect(ttl.seconds(for: .notFound) == 0)
    }

    @Test(arguments: [(nil, 5), (0, 1), (3, 3), (30, 30), (-30, 1), (86_400, 3600)] as [(Int64?, Int64)])
    func `Retry-After takes its place, from a second to an hour`(retryAfter: Int64?, expected: Int64) {
        #expect(NegativeTTL().seconds(for: .serverError, retryAfterSeconds: retryAfter) == expected)
    }

    @Test(
        arguments: [
            ("120", 120), ("0", 0), (dateField(90), 90), (dateField(-90), 0), ("soon", nil), ("-5", nil), ("1.5", nil),
        ] as [(String, Int64?)])
    func `RFC 9110 §10_2_3: Retry-After is seconds or a date`(value: String, expected: Int64?) {
        #expect(NegativeTTL.retryAfterSeconds(in: [.retryAfter: value], now: receipt) == expected)
        #expect(NegativeTTL.retryAfterSeconds(in: [:], now: receipt) == nil)
    }
}
