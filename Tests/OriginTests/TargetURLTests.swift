import Glibc
import Origin
import Testing

/// Makes libcurl convert names outside ASCII, as the executable does at its start.
let utf8Locale: Bool = unsafe setlocale(LC_CTYPE, "C.UTF-8") != nil

/// Parses the value of a `url` parameter as it stands on the wire.
func target(_ value: String, maxLength: Int = 8192) throws(TargetURLError) -> TargetURL {
    try target(Array(value.utf8), maxLength: maxLength)
}

/// Parses the bytes of a `url` parameter.
func target(_ value: [UInt8], maxLength: Int = 8192) throws(TargetURLError) -> TargetURL {
    precondition(utf8Locale, "the locale C.UTF-8 is missing on this machine")
    return try TargetURL.parse(percentEncoded: value.span, maxLength: maxLength)
}

/// The canonical URL of a wire value, or the label of the error.
func canonical(_ value: String) -> String {
    do {
        return String(decoding: try target(value).bytes, as: UTF8.self)
    } catch {
        return error.label
    }
}

/// What the origin would see in its request line.
func requestTarget(_ value: String) throws -> String {
    String(decoding: try target(value).requestTarget, as: UTF8.self)
}

/// Percent-encodes a whole URL once, as a careful client does.
func encodedOnce(_ url: String) -> String {
    let kept = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
    let digits = Array("0123456789ABCDEF".utf8)
    let bytes = url.utf8.flatMap { byte -> [UInt8] in
        kept.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
}

@Suite struct `The URL of an image` {
    @Test(arguments: [
        // plus signs, percent signs, escapes: decoded exactly once, then left alone
        ("http%3A%2F%2Fo.test%2Fa%2Bb.png", "/a+b.png"),
        ("http://o.test/a+b.png", "/a+b.png"),
        (encodedOnce("http://o.test/100%25_x.png"), "/100%25_x.png"),
        ("http://o.test/100%_x.png", "/100%25_x.png"),
        ("http://o.test/100%25zz", "/100%25zz"),
        ("http://o.test/%", "/%25"),
        ("http://o.test/%2", "/%252"),
        (
            "http://o.test/esc/%252D%252E%255F%257E%2521%2524%2527%2528%2529%252A%252B%252C%253B%253D%253A%252F%253F"
                + "%2523%2540%2525",
            "/esc/%2D%2E%5F%7E%21%24%27%28%29%2A%2B%2C%3B%3D%3A%2F%3F%23%40%25"
        ),
        (encodedOnce("http://o.test/lower%2d%c3%9f"), "/lower%2d%c3%9f"),
        // what may not stand in a URL is encoded, upper case
        ("http://o.test/s/%22%3C%3E%5C%5E%60%7B%7C%7D", "/s/%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("http://o.test/a?x=%22%7B%7D%5C", "/a?x=%22%7B%7D%5C"),
        (encodedOnce("http://o.test/23925-header%20dead%20sushi.png"), "/23925-header%20dead%20sushi.png"),
        (encodedOnce("http://o.test/%EC%98%A4.png"), "/%EC%98%A4.png"),
        ("http://o.test/a%20b.png", "/a%20b.png"),
        ("http://o.test/a b.png", "/a%20b.png"),
        ("http://o.test/測試.png", "/%E6%B8%AC%E8%A9%A6.png"),
        ("http://o.test/?q=測", "/?q=%E6%B8%AC"),
        (encodedOnce("http://o.test/%E6%B8%AC%E8%A9%A6.png"), "/%E6%B8%AC%E8%A9%A6.png"),
        // signed and nested URLs survive
        (
            encodedOnce("http://o.test/avatar/1?s=480&r=pg&d=https%3A%2F%2Fcdn.test%2Fkr.png"),
            "/avatar/1?s=480&r=pg&d=https%3A%2F%2Fcdn.test%2Fkr.png"
        ),
        (
            encodedOnce("http://o.test/v0/b/p/o/events%2F159.png?alt=media&token=t"),
            "/v0/b/p/o/events%2F159.png?alt=media&token=t"
        ),
        (encodedOnce("http://o.test/a.fcgi?F=1&W=2"), "/a.fcgi?F=1&W=2"),
        ("http://o.test/a.fcgi?F=1&W=2", "/a.fcgi?F=1&W=2"),
        ("http://o.test//a///b.png", "//a///b.png"),
        ("http://o.test/a;b=1,2/(c)'!*$&[x]@:", "/a;b=1,2/(c)'!*$&[x]@:"),
        ("http://o.test/a?b=/../c/./d", "/a?b=/../c/./d"),
        // fragments go, encoded number signs stay
        (encodedOnce("http://o.test/a.png#frag"), "/a.png"),
        ("http://o.test/a.png#frag?x", "/a.png"),
        (encodedOnce("http://o.test/a%23b.png"), "/a%23b.png"),
        // empty path and query
        ("http://o.test", "/"),
        ("http://o.test?", "/?"),
        ("http://o.test/a?", "/a?"),
        ("http://o.test/a?#f", "/a?"),
        ("http://o.test/a??", "/a??"),
        ("http://o.test?x=1", "/?x=1"),
        ("http://o.test#f", "/"),
        // dot segments: literal ones are removed, encoded ones are bytes like others, as libcurl sees them
        ("http://o.test/a/./b/../c.png", "/a/c.png"),
        ("http://o.test/../../c.png", "/c.png"),
        ("http://o.test/a/..", "/"),
        ("http://o.test/a/.", "/a/"),
        ("http://o.test/..a/.b/...", "/..a/.b/..."),
        ("http://o.test/a//../b", "/a/b"),
        (encodedOnce("http://o.test/a/%2e%2e/b.png"), "/a/%2e%2e/b.png"),
        (encodedOnce("http://o.test/a/.%2E/%2e/b.png"), "/a/.%2E/%2e/b.png"),
        (encodedOnce("http://o.test/a/%2e%2e/../b.png"), "/a/b.png"),
    ])
    func `path and query reach the origin byte for byte`(_ value: String, _ expected: String) throws {
        #expect(try requestTarget(value) == expected)
    }

    @Test func `a lone Latin-1 byte stays the byte it is`() throws {
        let raw = Array("http://o.test/".utf8) + [0xDF]
        #expect(try target(raw).requestTarget == Array("/%DF".utf8))
        #expect(try requestTarget("http://o.test/%DF") == "/%DF")
    }

    @Test(arguments: [
        ("HTTP://ORIGIN.TEST:9000/A.png", "http://origin.test:9000/A.png"),
        ("hTTpS://o.test/", "https://o.test/"),
        ("http://o.test:80/A.png", "http://o.test/A.png"),
        ("https://o.test:443/", "https://o.test/"),
        ("https://o.test:80/", "https://o.test:80/"),
        ("http://o.test:00080/", "http://o.test/"),
        ("http://o.test:8080/", "http://o.test:8080/"),
        ("http://o.test:/a.png", "http://o.test/a.png"),
        ("http://o.test", "http://o.test/"),
        ("http://O.TEST./a.png", "http://o.test/a.png"),
        ("http://localhost./a.png", "http://localhost/a.png"),
        ("http://♥.localhost/a.png", "http://xn--g6h.localhost/a.png"),
        ("http://%E2%99%A5.LOCALHOST/a.png", "http://xn--g6h.localhost/a.png"),
        ("http://XN--G6H.localhost/a.png", "http://xn--g6h.localhost/a.png"),
        ("http://BÜCHER.test/", "http://xn--bcher-kva.test/"),
        ("http://bu\u{308}cher.test/", "http://xn--bcher-kva.test/"),
        ("http://ｅｘａｍｐｌｅ。test/", "http://example.test/"),
        ("http://o%252Etest/", "http://o.test/"),
        ("http://a_b-c.test/", "http://a_b-c.test/"),
    ])
    func `spellings of one origin are one URL`(_ value: String, _ expected: String) {
        #expect(canonical(value) == expected)
    }

    @Test func `paths that differ in case are two URLs`() throws {
        #expect(try target("http://o.test/A.png") != target("http://o.test/a.png"))
        #expect(try target("http://o.test/a%252Fb") != target("http://o.test/a/b"))
        #expect(try target("http://o.test/a") != target("http://o.test/a?"))
        #expect(try target("http://o.test/a") != target("https://o.test/a"))
    }

    @Test func `the parts are those of the canonical URL`() throws {
        let url = try target("HTTPS://O.Test.:8443/a/b?x#f")
        #expect(url.scheme == .https)
        #expect(url.port == 8443)
        #expect(url.hostName == "o.test")
        #expect(url.origin == Array("https://o.test:8443".utf8))
        #expect(url.requestTarget == Array("/a/b?x".utf8))
        #expect(!url.isIPLiteral)
        let literal = try target("http://[::2]:81/a")
        #expect(literal.hostName == "::2")
        #expect(literal.hostInBrackets == Array("[::2]".utf8))
        #expect(literal.address == IPAddress("::2"))
    }

    @Test func `a description never shows the query`() throws {
        #expect(try target("http://o.test/a?token=secret").description == "http://o.test/a?…")
        #expect(try target("http://o.test/a").description == "http://o.test/a")
    }

    @Test func `an encoded value is decoded once, stray percent signs kept`() {
        for (text, expected) in [
            ("%41", "A"), ("%2541", "%41"), ("%", "%"), ("%4", "%4"), ("%zz%41", "%zzA"), ("+", "+"),
        ] {
            #expect(TargetURL.percentDecodeOnce(Array(text.utf8).span) == Array(expected.utf8))
        }
    }

    @Test(arguments: [
        "http://o.test/a", "http://ｏ.test/%25/..//x?y", "http://127.1:8080/?", "http://[0:0::1]/a%2525b",
        "http://o/%zz",
        "http://a/;/../.?/..", "http://a/b/%252e/../c",
    ])
    func `a canonical URL is its own canonical form`(_ value: String) throws {
        let url = try target(value)
        #expect(try TargetURL.parse(decoded: url.bytes.span, maxLength: 8192) == url)
    }
}
