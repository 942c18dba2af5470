import ServiceHarness
import Settings
import TestSupport
import Testing

/// The `url` parameter: decoded once, then sent byte for byte.
@Suite(.blocking) struct `The url parameter` {
    /// What stands after `/image?url=`, with `{O}` for the origin's address, and the target the origin has to see.
    @Test(arguments: [
        // C02: a plus is a plus.
        ("http%3A%2F%2F{O}%2Fa%2Bb.png", "/a+b.png"), ("http://{O}/a+b.png", "/a+b.png"),
        // C03: decoded exactly once.
        ("http%3A%2F%2F{O}%2F100%2525_x.png", "/100%25_x.png"),
        // C04: and nothing normalised further.
        (
            "http://{O}/esc/%252D%252E%255F%257E%2521%2524%2527%2528%2529%252A%252B%252C%253B%253D%253A%252F%253F%2523%2540%2525",
            "/esc/%2D%2E%5F%7E%21%24%27%28%29%2A%2B%2C%3B%3D%3A%2F%3F%23%40%25"
        ),
        // C06: what may not stand in a URL is encoded.
        ("http://{O}/s/%22%3C%3E%5C%5E%60%7B%7C%7D", "/s/%22%3C%3E%5C%5E%60%7B%7C%7D"),
        // C08: never twice.
        ("http%3A%2F%2F{O}%2F23925-header%2520dead%2520sushi.png", "/23925-header%20dead%20sushi.png"),
        ("http%3A%2F%2F{O}%2F%25EC%2598%25A4.png", "/%EC%98%A4.png"), ("http://{O}/a%20b.png", "/a%20b.png"),
        // C09: an encoded URL inside the query stays one.
        (
            "http%3A%2F%2F{O}%2Favatar%2F1%3Fs%3D480%26r%3Dpg%26d%3Dhttps%253A%252F%252Fcdn.test%252Fkr.png",
            "/avatar/1?s=480&r=pg&d=https%3A%2F%2Fcdn.test%2Fkr.png"
        ),
        // C19: the fragment stays here, an encoded `#` does not.
        ("http%3A%2F%2F{O}%2Fa.png%23frag", "/a.png"), ("http%3A%2F%2F{O}%2Fa%2523b.png", "/a%23b.png"),
        // C26: raw UTF-8, and a lone Latin-1 byte.
        ("http://{O}/\u{6E2C}\u{8A66}.png", "/%E6%B8%AC%E8%A9%A6.png"), ("http://{O}/%DF.png", "/%DF.png"),
        // Path and query byte for byte: lower-case hex, double slashes, an empty query.
        ("http%3A%2F%2F{O}%2Fx%252f%2Fy%2F%2Fz.png%3F", "/x%2f/y//z.png?"),
    ])
    func `reaches the origin byte for byte`(value: String, target: String) throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()

        let answer = try service.ask("/image?url=" + value.replacing("{O}", with: origin.endpoint.description))

