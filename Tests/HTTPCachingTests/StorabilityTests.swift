import HTTPCaching
import HTTPMessages
import Testing

private func judge(
    _ fields: Fields, status code: Int = 200, scope: Storability.Scope = .everything, isComplete: Bool = true,
    settings: CachePolicySettings = plainSettings(), _ change: (inout Storability.RequestFacts) -> Void = { _ in }
) -> Storability {
    var facts = Storability.RequestFacts()
    change(&facts)
    return Storability.judge(
        status: status(code), fields: fields, request: facts, isComplete: isComplete, scope: scope, settings: settings)
}

@Suite struct StorabilityTests {
    @Test(arguments: [
        (200, true), (203, true), (204, true), (299, true), (301, true), (302, true), (303, true), (307, true),
        (308, true), (400, true), (404, true), (410, true), (451, true), (499, true), (500, true), (503, true),
        (599, true), (206, false), (304, false), (103, false),
    ])
    func `RFC 9111 §3: any final status with explicit freshness`(code: Int, stores: Bool) {
        #expect((judge([.cacheControl: "max-age=60"], status: code) == .store) == stores)
        #expect((judge([.expires: "0"], status: code) == .store) == stores)
    }

    @Test(arguments: [
        (200, true), (203, true), (204, true), (301, true), (308, true), (404, true), (405, true), (410, true),
        (414, true), (451, true), (501, true), (201, false), (302, false), (303, false), (307, false), (403, false),
        (500, false), (503, false), (599, false),
    ])
    func `RFC 9111 §3: without freshness only heuristically cacheable statuses`(code: Int, stores: Bool) {
        #expect(judge([:], status: code) == (stores ? .store : .doNotStore(.noFreshness)))
        #expect(judge([.cacheControl: "public"], status: code) == .store)
    }

    @Test(arguments: [200, 203]) func `in image mode 200 and 203 are kept`(code: Int) {
        #expect(judge([:], status: code, scope: .images) == .store)
    }

    @Test(arguments: [204, 300, 301, 302, 404, 410, 500, 503])
    func `in image mode nothing else is kept`(code: Int) {
        #expect(judge([.cacheControl: "max-age=60"], status: code, scope: .images) == .doNotStore(.statusNotAnImage))
    }

    @Test(arguments: [
        ("no-store", Storability.doNotStore(.noStore)), ("max-age=60, No-Store", .doNotStore(.noStore)),
        ("private, max-age=60", .doNotStore(.isPrivate)), ("private=\"a\", max-age=60", .store),
        ("no-cache", .store), ("no-cache=\"a\"", .store), ("max-age=0", .store), ("must-understand, no-store", .store),
    ])
    func `RFC 9111 §5_2_2: directives of the response`(cacheControl: String, expected: Storability) {
        #expect(judge([.cacheControl: cacheControl]) == expected)
    }

    @Test func `RFC 9111 §5_2_2_3: must-understand keeps out unknown statuses`() {
        let fields: Fields = [.cacheControl: "must-understand, max-age=60"]
        #expect(judge(fields, status: 299) == .doNotStore(.statusNotUnderstood))
        #expect(judge(fields, status: 404) == .store)
    }

    @Test(arguments: [
        ("max-age=60", false), ("public", true), ("s-maxage=60", true), ("must-revalidate, max-age=60", true),
        ("proxy-revalidate, max-age=60", false),
    ])
    func `RFC 9111 §3_5: Authorization needs public, s-maxage or must-revalidate`(cacheControl: String, stores: Bool) {
        let verdict = judge([.cacheControl: cacheControl]) { $0.sentAuthorization = true }
        #expect(verdict == (stores ? .store : .doNotStore(.authorization)))
    }

    @Test func `a cookie needs an explicit public`() {
        #expect(judge([.cacheControl: "s-maxage=60"]) { $0.sentCookie = true } == .doNotStore(.cookie))
        #expect(judge([.cacheControl: "public"]) { $0.sentCookie = true } == .store)
    }

    @Test func `RFC 9111 §5_2_1_5: no-store of all who wait`() {
        #expect(judge([:]) { $0.everyoneSaidNoStore = true } == .doNotStore(.requestNoStore))
    }

    @Test func `RFC 9111 §3_3: parts are not kept`() {
        #expect(judge([:], isComplete: false) == .doNotStore(.incomplete))
    }

    @Test(arguments: ["*", "Accept, *", "*, *", ", *", "Foo, not a name"])
    func `RFC 9111 §4_1: a star in Vary matches nothing`(vary: String) {
        #expect(judge([.vary: vary]) == .doNotStore(.variesOnEverything))
        #expect(judge([.vary: "", .vary: vary]) == .doNotStore(.variesOnEverything))
    }

    @Test func `Set-Cookie is no bar`() {
        #expect(judge([.setCookie: "a=b"], scope: .images) == .store)
    }

    @Test func `RFC 9213: the targeted field decides`() {
        #expect(judge([.cacheControl: "no-store", .cdnCacheControl: "max-age=60"]) == .store)
        #expect(judge([.cacheControl: "max-age=60", .cdnCacheControl: "no-store"]) == .doNotStore(.noStore))
        #expect(judge([.cacheControl: "max-age=60", .cdnCacheControl: "private"]) == .doNotStore(.isPrivate))
        #expect(judge([.cacheControl: "no-store", .cdnCacheControl: "max-age=60, &"]) == .doNotStore(.noStore))
    }

    @Test func `forever overrules the origin, but shares no other user's answer`() {
        let settings = plainSettings { $0.mode = .forever }
        #expect(judge([.cacheControl: "no-store, private"], settings: settings) == .store)
        #expect(judge([.cacheControl: "no-store"], status: 404, settings: settings) == .doNotStore(.noStore))
        #expect(
            judge([.cacheControl: "max-age=9"], settings: settings) { $0.sentAuthorization = true }
                == .doNotStore(.authorization))
    }

    @Test func `what concerns one client, or was cut, says nothing about what is stored`() {
        #expect(Storability.store.endsStored)
        for reason: Storability.Reason in [.requestNoStore, .authorization, .cookie, .incomplete] {
            #expect(!Storability.doNotStore(reason).endsStored)
        }
        for reason: Storability.Reason in [.noStore, .isPrivate, .variesOnEverything, .noFreshness, .statusNotAnImage] {
            #expect(Storability.doNotStore(reason).endsStored)
        }
    }
}
