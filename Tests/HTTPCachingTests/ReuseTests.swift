import HTTPCaching
import HTTPMessages
import Testing

private func judge(
    _ request: String, _ response: String, resident: Int64, softPurged: Bool = false,
    settings: CachePolicySettings = plainSettings()
) -> Reuse {
    Reuse.judge(
        request: ask(request), freshness: freshness(response, softPurged: softPurged, settings: settings),
        residentSeconds: resident, settings: settings)
}

private func survives(
    _ request: String, _ response: String, resident: Int64, softPurged: Bool = false,
    settings: CachePolicySettings = plainSettings()
) -> Bool {
    Reuse.isAllowedOnError(
        request: ask(request), freshness: freshness(response, softPurged: softPurged, settings: settings),
        residentSeconds: resident, settings: settings)
}

@Suite struct ReuseTests {
    @Test(arguments: [
        // RFC 9111 §4: fresh, or validated.
        ("", "max-age=60", 59, Reuse.fresh),
        ("", "max-age=60", 60, .revalidate(.stale)),
        ("", "max-age=60", -1, .revalidate(.stale)),
        // §5.2.2.4
        ("", "max-age=60, no-cache", 0, .revalidate(.stale)),
        ("max-stale", "max-age=60, no-cache", 0, .revalidate(.stale)),
        // §5.2.1.4
        ("no-cache", "max-age=60", 0, .revalidate(.request)),
        // §5.2.1.1
        ("max-age=10", "max-age=60", 10, .fresh),
        ("max-age=10", "max-age=60", 11, .revalidate(.request)),
        ("max-age=0", "max-age=60", 0, .revalidate(.request)),
        ("max-age=0", "max-age=60", 1, .revalidate(.request)),
        ("max-age=100", "max-age=60", 61, .revalidate(.stale)),
        // §5.2.1.3
        ("min-fresh=10", "max-age=60", 50, .fresh),
        ("min-fresh=10", "max-age=60", 51, .revalidate(.request)),
        // §5.2.1.2
        ("max-stale", "max-age=60", 5000, .staleForClient),
        ("max-stale=10", "max-age=60", 70, .staleForClient),
        ("max-stale=10", "max-age=60", 71, .revalidate(.stale)),
        ("max-stale=10, max-age=60", "max-age=60", 70, .revalidate(.request)),
        ("max-stale=10, max-age=70", "max-age=60", 70, .staleForClient),
        // §5.2.2.2, §5.2.2.8, §5.2.2.10: never past these.
        ("max-stale", "max-age=60, must-revalidate", 61, .revalidate(.stale)),
        ("max-stale", "max-age=60, proxy-revalidate", 61, .revalidate(.stale)),
        ("max-stale", "s-maxage=60", 61, .revalidate(.stale)),
        ("", "max-age=60, must-revalidate", 59, .fresh),
        // §5.2.1.7
        ("only-if-cached", "max-age=60", 59, .fresh),
        ("only-if-cached", "max-age=60", 60, .notCached),
        ("only-if-cached, no-cache", "max-age=60", 0, .notCached),
        // §5.2.1.5: no-store is about storing.
        ("no-store", "max-age=60", 0, .fresh),
        // RFC 5861 §3
        ("", "max-age=1, stale-while-revalidate=30", 31, .staleWhileRevalidate),
        ("", "max-age=1, stale-while-revalidate=30", 32, .revalidate(.stale)),
        ("only-if-cached", "max-age=1, stale-while-revalidate=30", 31, .staleWhileRevalidate),
        ("max-age=5", "max-age=1, stale-while-revalidate=30", 6, .revalidate(.request)),
        ("min-fresh=1", "max-age=1, stale-while-revalidate=30", 6, .revalidate(.request)),
        ("", "max-age=1, stale-while-revalidate=30, must-revalidate", 6, .revalidate(.stale)),
    ])
    func `one request, one stored response, one moment`(
        request: String, response: String, resident: Int64, expected: Reuse
    ) {
        #expect(judge(request, response, resident: resident) == expected)
    }

    @Test func `clients force no fetch when they are not honoured, but may still take stale`() {
        let settings = plainSettings { $0.honorsClientDirectives = false }
        for request in ["no-cache", "max-age=0", "min-fresh=99"] {
            #expect(judge(request, "max-age=60", resident: 5, settings: settings) == .fresh)
        }
        #expect(judge("max-stale", "max-age=60", resident: 61, settings: settings) == .staleForClient)
        #expect(judge("only-if-cached", "max-age=60", resident: 61, settings: settings) == .notCached)
    }

    @Test func `a soft purge makes it stale, and the windows open`() {
        #expect(judge("", "max-age=60", resident: 1, softPurged: true) == .revalidate(.stale))
        let window = "max-age=60, stale-while-revalidate=5"
        #expect(judge("", window, resident: 1, softPurged: true) == .staleWhileRevalidate)
        #expect(survives("", "max-age=60, stale-if-error=5", resident: 1, softPurged: true))
        #expect(!survives("", "max-age=60, must-revalidate", resident: 1, softPurged: true))
    }

    @Test func `RFC 9111 §4_2_4: offline serves stale where nothing forbids it`() {
        let settings = plainSettings {
            $0.isOffline = true
            $0.keepStale = 100
        }
        #expect(judge("", "max-age=60", resident: 1, settings: settings) == .fresh)
        #expect(judge("", "max-age=60", resident: 160, settings: settings) == .staleOffline)
        #expect(judge("", "max-age=60", resident: 161, settings: settings) == .notCached)
        #expect(judge("no-cache", "max-age=60", resident: 1, settings: settings) == .staleOffline)
        #expect(judge("", "max-age=60, must-revalidate", resident: 61, settings: settings) == .notCached)
        #expect(judge("", "max-age=60, no-cache", resident: 1, settings: settings) == .notCached)
    }

    @Test(arguments: [
        ("", "max-age=1, stale-if-error=60", 61, true), ("", "max-age=1, stale-if-error=60", 62, false),
        ("", "max-age=1", 2, false), ("stale-if-error=10", "max-age=1", 11, true),
        ("", "max-age=1, stale-if-error=60, must-revalidate", 2, false),
        ("", "max-age=1, stale-if-error=60, proxy-revalidate", 2, false),
        ("", "max-age=1, stale-if-error=60, no-cache", 0, false), ("", "s-maxage=1, stale-if-error=60", 2, false),
        ("stale-if-error=60", "max-age=1, must-revalidate", 2, false),
        ("max-age=0", "max-age=60", 5, true), ("no-cache", "max-age=60", 5, false),
    ])
    func `RFC 5861 §4: what may be served when the origin fails`(
        request: String, response: String, resident: Int64, expected: Bool
    ) {
        #expect(survives(request, response, resident: resident) == expected)
    }

    @Test func `the configured stale-if-error holds where the origin says nothing`() {
        let settings = plainSettings { $0.staleIfError = 100 }
        #expect(survives("", "max-age=1", resident: 101, settings: settings))
        #expect(!survives("", "max-age=1", resident: 102, settings: settings))
        #expect(!survives("", "max-age=1, stale-if-error=0", resident: 2, settings: settings))
    }
}
