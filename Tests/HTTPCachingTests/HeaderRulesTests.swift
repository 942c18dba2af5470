import HTTPCaching
import HTTPMessages
import Testing

private func names(_ fields: Fields) -> [String] {
    var result: [String] = []
    fields.forEach { name, _ in result.append(name.description) }
    return result.sorted()
}

/// One field of each name.
private func fields(_ texts: [String]) -> Fields {
    var result = Fields()
    for text in texts { result.append(name(text), "1") }
    return result
}

private let deniedEverywhere = [
    "Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "TE", "Trailer", "Upgrade",
    "Proxy-Authenticate", "Proxy-Status", "Set-Cookie", "Set-Cookie2", "WWW-Authenticate", "Strict-Transport-Security",
    "Public-Key-Pins", "Public-Key-Pins-Report-Only", "Clear-Site-Data", "Alt-Svc", "Report-To",
    "Reporting-Endpoints", "NEL", "Expect-CT", "Content-Security-Policy", "Content-Security-Policy-Report-Only",
    "X-Frame-Options", "X-XSS-Protection", "Link", "Refresh", "Service-Worker-Allowed", "Permissions-Policy",
    "Document-Policy", "Accept-CH", "Cross-Origin-Resource-Policy", "Cross-Origin-Opener-Policy",
    "Origin-Agent-Cluster", "Content-Length", "Age",
]

private let kept = [
    "Content-Type", "Content-Disposition", "Content-Encoding", "Content-Foo", "ETag", "Last-Modified",
    "Cache-Control", "CDN-Cache-Control", "Expires", "Date", "Vary", "Via", "Cache-Status",
    "Access-Control-Allow-Origin", "Timing-Allow-Origin",
]

@Suite struct HeaderRulesTests {
    @Test(arguments: [Storability.Scope.images, .everything])
    func `RFC 9111 §3_1: hop-by-hop fields and those that speak for the origin's host are not stored`(
        scope: Storability.Scope
    ) {
        let result = HeaderRules(scope: scope).storedFields(of: fields(deniedEverywhere + kept), receivedAt: receipt)
        #expect(names(result) == kept.map { $0.lowercased() }.sorted())
    }

    @Test func `in image mode unknown fields are kept only when named`() {
        let received = fields(["X-Test", "Server", "Set-Cookie", "Date", "Content-Range"])
        #expect(names(HeaderRules(scope: .images).storedFields(of: received, receivedAt: receipt)) == ["date"])
        let rules = HeaderRules(scope: .images, keep: [name("x-test")])
        #expect(names(rules.storedFields(of: received, receivedAt: receipt)) == ["date", "x-test"])
        let all = HeaderRules(scope: .everything)
        // RFC 9110 §14.4: on a 200 a Content-Range means nothing, and is a field like any other.
        let relayed = names(all.storedFields(of: received, receivedAt: receipt))
        #expect(relayed == ["content-range", "date", "server", "x-test"])
    }

    @Test func `RFC 9110 §7_6_1: fields that Connection lists are not stored, Cache-Control all the same`() {
        let received: Fields = [
            .connection: "a, B", .connection: "cache-control", name("a"): "1", name("b"): "2", name("c"): "3",
            .cacheControl: "no-cache",
        ]
        let result = HeaderRules(scope: .everything).storedFields(of: received, receivedAt: receipt)
        #expect(names(result) == ["c", "cache-control", "date"])
    }

    @Test func `RFC 9111 §5_2_2_4, §5_2_2_7: fields named by no-cache and private are not stored`() {
        let received: Fields = [
            .cacheControl: "no-cache=\"a, b\"", .cacheControl: "private=c", name("a"): "1", name("b"): "2",
            name("c"): "3", name("d"): "4",
        ]
        let result = HeaderRules(scope: .everything).storedFields(of: received, receivedAt: receipt)
        #expect(names(result) == ["cache-control", "cache-control", "d", "date"])
    }

