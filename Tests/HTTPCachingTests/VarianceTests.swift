import HTTPCaching
import HTTPMessages
import Testing

private func key(_ vary: String, _ request: Fields) -> String? {
    text(Variance(of: [.vary: vary]).secondaryKey(request: request))
}

@Suite struct VarianceTests {
    @Test func `RFC 9110 §12_5_5: names of all lines, each once, in any order and case`() {
        #expect(Variance(of: [:]) == .none)
        #expect(Variance(of: [.vary: ""]) == .none)
        #expect(Variance(of: [.vary: ", ,"]) == .none)
        #expect(Variance(of: [.vary: "Foo, BAR", .vary: "foo"]) == .fields([name("bar"), name("foo")]))
    }

    @Test(arguments: ["*", "*, *", ", *", "*, Foo", "Foo, *", "Foo, (bar)"])
    func `RFC 9111 §4_1: a star anywhere matches nothing`(vary: String) {
        #expect(Variance(of: [.vary: vary]) == .any)
        #expect(Variance(of: [.vary: "", .vary: vary]) == .any)
        #expect(key(vary, [:]) == nil)
    }

    @Test func `RFC 9111 §4_1: a missing field matches only a missing one`() {
        #expect(key("Foo", [:]) != key("Foo", [name("foo"): ""]))
        #expect(key("Foo", [:]) == key("Foo", [name("bar"): "1"]))
        #expect(key("Foo", [name("foo"): "1"]) != key("Foo", [name("foo"): "2"]))
        #expect(key("Foo, Bar", [name("foo"): "1"]) != key("Foo, Bar", [name("bar"): "1"]))
    }

    @Test(arguments: [("1, 2", "1,2"), ("1,2", " 1 ,\t2 "), ("1,,2", "1, 2"), ("\"a, b\"", "\"a, b\"")])
    func `RFC 9111 §4_1: whitespace around commas does not count`(left: String, right: String) {
        #expect(key("Foo", [name("foo"): left]) == key("Foo", [name("foo"): right]))
    }

    @Test func `RFC 9111 §4_1: two lines are the same as one list`() {
        #expect(key("Foo", [name("foo"): "1", name("foo"): "2"]) == key("Foo", [name("foo"): "1, 2"]))
    }

    @Test func `order and case count, but not in fields that negotiate content`() {
        #expect(key("Foo", [name("foo"): "a, b"]) != key("Foo", [name("foo"): "b, a"]))
        #expect(key("Foo", [name("foo"): "a"]) != key("Foo", [name("foo"): "A"]))
        #expect(key("Foo", [name("foo"): "\"a, b\""]) != key("Foo", [name("foo"): "\"a,b\""]))
        for field in [FieldName.accept, .acceptLanguage, .acceptEncoding] {
            #expect(
                key(field.description, [field: "de; q=0.5, EN"]) == key(field.description, [field: "en,de;q=0.5"]))
            #expect(key(field.description, [field: "de, en"]) != key(field.description, [field: "de"]))
        }
    }
}

@Suite struct CacheStatusTests {
    @Test(arguments: [
        (CacheStatus.hit(ttl: 3570, detail: .memory), "imagestore; hit; ttl=3570; detail=memory"),
        (.hit(ttl: 0, detail: .disk), "imagestore; hit; ttl=0; detail=disk"),
        (.hit(ttl: -12, detail: .staleWhileRevalidate), "imagestore; hit; ttl=-12; detail=stale-while-revalidate"),
        (.hit(ttl: -100, detail: .staleIfError), "imagestore; hit; ttl=-100; detail=stale-if-error"),
        (.hit(ttl: -9, detail: .offline), "imagestore; hit; ttl=-9; detail=offline"),
        (.hit(ttl: 3, detail: .negative), "imagestore; hit; ttl=3; detail=negative"),
        (.hit(ttl: .min, detail: .disk), "imagestore; hit; ttl=-9223372036854775808; detail=disk"),
        (.hit(ttl: .max, detail: .disk), "imagestore; hit; ttl=9223372036854775807; detail=disk"),
        (.forward(.uriMiss, stored: true), "imagestore; fwd=uri-miss; stored"),
        (.forward(.uriMiss, collapsed: true), "imagestore; fwd=uri-miss; collapsed"),
        (.forward(.varyMiss), "imagestore; fwd=vary-miss"),
        (.forward(.stale, status: 304), "imagestore; fwd=stale; fwd-status=304"),
        (.forward(.request), "imagestore; fwd=request"),
        (.forward(.bypass), "imagestore; fwd=bypass"),
        (
            .forward(.stale, status: 200, ttl: 60, stored: true, collapsed: true),
            "imagestore; fwd=stale; fwd-status=200; ttl=60; stored; collapsed"
        ),
    ])
    func `RFC 9211 §2: a list member with parameters`(status: CacheStatus, expected: String) {
        #expect(text(status.written()) == expected)
    }
}

@Suite struct ForwardedVarianceTests {
    @Test func `RFC 9111 §4_1: what the origin never sees selects nothing`() {
        let images = HeaderRules(scope: .images)
        let all = HeaderRules(scope: .everything, forward: ["*"])
        #expect(images.variance(of: [.vary: "Accept-Encoding, Origin"]) == .none)
        #expect(images.variance(of: [.vary: "Origin, Accept"]) == .fields([.accept]))
        #expect(images.variance(of: [.vary: "Cookie"]) == .none)
        #expect(all.variance(of: [.vary: "Cookie, Accept-Encoding"]) == .fields([.acceptEncoding]))
        #expect(HeaderRules(scope: .images, forward: ["Cookie"]).variance(of: [.vary: "cookie"]) == .fields([.cookie]))
        #expect(images.variance(of: [.vary: "Origin, *"]) == .any)
        #expect(images.variance(of: [:]) == .none)
    }
}
