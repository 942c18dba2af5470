import HTTPMessages
import Testing

@testable import Origin

struct RedirectChainTests {
    private func url(_ text: String) throws -> TargetURL {
        try TargetURL.parse(decoded: Array(text.utf8).span, maxLength: 8192)
    }

    private func step(
        from start: String, _ code: Int, _ locations: [String], _ change: (inout OriginSettings) -> Void = { _ in }
    ) throws -> RedirectChain.Step {
        var settings = OriginSettings()
        change(&settings)
        var fields = Fields()
        for location in locations { fields.append(.location, location) }
        var chain = RedirectChain(start: try url(start))
        return chain.judge(status: try #require(Status(code: code)), fields: fields, settings: settings)
    }

    @Test(arguments: [200, 300, 304, 305, 306, 399, 404])
    func `RFC 9110 15_4 other statuses are final`(code: Int) throws {
        #expect(try step(from: "http://a.test/", code, ["/b"]) == .final)
    }

    @Test func `https does not lead to http unless allowed`() throws {
        #expect(try step(from: "https://a.test/", 301, ["http://a.test/b"]) == .fail(.downgradeRefused))
        let allowed = try step(from: "https://a.test/", 301, ["http://a.test/b"]) { $0.allowDowngrade = true }
        #expect(allowed == .follow(try url("http://a.test/b")))
        #expect(try step(from: "http://a.test/", 301, ["https://a.test/"]) == .follow(try url("https://a.test/")))
    }

    @Test func `one location is needed and repeating it does no harm`() throws {
        #expect(try step(from: "http://a.test/", 302, ["/b", "/b"]) == .follow(try url("http://a.test/b")))
        #expect(try step(from: "http://a.test/", 302, ["/b", "/c"]) == .fail(.badLocation))
        #expect(try step(from: "http://a.test/", 302, []) == .fail(.badLocation))
    }

    @Test func `a limit of zero follows nothing`() throws {
        #expect(try step(from: "http://a.test/", 302, ["/b"]) { $0.maxRedirects = 0 } == .fail(.tooManyRedirects))
    }

    @Test func `another spelling of the same URL is a loop`() throws {
        #expect(try step(from: "http://a.test/", 302, ["HTTP://A.test:80/#x"]) == .fail(.redirectLoop))
    }
}