    @Test func `RFC 9110 §6_6_1: a response without a usable Date gets the time of its receipt`() {
        let rules = HeaderRules(scope: .images)
        #expect(text(rules.storedFields(of: [:], receivedAt: receipt).first(.date)) == dateField(0))
        #expect(rules.storedFields(of: [.date: "x"], receivedAt: receipt).all(.date).map { text($0) } == [dateField(0)])
        let dated: Fields = [.date: dateField(-5)]
        #expect(rules.storedFields(of: dated, receivedAt: receipt) == dated)
    }

    @Test func `a hidden field is stored when caching rests on it, and not sent`() {
        let rules = HeaderRules(scope: .everything, drop: [.cacheControl, name("x")])
        let result = rules.storedFields(
            of: [.cacheControl: "max-age=5", name("x"): "1", .date: dateField(0)], receivedAt: receipt)
        #expect(names(result) == ["cache-control", "date"])
        #expect(names(rules.sentFields(of: result)) == ["date"])
        #expect(HeaderRules(scope: .everything).sentFields(of: result) == result)
    }
}

@Suite struct ForwardedFieldsTests {
    private let sensitive = ["Cookie", "Authorization", "Proxy-Authorization", "Forwarded", "X-Forwarded-For"]
    private let own = [
        "Host", "Content-Length", "Expect", "Range", "If-Match", "If-None-Match", "If-Modified-Since",
        "If-Unmodified-Since", "If-Range", "Connection", "Keep-Alive", "TE", "Upgrade", "Transfer-Encoding",
        "Proxy-Connection", "Trailer",
    ]

    @Test func `by default three fields are forwarded`() {
        let client = fields(sensitive + own + ["Accept-Language", "traceparent", "X-Foo", "Accept-Encoding", "Accept"])
        let result = HeaderRules(scope: .images).forwardedFields(of: client)
        #expect(names(result) == ["accept", "accept-language", "traceparent"])
    }

    @Test func `a star forwards what is neither sensitive nor ours`() {
        let client = fields(sensitive + own + ["Accept", "X-Foo", "User-Agent", "Cache-Control"])
        let result = HeaderRules(scope: .everything, forward: ["*"]).forwardedFields(of: client)
        #expect(names(result) == ["accept", "cache-control", "user-agent", "x-foo"])
    }

    @Test func `credentials are forwarded only when named, conditions never`() {
        let rules = HeaderRules(scope: .everything, forward: ["*", "Authorization", "Range", "Host", "no name"])
        #expect(names(rules.forwardedFields(of: fields(sensitive + own))) == ["authorization"])
    }

    @Test func `RFC 9110 §7_6_1: what Connection lists is not forwarded`() {
        let rules = HeaderRules(scope: .everything, forward: ["*"])
        #expect(names(rules.forwardedFields(of: [.connection: "X-Foo", name("x-foo"): "1", name("y"): "2"])) == ["y"])
    }

    @Test(arguments: [
        ("image/avif,image/webp,*/*;q=0.8", "image/avif, image/webp"),
        ("image/webp, image/avif", "image/avif, image/webp"),
        ("image/png;q=0.5, IMAGE/WEBP", "image/webp, image/png"),
        ("image/avif;q=0, image/png", "image/png"), ("image/avif;q=0.000", "*/*"), ("image/avif;q=0.001", "image/avif"),
        ("text/html,image/*;q=0.8", "image/*"), ("*/*", "*/*"), ("", "*/*"), ("image/x-unheard-of", "*/*"),
        ("garbage, image/gif", "image/gif"),
    ])
    func `Accept is reduced to the image types it names, in a fixed order`(value: String, expected: String) {
        let result = HeaderRules(scope: .images).forwardedFields(of: [.accept: value])
        #expect(text(result.first(.accept)) == expected)
        #expect(result.all(.accept).count == 1)
    }

    @Test func `no Accept is the same as one that takes everything`() {
        let rules = HeaderRules(scope: .images)
        #expect(rules.forwardedFields(of: [:]) == rules.forwardedFields(of: [.accept: "*/*"]))
        #expect(HeaderRules(scope: .everything).forwardedFields(of: [:]).isEmpty)
        #expect(HeaderRules(scope: .images, forward: []).forwardedFields(of: [.accept: "image/png"]).isEmpty)
    }
}
