import HTTPMessages
import Testing

@testable import ImageService

@Suite struct PurgeQueryTests {
    private func parse(_ query: String) throws(Failure) -> PurgeQuery { try PurgeQuery(Array(query.utf8).span) }

    @Test(
        arguments: [
            ("url=http%3A%2F%2Fo.test%2Fa%3Fb%26c", .url(Array("http://o.test/a?b&c".utf8)), false),
            ("url=http://o.test/a?b&soft=1", .url(Array("http://o.test/a?b".utf8)), true),
            ("soft=0&prefix=http://o.test/%2525", .prefix(Array("http://o.test/%25".utf8)), false),
            ("h%6Fst=o.test&", .host(Array("o.test".utf8)), false),
            ("&all=1&&soft=1", .all, true),
        ] as [(String, PurgeQuery.Name, Bool)])
    func `one thing is named, and decoded once`(query: String, name: PurgeQuery.Name, isSoft: Bool) throws {
        let parsed = try parse(query)
        #expect(parsed.name == name && parsed.isSoft == isSoft)
    }
}

@Suite struct CrossSiteTests {
    private func isRefused(_ fields: Fields, host: String = "localhost:8081") -> Bool {
        CrossSite.isRefused(fields, host: Array(host.utf8).span)
    }

    @Test func `a client that is no browser, and our own pages, are served`() {
        #expect(!isRefused([:]))
        #expect(!isRefused([.secFetchSite: "none"]))
        #expect(!isRefused([.secFetchSite: "same-origin", .origin: "http://localhost:8081"]))
        #expect(!isRefused([.origin: "http://LOCALHOST:8081"]))
    }

    @Test func `pages of others are not, whatever the browser tells`() {
        #expect(isRefused([.secFetchSite: "cross-site"]))
        #expect(isRefused([.secFetchSite: "same-site"]))
        #expect(isRefused([.secFetchSite: ""]))
        for origin in ["null", "", "http://localhost", "http://localhost:8081.evil.test", "file://", "localhost:8081"] {
            #expect(isRefused([.origin: origin]), "\(origin)")
        }
        #expect(isRefused([.secFetchSite: "same-origin", .origin: "https://evil.test"]))
    }
}
