import Origin
import Testing

private func resolve(_ location: String, from base: String = "http://o.test/dir/a.png?q=1") -> String {
    do {
        let url = try target(base)
        return String(decoding: try url.resolving(location: Array(location.utf8).span).bytes, as: UTF8.self)
    } catch {
        return error.label
    }
}

/// Source: RFC 3986, section 5.2.2 and the examples of 5.4.
@Suite struct `The location of a redirect` {
    @Test(arguments: [
        ("/b.png", "http://o.test/b.png"), ("b.png", "http://o.test/dir/b.png"),
        ("../b.png", "http://o.test/b.png"), ("../../../b.png", "http://o.test/b.png"),
        ("./b.png", "http://o.test/dir/b.png"), (".", "http://o.test/dir/"), ("..", "http://o.test/"),
        ("//P.test/b.png", "http://p.test/b.png"), ("//p.test", "http://p.test/"),
        ("?x=1", "http://o.test/dir/a.png?x=1"), ("?", "http://o.test/dir/a.png?"),
        ("#f", "http://o.test/dir/a.png?q=1"), ("b.png#f", "http://o.test/dir/b.png"),
        ("https://p.test/c", "https://p.test/c"), ("HTTP://P.TEST:80", "http://p.test/"),
        ("b.png?u=http://x/../y", "http://o.test/dir/b.png?u=http://x/../y"),
        ("./a:b", "http://o.test/dir/a:b"), ("/a:b", "http://o.test/a:b"), ("1:b", "http://o.test/dir/1:b"),
        ("b%2Fc%2d.png", "http://o.test/dir/b%2Fc%2d.png"), ("b c.png", "http://o.test/dir/b%20c.png"),
        ("測.png", "http://o.test/dir/%E6%B8%AC.png"), ("100%", "http://o.test/dir/100%25"),
        ("/\\evil.test/", "http://o.test/%5Cevil.test/"), ("\\\\evil.test/", "http://o.test/dir/%5C%5Cevil.test/"),
        (";x", "http://o.test/dir/;x"), ("g;x=1/../y", "http://o.test/dir/y"),
        ("//127.1/", "http://127.0.0.1/"), ("///a", "missing-host"),
    ])
    func `is resolved against the URL that was asked`(_ location: String, _ expected: String) {
        #expect(resolve(location) == expected)
    }

    @Test(arguments: [
        ("", "empty"), ("http://user:pass@127.0.0.100/", "user-info"), ("//u@p.test/", "user-info"),
        ("ftp://p.test/", "unsupported-scheme"), ("javascript:alert(1)", "unsupported-scheme"),
        ("http:/b.png", "unsupported-scheme"), ("http:b.png", "unsupported-scheme"), ("a:b", "unsupported-scheme"),
        ("data:,x", "unsupported-scheme"), ("/b\r\nX: 1", "control-byte"), ("http://", "missing-host"),
        ("//", "missing-host"), ("//p.test:0/", "bad-port"), ("//[fe80::1%25lo]/", "zone-id"),
    ])
    func `is refused when the joined URL breaks a rule`(_ location: String, _ label: String) {
        #expect(resolve(location) == label)
    }

    @Test func `keeps the scheme, the port and the slashes of its base`() {
        #expect(resolve("b", from: "https://o.test:8443//x//y") == "https://o.test:8443//x//b")
        #expect(resolve("//p.test/", from: "https://o.test:8443/") == "https://p.test/")
        #expect(resolve("/b", from: "https://[::2]:8443/a") == "https://[::2]:8443/b")
        #expect(resolve("b?c", from: "http://o.test/a/d?x=/e/f") == "http://o.test/a/b?c")
    }

    @Test func `is decoded no further`() {
        #expect(resolve("/a%2541") == "http://o.test/a%2541")
    }

    @Test func `has a limit`() {
        #expect(resolve("/" + String(repeating: "a", count: 9000)) == "too-long")
    }
}
