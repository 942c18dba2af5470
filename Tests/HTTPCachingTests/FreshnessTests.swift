import HTTPCaching
import HTTPMessages
import Testing

private func judge(
    _ fields: Fields, status: Int = 200, limit: Int64? = nil, settings: CachePolicySettings = plainSettings()
) -> Freshness {
    Freshness(of: stored(fields, status: status, limit: limit), settings: settings)
}

@Suite struct FreshnessTests {
    @Test func `RFC 9111 §4_2_1: s-maxage before max-age before Expires`() {
        var fields: Fields = [.date: dateField(0), .expires: dateField(30)]
        #expect(judge(fields).lifetimeSeconds == 30)
        #expect(judge(fields).source == .expires)
        fields.append(.cacheControl, "max-age=20")
        #expect(judge(fields).lifetimeSeconds == 20)
        fields.append(.cacheControl, "s-maxage=10")
        #expect(judge(fields).lifetimeSeconds == 10)
        #expect(judge(fields).source == .sharedMaxAge)
    }

    @Test func `RFC 9213 §2_2: a targeted field also puts Expires out of force`() {
        let fields: Fields = [.cdnCacheControl: "foo", .date: dateField(0), .expires: dateField(30)]
        #expect(judge(fields).source == .defaultTTL)
    }

    @Test func `RFC 9111 §4_2_1: Expires is measured from Date, not from now`() {
        // The origin's clock is a day behind: an hour is an hour.
        let fields: Fields = [.date: dateField(-86_400), .expires: dateField(-86_400 + 3600)]
        #expect(judge(fields).lifetimeSeconds == 3600)
        #expect(judge(fields).initialAgeSeconds == 86_400)
        #expect(judge([.expires: dateField(60)]).lifetimeSeconds == 60)
        #expect(judge([.date: "garbage", .expires: dateField(60)]).lifetimeSeconds == 60)
    }

    @Test(arguments: ["0", "", "-1", "tomorrow", "Thu, 01 Jan 2099 00:00:00 UTC", "Thu, 18 Aug 50 02:01:18 GMT"])
    func `RFC 9111 §5_3: an invalid Expires lies in the past, and nothing is guessed`(value: String) {
        let fields: Fields = [.date: dateField(0), .expires: value, .lastModified: dateField(-100_000)]
        #expect(judge(fields).lifetimeSeconds == 0)
        #expect(judge(fields).source == .expires)
    }

    @Test func `of several Expires lines the first counts`() {
        let fields: Fields = [.date: dateField(0), .expires: dateField(9), .expires: dateField(99)]
        #expect(judge(fields).lifetimeSeconds == 9)
    }

    @Test(arguments: [(100, 10), (3600, 360), (86_400, 8640), (8_640_000, 86_400), (0, 0), (-50, 0)])
    func `RFC 9111 §4_2_2: a tenth of the time since the last change, a day at most`(since: Int64, lifetime: Int64) {
        let fields: Fields = [.date: dateField(0), .lastModified: dateField(-since)]
        #expect(judge(fields).lifetimeSeconds == lifetime)
        #expect(judge(fields).source == .heuristic)
    }

    @Test(arguments: [
        (200, true), (201, false), (202, false), (203, true), (204, true), (206, false), (299, false), (300, true),
        (301, true), (302, false), (303, false), (307, false), (308, true), (400, false), (403, false), (404, true),
        (405, true), (410, true), (414, true), (451, true), (500, false), (501, true), (502, false), (503, false),
        (504, false), (599, false),
    ])
    func `RFC 9110 §15_1: which statuses allow a guess`(code: Int, allowed: Bool) {
        let fields: Fields = [.date: dateField(0), .lastModified: dateField(-1000)]
        #expect(judge(fields, status: code).lifetimeSeconds == (allowed ? 100 : 0))
        // RFC 9111 §4.2.2: public allows it for every status.
        var open = fields
        open.append(.cacheControl, "public")
        #expect(judge(open, status: code).lifetimeSeconds == 100)
    }

    @Test func `without any information the default decides`() {
        let settings = plainSettings { $0.defaultTTL = 77 }
        #expect(judge([:], settings: settings).lifetimeSeconds == 77)
        #expect(judge([.lastModified: "garbage"], settings: settings).lifetimeSeconds == 77)
        #expect(judge([:], status: 500, settings: settings).lifetimeSeconds == 0)
        #expect(judge([.cacheControl: "max-age=x"], settings: settings).lifetimeSeconds == 0)
    }

    @Test func `minimum and maximum clamp what origins say`() {
        let settings = plainSettings {
            $0.minTTL = 10
            $0.maxTTL = 100
        }
        #expect(freshness("max-age=0", settings: settings).lifetimeSeconds == 10)
        #expect(freshness("max-age=50", settings: settings).lifetimeSeconds == 50)
        #expect(freshness("max-age=500", settings: settings).lifetimeSeconds == 100)
        #expect(freshness("max-age=500, no-cache", settings: settings).requiresValidation)
    }

    @Test func `redirects limit the lifetime from the moment of receipt`() {
        let fields: Fields = [.cacheControl: "max-age=1000", .age: "100"]
        #expect(judge(fields, limit: 60).remainingSeconds(residentSeconds: 0) == 60)
        #expect(judge(fields, limit: 5000).remainingSeconds(residentSeconds: 0) == 900)
        #expect(judge(fields, limit: 0).requiresValidation)
        let settings = plainSettings { $0.minTTL = 500 }
        #expect(judge(fields, limit: 60, settings: settings).remainingSeconds(residentSeconds: 0) == 60)
    }

