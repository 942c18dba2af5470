import Origin
import Testing

@Suite struct `URLs that are refused` {
    @Test(arguments: [
        // no scheme that is fetched, or none written out
        ("http:%5C%5Cfoobar", "unsupported-scheme"), ("//o.test/a.png", "unsupported-scheme"),
        ("/a.png", "unsupported-scheme"), ("file:///etc/passwd", "unsupported-scheme"),
        ("ftp://o.test/a.png", "unsupported-scheme"), ("data:image/png;base64,AAAA", "unsupported-scheme"),
        ("javascript:alert(1)", "unsupported-scheme"), ("http:/o.test/", "unsupported-scheme"),
        ("http:o.test", "unsupported-scheme"), (" http://o.test/", "unsupported-scheme"), ("%20", "unsupported-scheme"),
        ("http", "unsupported-scheme"), ("o.test/a.png", "unsupported-scheme"), ("ttp://o.test", "unsupported-scheme"),
        ("http%253A%252F%252Fo.test%252F", "unsupported-scheme"), ("gopher://o.test/_x", "unsupported-scheme"),
        // no host
        ("", "empty"), ("http://", "missing-host"), ("http:///a.png", "missing-host"),
        ("http:////o.test/a", "missing-host"), ("https://?x", "missing-host"), ("http://#", "missing-host"),
        ("http://:80/", "missing-host"),
        // ports
        ("http://o.test:99999/a.png", "bad-port"), ("http://o.test:0/", "bad-port"),
        ("http://o.test:65536/", "bad-port"),
        ("http://o.test:-1/", "bad-port"), ("http://o.test:+80/", "bad-port"), ("http://o.test:8o/", "bad-port"),
        ("http://o.test:80:80/", "bad-port"), ("http://[::1]x/", "bad-port"),
        // user-info
        ("http://user:pass@o.test/a.png", "user-info"), ("http://user@o.test/", "user-info"),
        ("http://@o.test/", "user-info"), ("http://o.test%5C@evil.test/", "user-info"),
        ("http://a:b@c:d@o.test/", "user-info"), ("http://%40o.test/", "user-info"),
        // control bytes
        ("http://o.test/a%0d%0aX-Injected:%201", "control-byte"), ("http://o.test/a%00", "control-byte"),
        ("http://o.test/a%7f", "control-byte"), ("http://o.test/a%09", "control-byte"),
        ("http://o.test%00.evil.test/", "control-byte"), ("http://o.test/a\nb", "control-byte"),
        ("http://o.test/#a%1f", "control-byte"),
        // hosts
        ("http://a..b/", "bad-host"), ("http://.a/", "bad-host"), ("http://a../", "bad-host"),
        ("http://./", "bad-host"),
        ("http://。/", "bad-host"), ("http://a%252500b/", "bad-host"), ("http://a%2500b/", "bad-host"),
        ("http://a%20b/", "bad-host"), ("http://a'b/", "bad-host"), ("http://a~b/", "bad-host"),
        ("http://a%2540b/", "bad-host"), ("http://a%252Fb/", "bad-host"), ("http://a%255Cb/", "bad-host"),
        ("http://o.test%5Cevil.test/", "bad-host"), ("http://a%/", "bad-host"), ("http://a%252525b/", "bad-host"),
        ("http://a%C2%ADb%EF%BC%8Fc/", "bad-host"), ("http://\u{AD}.test/", "bad-host"),
        ("http://%EF%BC%85%EF%BC%93%EF%BC%91/", "bad-host"), ("http://%FF.test/", "bad-host"),
        ("http://a|b/", "bad-host"), ("http://[v1.a]/", "bad-host"), ("http://[::1/", "bad-host"),
        ("http://[]/", "bad-host"), ("http://[:::1]/", "bad-host"), ("http://[1::2::3]/", "bad-host"),
        ("http://[127.0.0.1]/", "bad-host"), ("http://256.0.0.1/", "bad-host"), ("http://1.2.3.4.5/", "bad-host"),
        ("http://4294967296/", "bad-host"), ("http://1.16777216/", "bad-host"), ("http://08.0.0.1/", "bad-host"),
        ("http://0x/", "bad-host"), ("http://a.1/", "bad-host"), ("http://a.0x1f/", "bad-host"),
        ("http://1..2/", "bad-host"),
        ("http://xn--%25.test/", "bad-host"),
        // zones
        ("http://[fe80::1%25eth0]/", "zone-id"), ("http://[fe80::1%2525eth0]/", "zone-id"),
        ("http://[::1%251]/", "zone-id"),
    ])
    func `each says which rule it breaks`(_ value: String, _ label: String) {
        #expect(canonical(value) == label)
    }

    @Test func `long names are refused`() {
        let label = String(repeating: "a", count: 63)
        #expect(canonical("http://\(label).test/") == "http://\(label).test/")
        #expect(canonical("http://\(label)a.test/") == "bad-host")
        let name = Array(repeating: label, count: 4).joined(separator: ".")
        #expect(canonical("http://\(name)/") == "bad-host")
    }

    @Test func `the limit counts the URL as given and as it will be sent`() throws {
        let url = "http://o.test/" + String(repeating: "a", count: 86)
        #expect(try target(url, maxLength: 100).bytes.count == 100)
        #expect(throws: TargetURLError.tooLong) { try target(url + "a", maxLength: 100) }
        #expect(throws: TargetURLError.tooLong) { try target(url.dropLast() + "%20", maxLength: 100) }
        #expect(throws: TargetURLError.tooLong) { try target(String(repeating: "%41", count: 200), maxLength: 100) }
        #expect(try target(encodedOnce(url), maxLength: 100).bytes.count == 100)
    }

    @Test func `a long URL works`() throws {
        #expect(try target("http://o.test/" + String(repeating: "x", count: 2000)).bytes.count == 2014)
        #expect(throws: TargetURLError.tooLong) { try target("http://o.test/" + String(repeating: "x", count: 20000)) }
    }

    @Test func `every byte in every place ends in a URL or an error`() {
        for byte in UInt8.min...UInt8.max {
            for (before, after) in [
                ("http://a", "b/"), ("http://o.test/", ""), ("http://o.test/?", ""), ("http://", "/"),
            ] {
                guard let url = try? target(Array(before.utf8) + [byte] + Array(after.utf8)) else { continue }
                #expect(url.bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "byte \(byte)")
                #expect((try? TargetURL.parse(decoded: url.bytes.span, maxLength: 8192)) == url, "byte \(byte)")
            }
        }
    }
}
