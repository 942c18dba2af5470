import ServiceHarness
import TestSupport
import Testing

/// What every answer carries.
@Suite(.blocking) struct `An answer` {
    @Test func `comes from the origin first and from memory next`() throws {
        let origin = try ScriptedOrigin()
        let picture = OriginReply.image(
            .png, bytes: 1000, headers: ["Cache-Control": "max-age=60", "ETag": "\"v1\"", "X-Other": "1"])
        origin.on("/a.png", picture)
        let service = try TestService()

        let miss = try service.get("/a.png", of: origin)
        let hit = try service.get("/a.png", of: origin)

        #expect(miss.isImage(picture.body) && hit.isImage(picture.body))
        #expect(miss.cacheStatus.hasPrefix("imagestore; fwd=uri-miss"), "\(miss)")
        #expect(
            hit.cacheStatus.hasPrefix("imagestore; hit; ttl=") && hit.cacheStatus.hasSuffix("detail=memory"), "\(hit)")
        #expect(origin.hits == 1)
        for answer in [miss, hit] {
            #expect(answer["content-type"] == "image/png" && answer["etag"] == "\"v1\"")
            #expect(answer["cache-control"] == "max-age=60")
            #expect(answer["x-content-type-options"] == "nosniff" && answer["accept-ranges"] == "bytes")
            #expect(answer["content-length"] == "1000" && answer["date"] != nil && answer["via"] != nil)
            #expect(answer["x-other"] == nil)
        }
        #expect(hit.age.map { $0 >= 0 && $0 < 10 } == true)
        #expect(try service.metric("imagestore_requests_total", ["result": "memory_hit"]) == 1)
        #expect(try service.metric("imagestore_requests_total", ["result": "miss"]) == 1)
    }

    @Test func `that tells of a failure is a problem document`() throws {
        let service = try TestService()
        let answer = try service.ask("/image?url=nonsense")
        #expect(answer.status == 400 && answer["content-type"] == "application/problem+json")
        #expect(answer["cache-control"] == "no-store" && answer["x-content-type-options"] == "nosniff")
        #expect(answer["etag"] == nil && answer["last-modified"] == nil)
        for member in ["\"type\"", "\"title\"", "\"status\"", "\"detail\""] { #expect(answer.text.contains(member)) }
    }

    /// C133.
    @Test func `never shows a URL as markup`() throws {
        let answer = try TestService().ask("/image?url=gopher://x/%3Cscript%3Ealert(1)%3C/script%3E")
        #expect(answer.status == 400 && !answer.text.contains("<script>"), "\(answer)")
    }

    @Test(arguments: [404, 410, 451, 403, 429])
    func `repeats what the origin says about the image`(code: Int) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", .status(code, body: Pictures.bytes(.png), headers: ["Content-Type": "image/png"]))  // C128
        let answer = try TestService().get("/a.png", of: origin)
        #expect(answer.status == code && answer.problem == "origin-status", "\(answer)")
    }

    @Test(arguments: [
        (401, "origin-refused"), (407, "origin-refused"), (416, "origin-refused"), (426, "origin-refused"),
        (500, "origin-error"), (503, "origin-error"), (304, "bad-redirect"), (300, "bad-redirect"),
    ])
    func `blames the origin for what is its fault`(code: Int, problem: String) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", .status(code, headers: ["Retry-After": "7"]))
        let answer = try TestService().get("/a.png", of: origin)
        #expect(answer.status == 502 && answer.problem == problem, "\(answer)")
        #expect(answer["retry-after"] == (code >= 500 ? "7" : nil))
    }

    @Test func `says why the origin could not be reached`() throws {
        let origin = try ScriptedOrigin()
        origin.close()
        let answer = try TestService().get("/a.png", of: origin)
        #expect(answer.status == 502 && answer.problem == "origin-unreachable", "\(answer)")
        #expect(answer["proxy-status"]?.contains("connection_refused") == true, "\(answer.fields)")
        #expect(!answer.text.contains("127.0.0.1:\(origin.port) "))
    }

    /// C94.
    @Test func `does not depend on credentials, which never reach the origin`() throws {
        let origin = try ScriptedOrigin.pictures()
        let answer = try TestService().get(
            "/a.png", of: origin, ["Authorization": "Basic eDp5", "Cookie": "a=b", "X-Forwarded-For": "1.2.3.4"])
        #expect(answer.status == 200)
        let fields = try #require(origin.requests.first).fields
        for name in ["authorization", "cookie", "x-forwarded-for", "range", "if-none-match"] {
            #expect(fields.first(name) == nil)
        }
        #expect(fields.first("user-agent")?.hasPrefix("imagestore/") == true)
    }
}
