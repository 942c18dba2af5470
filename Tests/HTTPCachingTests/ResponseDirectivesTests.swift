import HTTPCaching
import HTTPMessages
import Testing

private func directives(_ text: String) -> ResponseDirectives {
    ResponseDirectives(of: [.cacheControl: text])
}

@Suite struct ResponseDirectivesTests {
    @Test(arguments: [
        ("max-age=60", 60), ("MaX-aGe=60", 60), ("max-age=\"60\"", 60), ("max-age=0060", 60), ("foo, max-age=60", 60),
        ("max-age=99999999999", 2_147_483_648), ("x=\"max-age=60\", max-age=1", 1), ("max-age=1, x=\"max-age=60\"", 1),
    ])
    func `RFC 9111 §5_2_2_1: max-age in every form`(text: String, seconds: Int64) {
        #expect(directives(text).maxAge == seconds)
    }

    @Test(arguments: [
        "max-age", "max-age=", "max-age=-60", "max-age=60.0", "max-age=a60", "max-age=60a", "max-age='60'",
        "max-age =60", "max-age= 60", "max-age=\"60", "max-age=60 60",
    ])
    func `RFC 9111 §4_2_1: invalid freshness information means stale`(text: String) {
        #expect(directives(text).maxAge == 0)
    }

    @Test func `RFC 9111 §4_2_1: of duplicates the first counts, in one line or in two`() {
        #expect(directives("max-age=1800, max-age=1").maxAge == 1800)
        #expect(directives("max-age=1, max-age=1800").maxAge == 1)
        #expect(ResponseDirectives(of: [.cacheControl: "max-age=1", .cacheControl: "max-age=1800"]).maxAge == 1)
    }

    @Test func `RFC 9111 §5_2_2: flags, with or without a needless argument`() {
        let all = directives(
            "no-store, must-revalidate=1, proxy-revalidate, public, must-understand, no-cache, private")
        #expect(all.noStore && all.mustRevalidate && all.proxyRevalidate && all.isPublic && all.mustUnderstand)
        #expect(all.noCache && all.isPrivate)
        #expect(directives("unknown, no-storex, xno-store, x=no-store") == ResponseDirectives())
    }

    @Test(arguments: [
        ("no-cache=\"a, b\"", false, ["a", "b"]), ("no-cache=A", false, ["a"]), ("no-cache", true, []),
        ("no-cache=\"\"", true, []), ("no-cache=\"a b\"", true, []), ("no-cache, no-cache=\"a\"", true, ["a"]),
        ("no-cache=\"a", true, []), ("no-cache=\"etag\"", true, []),
    ])
    func `RFC 9111 §5_2_2_4: no-cache with and without field names`(text: String, all: Bool, names: [String]) {
        let found = directives(text)
        #expect(found.noCache == all)
        #expect(found.noCacheFields.map(\.description) == names)
    }

    @Test func `RFC 9111 §5_2_2_7: private with and without field names`() {
        #expect(directives("private").isPrivate)
        #expect(!directives("private=\"a\"").isPrivate)
        #expect(directives("private=\"a\"").privateFields == [name("a")])
    }

    @Test(arguments: [
        ("must-revalidate", true), ("proxy-revalidate", true), ("s-maxage=2", true), ("max-age=2", false),
        ("no-store", false),
    ])
    func `RFC 9111 §4_2_4: which directives forbid stale reuse`(text: String, forbids: Bool) {
        #expect(directives(text).forbidsStale == forbids)
    }
}

@Suite struct TargetedDirectivesTests {
    private func directives(_ cdn: String, _ cacheControl: String = "max-age=1, no-store") -> ResponseDirectives {
        ResponseDirectives(of: [.cdnCacheControl: cdn, .cacheControl: cacheControl])
    }

    @Test(arguments: [
        ("max-age=3600", 3600), ("foobar, max-age=3600", 3600), ("max-age=99999999999", 2_147_483_648),
        ("max-age=0", 0), ("max-age=-5", 0), ("max-age=1, max-age=7", 7), ("max-age=60;ext=1;b", 60),
        (" a=(1 2);q, b=:YQ==:, c=1.5, max-age=9", 9), ("a=\"x\\\"y\",\tmax-age=9", 9),
    ])
    func `RFC 9213 §2_2: a valid targeted field replaces Cache-Control`(text: String, seconds: Int64) {
        let found = directives(text)
        #expect(found.isTargeted)
        #expect(found.maxAge == seconds)
        #expect(!found.noStore)
    }

    @Test(arguments: [
        "", "max-age=3600, &&&&&", "max-age=\"3600\"", "max-age", "max-age=36.0", "max-age =3600", "max-age= 3600",
        "MaX-aGe=3600", "max-age=3600,", "max-age=3600, , a", "no-store=1", "no-cache=7", "a=(1 2", "a=\"x", "a=?2",
        "a=:x", "a=1234567890123456", "a=1.2345", "a=1.", "a=-", "a;", "\"a\"", "a=(1\t2)", "a b",
    ])
    func `RFC 9213 §2_1: an invalid or empty targeted field is ignored`(text: String) {
        let found = directives(text)
        #expect(!found.isTargeted)
        #expect(found.maxAge == 1)
        #expect(found.noStore)
    }

    @Test func `flags that are false say nothing, field names come as a string`() {
        #expect(!directives("no-store=?0, max-age=5").noStore)
        #expect(directives("no-store, max-age=5").noStore)
        #expect(directives("no-cache=\"a\"").noCacheFields == [name("a")])
        #expect(directives("private").isPrivate)
    }

    @Test func `several lines are one dictionary`() {
        let found = ResponseDirectives(of: [.cdnCacheControl: "max-age=5", .cdnCacheControl: "must-revalidate"])
        #expect(found.maxAge == 5)
        #expect(found.mustRevalidate)
    }
}

@Suite struct RequestDirectivesTests {
    @Test func `RFC 9111 §5_2_1: every directive`() {
        let all = ask("no-cache, no-store, only-if-cached, max-age=5, min-fresh=6, max-stale=7, stale-if-error=8")
        #expect(all.noCache && all.noStore && all.onlyIfCached)
        #expect(all.maxAge == 5)
        #expect(all.minFresh == 6)
        #expect(all.maxStale == .seconds(7))
        #expect(all.staleIfError == 8)
    }

    @Test(arguments: [
        ("max-stale", RequestDirectives.MaxStale.any), ("max-stale=0", .seconds(0)), ("max-stale=\"9\"", .seconds(9)),
        ("max-stale=x", nil), ("max-stale=-1", nil), ("max-stale =5", nil), ("max-age=1", nil),
    ])
    func `RFC 9111 §5_2_1_2: max-stale with and without a value`(text: String, expected: RequestDirectives.MaxStale?) {
        #expect(ask(text).maxStale == expected)
    }

    @Test func `an invalid max-age wants a validated answer, an invalid min-fresh nothing`() {
        #expect(ask("max-age=x").maxAge == 0)
        #expect(ask("min-fresh=x").minFresh == nil)
    }

    @Test func `RFC 9111 §5_4: Pragma counts only without Cache-Control`() {
        #expect(RequestDirectives(of: [.pragma: "no-cache"]).noCache)
        #expect(RequestDirectives(of: [.pragma: "x, No-Cache"]).noCache)
        #expect(!RequestDirectives(of: [.pragma: "no-cache", .cacheControl: "max-stale"]).noCache)
        #expect(!RequestDirectives(of: [.pragma: "foo"]).noCache)
    }
}
