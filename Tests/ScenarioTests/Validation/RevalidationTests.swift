import ServiceHarness
import Settings
import TestSupport
import Testing

/// Stale images are validated, and what clients hold is compared here (RFC 9111 section 4.3, RFC 9110 section 13).
@Suite(.blocking) struct `A stale image` {
    private let picture = OriginReply.image(
        .png, bytes: 1000, headers: ["Cache-Control": "max-age=0", "ETag": "\"v1\""]
    ).answeringConditions()

    /// C65, C77.
    @Test func `is validated, and the client gets the stored body`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", picture)
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        for _ in 0..<2 {
            let answer = try service.get("/a.png", of: origin)
            #expect(answer.isImage(picture.body) && answer["content-length"] == "1000", "\(answer)")
            #expect(
                answer.cacheStatus.contains("fwd=stale") && answer.cacheStatus.contains("fwd-status=304"), "\(answer)")
        }
        #expect(origin.requests.map { $0.fields.first("if-none-match") } == [nil, "\"v1\"", "\"v1\""])
        #expect(try service.metric("imagestore_requests_total", ["result": "revalidated"]) == 2)
    }

    /// C65: a 304 that carries a length of its own.
    @Test func `keeps its length whatever the 304 says`() throws {
        let origin = try ScriptedOrigin()
        let confirmed =
            "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\nCache-Control: max-age=60\r\nContent-Length: 0\r\n\r\n"
        origin.on("/a.png", inTurn: [picture, .raw(confirmed)])
        let service = try TestService()
        for number in 0..<3 {
            let answer = try service.get("/a.png", of: origin)
            #expect(answer.isImage(picture.body) && answer["content-length"] == "1000", "\(number): \(answer)")
        }
        #expect(origin.hits("/a.png") == 2)  // the third is a hit again: the 304 brought a new lifetime
    }

    @Test func `is validated by its date when it has no tag`() throws {
        let origin = try ScriptedOrigin()
        let date = "Mon, 06 Jan 2025 10:00:00 GMT"
        let dated = OriginReply.image(.png, headers: ["Cache-Control": "no-cache", "Last-Modified": date])
        origin.on("/a.png", dated.answeringConditions())
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        let answer = try service.get("/a.png", of: origin)
        #expect(answer.isImage(dated.body) && answer.cacheStatus.contains("fwd-status=304"), "\(answer)")
        #expect(origin.requests.last?.fields.first("if-modified-since") == date)
    }

    @Test func `is replaced when the origin has another`() throws {
        let origin = try ScriptedOrigin()
        let new = OriginReply.image(
            .gif, bytes: 700, headers: ["Cache-Control": "max-age=60", "ETag": "\"v2\""]
        ).answeringConditions()
        origin.on("/a.png", inTurn: [picture, new])
        let service = try TestService()
        #expect(try service.get("/a.png", of: origin).isImage(picture.body))
        for _ in 0..<2 {
            let answer = try service.get("/a.png", of: origin)
            #expect(answer.isImage(new.body) && answer["etag"] == "\"v2\"" && answer["content-type"] == "image/gif")
        }
        #expect(origin.hits("/a.png") == 2)
    }

    /// C89.
    @Test(arguments: [404, 410])
    func `is gone when the origin says so`(code: Int) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", inTurn: [picture, .status(code)])
        let service = try TestService { $0.forgetFailures(after: .zero) }
        _ = try service.get("/a.png", of: origin)
        for _ in 0..<2 {
            let answer = try service.get("/a.png", of: origin)
            #expect(answer.status == code && answer.problem == "origin-status", "\(answer)")
        }
    }

    @Test func `that was validated is found validated after a restart`() throws {
        let origin = try ScriptedOrigin()
        let confirmed = picture.replacingHeader("Cache-Control", "max-age=60")
        origin.on("/a.png", inTurn: [picture, confirmed])
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        #expect(try service.waitForDiskObjects(1))
        _ = try service.get("/a.png", of: origin)
        try service.restart()
        let answer = try service.get("/a.png", of: origin)
        #expect(answer.isImage(picture.body) && answer.cacheStatus.contains("detail=disk"), "\(answer)")
        #expect(origin.hits("/a.png") == 2)
    }
}
