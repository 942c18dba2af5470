import Testing

@testable import Settings

struct ValueTests {
    @Test(arguments: [
        ("0", 0), ("1", 1), ("200MB", 200_000_000), ("200MiB", 200 << 20), ("1KB", 1000), ("1kB", 1000), ("2KiB", 2048),
        ("3GB", 3_000_000_000), ("3GiB", 3 << 30), ("1TB", 1_000_000_000_000), ("7B", 7), ("", nil), ("MB", nil),
        ("-1MB", nil), ("+1MB", nil), ("1.5MB", nil), ("200 MB", nil), ("200mb", nil), ("1e3", nil), ("٣MB", nil),
        ("9223372036854775807", .max), ("9223372036854775808", nil), ("9223372036854775807KB", nil),
    ])
    func `a size is a whole number with a unit`(text: String, bytes: Int?) {
        #expect(ByteSize.parse(text) == bytes)
    }

    @Test(arguments: [
        (0, "0"), (1, "1"), (999, "999"), (1000, "1KB"), (2_000_000, "2MB"), (1024, "1KiB"), (200 << 20, "200MiB"),
        (1_000_001, "1000001"),
    ])
    func `a size is written in the largest unit that divides it`(bytes: Int, text: String) {
        #expect(ByteSize.text(bytes) == text)
        #expect(ByteSize.parse(text) == bytes)
    }

    @Test(arguments: [
        ("0s", Duration.zero), ("500ms", .milliseconds(500)), ("30s", .seconds(30)), ("5m", .seconds(300)),
        ("1h", .seconds(3600)), ("7d", .seconds(604_800)), ("", nil), ("s", nil), ("5", nil), ("-5s", nil),
        ("1.5h", nil), ("5 s", nil), ("5S", nil), ("1w", nil), ("99999999999999999d", nil),
    ])
    func `a duration is a whole number with a unit`(text: String, duration: Duration?) {
        #expect(TimeSpan.parse(text) == duration)
    }

    @Test(arguments: ["0s", "1ms", "1500ms", "30s", "60s", "2m", "90s", "1h", "25h", "1d", "365d"])
    func `a duration is written as people say it`(text: String) throws {
        let duration = try #require(TimeSpan.parse(text))
        #expect(TimeSpan.text(duration) == text)
    }