        #expect(answer.status == 200, "\(answer)")
        #expect(origin.targets == [target])
    }

    /// C01.
    @Test func `may hold a query, encoded or typed by hand`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()

        let encoded = try service.get("/a.fcgi?F=1&W=2", of: origin)
        let typed = try service.ask("/image?url=\(origin.url("/a.fcgi?F=1&W=2"))")
        let torn = try service.ask("/image?url=\(origin.url("/a.fcgi&W=2"))")

        #expect(encoded.status == 200 && typed.isImage(encoded.body))
        #expect(origin.targets == ["/a.fcgi?F=1&W=2"])
        #expect(torn.status == 400 && torn.problem == "bad-parameter" && torn.text.contains("W"), "\(torn)")
    }

    /// C02, C10, C18, C26, C52: one entry for spellings of one URL, two for two URLs.
    @Test(arguments: [
        ("http://{O}/a+b.png", "http%3A%2F%2F{O}%2Fa%2Bb.png", 1),
        ("HTTP://ORIGIN.TEST:{P}/A.png", "http://origin.test:{P}/A.png", 1),
        ("http://origin.test.:{P}/A.png", "http://origin.test:{P}/A.png", 1),
        ("http://{O}", "http://{O}/", 1),
        ("http://{O}/a.png%23frag", "http://{O}/a.png", 1),
        ("http://{O}/\u{6E2C}.png", "http%3A%2F%2F{O}%2F%25E6%25B8%25AC.png", 1),
        ("http://{O}/x/../a.png", "http://{O}/a.png", 1),
        ("http://{O}/A.png", "http://{O}/a.png", 2),
        ("http://{O}/a.jpg?v=1", "http://{O}/a.jpg?v=2", 2),
        ("http://{O}/o/events%252F159.png", "http://{O}/o/events/159.png", 2),
    ])
    func `makes one entry of what is one URL`(first: String, second: String, entries: Int) throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService { try $0.resolve("origin.test") }
        func ask(_ value: String) throws -> Answer {
            let value = value.replacing("{O}", with: origin.endpoint.description)
            return try service.ask("/image?url=" + value.replacing("{P}", with: "\(origin.port)"))
        }

        let answers = try [ask(first), ask(second)]

        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers)")
        #expect(origin.hits == entries)
    }

    /// C12, C13, C14, C21, C24.
    @Test(arguments: [
        ("?url=http:%5C%5Cfoobar", "bad-url"), ("?url=//{O}/a.png", "bad-url"), ("?url=/a.png", "bad-url"),
        ("?url=file:///etc/passwd", "bad-url"), ("?url=ftp://{O}/a.png", "bad-url"),
        ("?url=data:image/png;base64,AAAA", "bad-url"), ("?url=javascript:alert(1)", "bad-url"),
        ("?url=%20", "bad-url"), ("?url=http://", "bad-url"), ("?url=http:///a.png", "bad-url"),
        ("?url=http://127.0.0.1:99999/a.png", "bad-url"), ("?url=http://127.0.0.1:0/a.png", "bad-url"),
        ("?url=http://user:pass@{O}/a.png", "bad-url"), ("?url=http://{O}/a%0d%0aX-Injected:%201", "bad-url"),
        ("?url=http://{O}/%00.png", "bad-url"), ("?url=http://{O}/%7f.png", "bad-url"),
        ("?url=http://a..b/a.png", "bad-url"), ("?url=http://[fe80::1%2525eth0]/a.png", "bad-url"),
        ("", "bad-parameter"), ("?", "bad-parameter"), ("?url=", "bad-parameter"), ("?url", "bad-parameter"),
        ("?colour=red&url=http://{O}/a.png", "bad-parameter"),
        ("?priority=urgent&url=http://{O}/a.png", "bad-parameter"),
        ("?url=http://{O}/1.png&url=http://{O}/2.png", "bad-parameter"),  // C16
    ])
    func `is refused when malformed, and nobody is asked`(query: String, problem: String) throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()

        let answer = try service.ask("/image" + query.replacing("{O}", with: origin.endpoint.description))

        #expect(answer.status == 400 && answer.problem == problem, "\(answer)")
        #expect(!answer.text.contains("pass@"))
        #expect(origin.connections == 0)
    }

    /// C16: the name of the parameter is decoded too.
    @Test func `may have its name percent-encoded`() throws {
        let origin = try ScriptedOrigin.pictures()
        let answer = try TestService().ask("/image?%75rl=\(origin.url("/a.png"))")
        #expect(answer.status == 200 && origin.hits("/a.png") == 1)
    }

    /// C15.
    @Test func `may be long, but not longer than the limit`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService { $0.maxHeaderSize = 32768 }
        let long = "/" + String(repeating: "x", count: 4000)

        let answer = try service.get(long, of: origin)
        let tooLong = try service.get("/" + String(repeating: "y", count: 20_000), of: origin)
        #expect(try service.waitForDiskObjects(1))
        try service.restart()
        let again = try service.get(long, of: origin)

        #expect(answer.status == 200 && again.isImage(answer.body) && origin.hits == 1)
        #expect(again.cacheStatus.contains("detail=disk"), "\(again)")
        #expect(tooLong.status == 414 && tooLong.problem == "url-too-long", "\(tooLong)")
    }

    /// C17.
    @Test func `may name a host in any script`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService { try $0.resolve("xn--g6h.test") }

        let spelled = try service.ask("/image?url=http://\u{2665}.test:\(origin.port)/a.png")
        let encoded = try service.ask("/image?url=http://xn--g6h.test:\(origin.port)/a.png")

        #expect(spelled.status == 200 && encoded.isImage(spelled.body), "\(spelled)")
        #expect(origin.requests.map(\.host) == ["xn--g6h.test:\(origin.port)"])
    }
}
