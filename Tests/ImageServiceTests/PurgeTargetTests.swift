import ObjectStore
import Origin
import Testing

@testable import ImageService

@Suite struct PurgeTargetTests {
    private func prefix(_ text: String) throws -> PurgeTarget {
        try .prefix(decoded: Array(text.utf8).span, limit: 8192)
    }

    private func matched(_ target: PurgeTarget, _ keys: [String]) -> [String] {
        keys.filter { target.matches(Array($0.utf8)) }
    }

    @Test func `a prefix with a slash at its end takes what lies below, and not what stands beside`() throws {
        let keys = ["/a/", "/a/x", "/a", "/a?x", "/ab/"].map { "http://o.test" + $0 }
        #expect(matched(try prefix("http://o.test/a/"), keys) == Array(keys[..<2]))
    }

    @Test(arguments: ["http://o.test/a", "HTTP://O.Test:80/x/../a#f"])
    func `a prefix respects the path boundary`(text: String) throws {
        let inside = [
            "http://o.test/a", "http://o.test/a/", "http://o.test/a/x", "http://o.test/a?x", "http://o.test/a/b/c?d",
        ]
        let outside = [
            "http://o.test/ab/", "http://o.test/A", "http://o.test/", "http://o.test/b/a", "https://o.test/a",
            "http://o.test:81/a", "http://o.test.x/a", "http://x.o.test/a",
        ]
        #expect(matched(try prefix(text), inside + outside) == inside)
    }

    @Test func `a prefix without a path takes the origin, and no other port`() throws {
        let keys = ["http://o.test/", "http://o.test/x", "http://o.test/?q", "http://o.test:8080/", "http://o.test.x/"]
        #expect(matched(try prefix("http://o.test"), keys) == Array(keys[..<3]))
    }

    @Test func `a prefix with a query ends at an ampersand`() throws {
        let keys = ["http://o.test/a?b", "http://o.test/a?b&c", "http://o.test/a?bc", "http://o.test/a?b/c"]
        #expect(matched(try prefix("http://o.test/a?b"), keys) == Array(keys[..<2]))
    }

    @Test(
        arguments: [
            (
                "O.Test",
                ["http://o.test/", "https://o.test/x", "http://o.test:81/"],
                ["http://a.o.test/", "http://xo.test/", "http://x/o.test/", "http://x/?http://o.test/"]
            ),
            ("*.o.test", ["http://a.o.test/", "https://b.a.o.test:9/"], ["http://o.test/", "http://xo.test/"]),
            ("127.0.0.1", ["http://127.0.0.1:9000/a"], ["http://127.0.0.11/"]),
            ("[::1]", ["http://[::1]:9000/a", "http://[::1]/"], ["http://[::11]/"]),
        ])
    func `a host is taken with every port and both schemes`(host: String, inside: [String], outside: [String]) throws {
        #expect(matched(try .host(host), inside + outside) == inside)
    }

    @Test(arguments: ["", "http://o.test", "o.test:80", "o.test/", "*", "a b"])
    func `what is no host is refused`(host: String) {
        #expect(throws: Failure.self) { try PurgeTarget.host(host) }
    }

    @Test func `the variants of a URL go with it`() throws {
        let url = "http://o.test/a"
        let keys = [url, url + "\nvariant", url + "\nhttp://o.test/b"]
        let others = ["http://o.test/b", "http://o.test/b\n" + url, url + "/"]
        #expect(matched(.url(CacheKey(Array(url.utf8), seed: 1)), keys + others) == keys)
        #expect(matched(try prefix(url), keys) == keys)
        #expect(matched(try .host("o.test"), keys) == keys)
        #expect(matched(.all, keys + others) == keys + others)
    }

    @Test func `a URL that cannot be fetched is none`() {
        #expect(throws: Failure.badURL(.unsupportedScheme)) { try prefix("ftp://o.test/") }
        #expect(throws: Failure.urlTooLong(limit: 20)) {
            try PurgeTarget.url(decoded: Array("http://o.test/long/path".utf8).span, limit: 20, seed: 1)
        }
    }
}
