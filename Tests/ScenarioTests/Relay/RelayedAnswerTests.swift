import ServiceHarness
import Settings
import TestSupport
import Testing

/// What a plain caching proxy (`contentTypes: ["*/*"]`) passes on when the origin fails, asks for names, or sends no image.
@Suite(.blocking) struct `A relayed answer` {
    private func service(_ change: (inout Configuration) throws -> Void = { _ in }) throws -> TestService {
        try TestService {
            $0.contentTypes = [try #require(MediaRange("*/*"))]
            $0.followRedirects = false
            $0.forwardHeaders = ["*"]
            $0.freshness.defaultTTL = .zero
            try change(&$0)
        }
    }

    /// RFC 9111 §4.3.3, RFC 5861 §4.
    @Test func `that is a 5xx gives way to what is stale, or is passed on`() throws {
        let origin = try ScriptedOrigin()
        let failure = OriginReply.status(503, body: Array("busy".utf8))
        for (target, directives) in [("/a", "max-age=0"), ("/b", "max-age=0, must-revalidate")] {
            let page = OriginReply.status(
                200, body: Array("page".utf8), headers: ["Cache-Control": directives, "ETag": "\"v\""])
            origin.on(target, inTurn: [page, failure, failure, page])
        }
        let service = try service { $0.forgetFailures(after: .zero) }
        for target in ["/a", "/b"] { _ = try service.get(target, of: origin) }
        let lenient = try service.get("/a", of: origin)
        #expect(lenient.text == "page" && lenient.cacheStatus.contains("stale-if-error"), "\(lenient)")
        for _ in 0..<2 {
            let strict = try service.get("/b", of: origin)
            #expect(strict.status == 503 && strict.text == "busy", "\(strict)")
        }
        // The failure has not taken away what is stored: it is validated still.
        _ = try service.get("/b", of: origin)
        #expect(origin.requests("/b").last?.fields.first("if-none-match") == "\"v\"")
    }

    /// RFC 9111 §5.2.2.2.
    @Test(arguments: ["max-age=0, must-revalidate", "no-cache", "s-maxage=0", "max-age=0, proxy-revalidate"])
    func `is a 504 when the origin hangs up and stale is forbidden`(directives: String) throws {
        let origin = try ScriptedOrigin()
        let page = OriginReply.status(200, body: [1], headers: ["Cache-Control": directives, "ETag": "\"v\""])
        origin.on("/a", inTurn: [page, .raw("")])
        let service = try service()
        _ = try service.get("/a", of: origin)
        for _ in 0..<2 {
            let answer = try service.get("/a", of: origin)
            #expect(answer.status == 504 && answer.problem == "origin-unreachable", "\(answer)")
        }
    }

    /// RFC 9111 §3.5, by the request that came, although the field is not passed on.
    @Test func `to an authorized request is not kept unless it may be`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try service()
        for number in 0..<2 {
            let answer = try service.get("/a", of: origin, ["Authorization": "Basic x"])
            #expect(answer.status == 200 && !answer.isHit && origin.hits == number + 1, "\(answer)")
        }
    }

    /// RFC 9110 §15.3.5, §6.4.1.
    @Test func `without content is framed rightly`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a", .status(204, headers: ["Cache-Control": "max-age=60"]))
        let service = try service()
        let client = try service.connect()
        for _ in 0..<3 {
            let answer = try client.exchange("GET", "/image?url=\(origin.url("/a"))")
            #expect(answer.status == 204 && answer["content-length"] == nil, "\(answer.fields)")
        }
    }

    @Test func `that is no image cannot run scripts`() throws {
        let origin = try ScriptedOrigin()
        let page: KeyValuePairs = ["Content-Type": "text/html", "Cache-Control": "max-age=60", "Link": "</x>"]
        origin.on("/a", .status(200, body: Array("<script>".utf8), headers: page))
        let service = try service()
        for _ in 0..<2 {
            let answer = try service.get("/a", of: origin)
            #expect(answer["content-security-policy"] == "sandbox" && answer["link"] == nil, "\(answer.fields)")
        }
    }
}
