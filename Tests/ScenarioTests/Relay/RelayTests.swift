import ServiceHarness
import Settings
import TestSupport
import Testing

/// `contentTypes: ["*/*"]`: a plain caching proxy, which relays every final status and keeps what RFC 9111 allows.
@Suite(.blocking) struct `A plain caching proxy` {
    private func service(_ change: (inout Configuration) throws -> Void = { _ in }) throws -> TestService {
        try TestService {
            $0.contentTypes = [try #require(MediaRange("*/*"))]
            $0.followRedirects = false
            $0.forwardHeaders = ["*"]
            $0.freshness.defaultTTL = .zero
            try change(&$0)
        }
    }

    /// RFC 9111 §3: any final status with explicit freshness; RFC 9110 §15.1: some without.
    @Test(arguments: [200, 203, 204, 299, 301, 302, 307, 308, 400, 403, 404, 405, 410, 414, 451, 500, 501, 503, 599])
    func `relays and stores every status with explicit freshness`(code: Int) throws {
        let origin = try ScriptedOrigin()
        let body = code == 204 ? [] : Array("text".utf8)
        origin.on("/a", .status(code, body: body, headers: ["Cache-Control": "max-age=60", "X-Own": "1"]))
        let service = try service()
        for number in 0..<2 {
            let answer = try service.get("/a", of: origin)
            #expect(answer.status == code && answer.body == body && answer["x-own"] == "1", "\(answer)")
            #expect(answer.isHit == (number == 1), "\(answer)")
        }
    }

    @Test(arguments: [(404, true), (410, true), (302, false), (503, false), (403, false)])
    func `guesses a lifetime only where a status allows it`(code: Int, isHit: Bool) throws {
        let origin = try ScriptedOrigin()
        let modified: KeyValuePairs = ["Last-Modified": "Mon, 06 Jan 2020 10:00:00 GMT"]
        origin.on("/a", .status(code, body: [1], headers: modified))
        let service = try service()
        _ = try service.get("/a", of: origin)
        #expect(try service.get("/a", of: origin).isHit == isHit)
    }

    /// RFC 9111 §4.3.3, RFC 5861 §4.
    @Test func `gives what is stale instead of a 5xx, or passes the 5xx on`() throws {
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
    func `says 504 when the origin hangs up and stale is forbidden`(directives: String) throws {
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
    @Test func `keeps no answer to an authorized request unless it may`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try service()
        for number in 0..<2 {
            let answer = try service.get("/a", of: origin, ["Authorization": "Basic x"])
            #expect(answer.status == 200 && !answer.isHit && origin.hits == number + 1, "\(answer)")
        }
    }

    /// RFC 9110 §15.3.5, §6.4.1.
    @Test func `frames answers without content rightly`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a", .status(204, headers: ["Cache-Control": "max-age=60"]))
        let service = try service()
        let client = try service.connect()
        for _ in 0..<3 {
            let answer = try client.exchange("GET", "/image?url=\(origin.url("/a"))")
            #expect(answer.status == 204 && answer["content-length"] == nil, "\(answer.fields)")
        }
    }

    @Test func `keeps what is no image from running scripts`() throws {
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
