import ServiceHarness
import Settings
import TestSupport
import Testing

/// What may be served although it is stale (RFC 5861), and what may not.
@Suite(.blocking) struct `An image that went stale` {
    private static let fresh = OriginReply.image(
        .png, bytes: 900, headers: ["Cache-Control": "max-age=0, stale-if-error=60"])

    /// C88; once the failure is remembered, too.
    @Test func `stands in while the origin fails, again and again`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", inTurn: [Self.fresh, .status(503)])
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        for number in 0..<3 {
            let answer = try service.get("/a.png", of: origin)
            #expect(answer.status == 200 && answer.isImage(Self.fresh.body), "\(number): \(answer)")
            #expect(answer.cacheStatus.contains("detail=stale-if-error"), "\(number): \(answer)")
        }
        #expect(origin.hits == 2)
        #expect(try service.metric("imagestore_requests_total", ["result": "stale"]) == 3)
    }

    /// C88: a directive that forbids it.
    @Test func `does not where it must be revalidated`() throws {
        let origin = try ScriptedOrigin()
        let strict = OriginReply.image(.png, headers: ["Cache-Control": "max-age=0, must-revalidate", "ETag": "\"v\""])
        origin.on("/a.png", inTurn: [strict, .status(503)])
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        #expect(try service.get("/a.png", of: origin).status == 502)
    }

    /// C86.
    @Test func `is answered at once and fetched in the background`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        let old = OriginReply.image(
            .png, bytes: 900, headers: ["Cache-Control": "max-age=0, stale-while-revalidate=60"])
        let new = OriginReply.image(.gif, bytes: 700, headers: ["Cache-Control": "max-age=60"])
        origin.on("/a.png", inTurn: [old, new.holding(gate)])
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        for _ in 0..<3 {
            let answer = try service.get("/a.png", of: origin)
            #expect(
                answer.isImage(old.body) && answer.cacheStatus.contains("detail=stale-while-revalidate"), "\(answer)")
        }
        #expect(origin.waitForHits("/a.png", 2))
        gate.open()
        #expect(try eventually { try service.get("/a.png", of: origin).isImage(new.body) })
        #expect(origin.hits == 2)
    }

    /// A 304 may take the permission to store away.
    @Test func `is let go when its confirmation forbids to store it`() throws {
        let origin = try ScriptedOrigin()
        let tagged = OriginReply.image(.png, headers: ["Cache-Control": "max-age=0", "ETag": "\"v\""])
        let private304 = "HTTP/1.1 304 Not Modified\r\nETag: \"v\"\r\nCache-Control: no-store, max-age=600\r\n\r\n"
        origin.on("/a.png", inTurn: [tagged, .raw(private304), tagged])
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        #expect(try service.get("/a.png", of: origin).isImage(tagged.body))
        #expect(try service.get("/a.png", of: origin).cacheStatus.contains("fwd=uri-miss"))
    }
}