    /// RFC 4291 section 2.2 and RFC 5952 section 4.
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("::", "::"),
        ("::1", "::1"), ("1::", "1::"), ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
        ("::ffff:10.0.0.1", "::ffff:a00:1"), ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("fe80::0:1", "fe80::1"),
    ])
    func `an IP address is read in each of its forms`(text: String, canonical: String) {
        #expect(IPLiteral(text)?.description == canonical)
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.04", "0x7f.0.0.1", "1.2.3.", "1.2.3.4 ", ":",
        ":::",
        "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "12345::", "g::", "fe80::1%eth0", "[::1]",
        "::1.2.3", "1.2.3.4::", "-1::", "1:2:3:4:5:6:7:1.2.3.4", "localhost", "+1.2.3.4",
    ])
    func `text that is no IP address is refused`(text: String) {
        #expect(IPLiteral(text) == nil)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.0.0.0/8"), ("10.1.2.3", "10.1.2.3/32"), ("fd00::/8", "fd00::/8"), ("::1", "::1/128"),
        ("0.0.0.0/0", "0.0.0.0/0"), ("10.128.0.0/9", "10.128.0.0/9"), ("10.1.2.3/8", nil), ("10.64.0.0/9", nil),
        ("10.0.0.0/33", nil), ("10.0.0.0/", nil), ("10.0.0.0/8/8", nil), ("/8", nil), ("10.0.0.0/-1", nil),
        ("host/8", nil),
    ])
    func `a network has no bits behind its prefix`(text: String, canonical: String?) {
        #expect(AddressRange(text)?.description == canonical)
    }

    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1:8080", false), ("localhost:80", "127.0.0.1:80", false),
        ("127.9.9.9:0", "127.9.9.9:0", false), ("[::1]:8080", "[::1]:8080", false),
        ("[::ffff:127.0.0.1]:1", "[::ffff:7f00:1]:1", false), ("0.0.0.0:8080", "0.0.0.0:8080", true),
        ("[::]:65535", "[::]:65535", true), ("10.0.0.1:1", "10.0.0.1:1", true),
        ("unix:/run/imagestore.sock", "unix:/run/imagestore.sock", false),
    ])
    func `a listen address is TCP or a Unix socket`(text: String, canonical: String, isOpen: Bool) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.description == canonical)
        #expect(address.isBeyondLoopback == isOpen)
    }

    @Test(arguments: [
        "", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:http", "::1:8080",
        "[127.0.0.1]:80", "[::1]", "example.com:80", "unix:", "unix:relative", "*:80",
        "unix:/" + String(repeating: "x", count: 107),
    ])
    func `text that is no listen address is refused`(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test(arguments: [
        ("example.com", "example.com", true), ("example.com", "www.example.com", false),
        ("*.example.com", "www.example.com", true), ("*.example.com", "a.b.example.com", true),
        ("*.example.com", "example.com", false), ("*.example.com", "badexample.com", false),
        ("*.example.com", ".example.com", false), ("EXAMPLE.com.", "example.com", true), ("[::1]", "::1", true),
        ("0:0::1", "::1", true), ("10.0.0.1", "10.0.0.1", true),
    ])
    func `a host pattern matches on a label boundary`(pattern: String, host: String, isMatch: Bool) throws {
        #expect(try #require(HostPattern(pattern)).matches(host) == isMatch)
    }

    @Test(arguments: [
        "", "*", "*.", ".", "a..b", "*.*.com", "a.*.com", "http://a", "a:80", "a/b", "a b", "bücher.de", "*.10.0.0.1",
        String(repeating: "x", count: 64),
    ])
    func `text that is no host pattern is refused`(text: String) {
        #expect(HostPattern(text) == nil)
    }

    @Test(arguments: [
        ("image/*", "image", "png", true), ("image/png", "image", "png", true), ("image/png", "image", "gif", false),
        ("*/*", "text", "html", true), ("Image/SVG+xml", "image", "svg+xml", true), ("image/*", "text", "html", false),
    ])
    func `a media range holds its types`(range: String, type: String, subtype: String, isIn: Bool) throws {
        #expect(try #require(MediaRange(range)).contains(type: type, subtype: subtype) == isIn)
    }

    @Test(arguments: ["", "image", "image/", "/png", "*/png", "image/png/x", "image/p ng", "image/*;q=1"])
    func `text that is no media range is refused`(text: String) {
        #expect(MediaRange(text) == nil)
    }

    @Test func `the disk cache follows root, XDG and home, in this order`() {
        let environment = ["XDG_CACHE_HOME": "/x", "HOME": "/h"]
        #expect(DefaultPaths.diskCache(isRoot: true, environment: environment) == "/var/cache/imagestore")
        #expect(DefaultPaths.diskCache(isRoot: false, environment: environment) == "/x/imagestore")
        #expect(DefaultPaths.diskCache(isRoot: false, environment: ["HOME": "/h"]) == "/h/.cache/imagestore")
        #expect(
            DefaultPaths.diskCache(isRoot: false, environment: ["XDG_CACHE_HOME": "rel", "HOME": "/h"])
                == "/h/.cache/imagestore")
    }

    @Test(arguments: [
        ("maxdownloadsize", "maxDownloadSize"), ("defaultTTL", "freshness.defaultTTL"), ("chekc", nil),
        ("lisen", "listen"), ("cacheSize", nil), ("xyzzy", nil), ("mxaRedirects", "maxRedirects"),
    ])
    func `the nearest key is one within a few edits`(name: String, nearest: String?) {
        let names = ["listen", "maxDownloadSize", "freshness.defaultTTL", "cacheLimit", "maxRedirects"]
        #expect(Nearest.name(to: name, among: names) == nearest)
    }
}