    @Test func `forever is for images, not for failures`() {
        let settings = plainSettings { $0.mode = .forever }
        let image = judge([.cacheControl: "no-cache, max-age=0, must-revalidate"], limit: 0, settings: settings)
        #expect(image.isFresh(residentSeconds: 4_000_000_000))
        #expect(!image.requiresValidation)
        #expect(!judge([.cacheControl: "max-age=1"], status: 404, settings: settings).isFresh(residentSeconds: 2))
    }

    @Test func `RFC 9111 §4_2: fresh means that the lifetime is greater than the age`() {
        let fresh = freshness("max-age=60")
        #expect(fresh.isFresh(residentSeconds: 59))
        #expect(!fresh.isFresh(residentSeconds: 60))
        #expect(!fresh.isFresh(residentSeconds: -1))
        #expect(fresh.remainingSeconds(residentSeconds: 72) == -12)
        #expect(fresh.stalenessSeconds(residentSeconds: 72) == 12)
        #expect(fresh.unconditionalSeconds == 60)
        #expect(freshness("max-age=60, no-cache").unconditionalSeconds == 0)
        #expect(freshness("max-age=60", softPurged: true).unconditionalSeconds == 0)
        #expect(!freshness("max-age=60", softPurged: true).isFresh(residentSeconds: 0))
    }

    @Test func `RFC 5861: windows, their defaults, and what closes them`() {
        let settings = plainSettings {
            $0.staleWhileRevalidate = 7
            $0.staleIfError = 8
        }
        let said = freshness("max-age=1, stale-while-revalidate=30, stale-if-error=60", settings: settings)
        #expect(said.staleWhileRevalidateSeconds == 30)
        #expect(said.staleIfErrorSeconds == 60)
        let silent = freshness("max-age=1", settings: settings)
        #expect(silent.staleWhileRevalidateSeconds == 7)
        #expect(silent.staleIfErrorSeconds == 8)
        for closing in ["must-revalidate", "proxy-revalidate", "no-cache", "s-maxage=1"] {
            let closed = freshness("stale-while-revalidate=30, stale-if-error=60, \(closing)", settings: settings)
            #expect(closed.staleWhileRevalidateSeconds == 0)
            #expect(closed.staleIfErrorSeconds == 0)
        }
    }

    @Test func `stale entries are kept as long as any window is open`() {
        let settings = plainSettings { $0.keepStale = 100 }
        #expect(freshness("max-age=10", settings: settings).isWorthKeeping(residentSeconds: 110))
        #expect(!freshness("max-age=10", settings: settings).isWorthKeeping(residentSeconds: 111))
        #expect(freshness("max-age=10, stale-if-error=500", settings: settings).isWorthKeeping(residentSeconds: 510))
    }
}

@Suite struct AgeTests {
    @Test(arguments: [
        ("55", 55), ("0", 0), ("7200, 0", 7200), ("0, 7200", 0), ("abc", 0), ("-7200", 0), ("7200.0", 0), ("\"5\"", 0),
        ("99999999999", 2_147_483_648), ("", 0), (", 7", 7),
    ])
    func `RFC 9111 §5_1: the first member of Age, if it is a number`(value: String, seconds: Int64) {
        #expect(judge([.age: value, .cacheControl: "max-age=1"]).initialAgeSeconds == seconds)
    }

    @Test func `RFC 9111 §4_2_3: age arithmetic with the delay of the response`() {
        let fields: Fields = [.date: dateField(-4), .age: "10"]
        #expect(stored(fields, delay: 3).times.initialAgeSeconds == 13)
        #expect(stored([.date: dateField(-40), .age: "10"], delay: 3).times.initialAgeSeconds == 40)
        #expect(stored([.date: dateField(40)], delay: 3).times.initialAgeSeconds == 3)
        #expect(stored([:], delay: -9).times.initialAgeSeconds == 0)
        #expect(Freshness(of: stored(fields), settings: plainSettings()).currentAge(residentSeconds: 5) == 15)
    }

    @Test(arguments: [Int64.min, -1, Int64.max])
    func `numbers damaged on disk never trap`(number: Int64) {
        let date = HTTPDate(secondsSinceEpoch: number)
        let times = StoredTimes(
            requestTime: date, responseTime: date, initialAgeSeconds: number, lifetimeLimitSeconds: number)
        let fields: Fields = [.expires: dateField(0), .date: dateField(-9)]
        let response = StoredResponse(status: .ok, fields: fields, times: times)
        let damaged = Freshness(of: response, settings: plainSettings())
        for resident in [Int64.min, 0, Int64.max] {
            #expect(damaged.currentAge(residentSeconds: resident) >= 0)
            #expect(!damaged.isFresh(residentSeconds: resident) || resident >= 0)
        }
        #expect(StoredTimes(of: fields, requestTime: date, responseTime: date).initialAgeSeconds >= 0)
    }

    @Test func `two Age lines are one list`() {
        #expect(judge([.age: "7", .age: "9"]).initialAgeSeconds == 7)
    }
}
