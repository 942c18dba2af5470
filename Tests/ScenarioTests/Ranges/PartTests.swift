import ServiceHarness
import TestSupport
import Testing

/// A 206 for a request without `Range` (RFC 9110 section 15.3.7).
@Suite(.blocking) struct `A part that nobody asked for` {
    /// C105.
    @Test(
        arguments: [
            ("bytes 0-999/1000", true), ("bytes 0-499/1000", false), (nil, false), ("bytes 0-999/*", false),
            ("bytes 1-1000/1001", false),
        ] as [(String?, Bool)])
    func `is taken when it is the whole, else refused`(range: String?, isWhole: Bool) throws {
        let origin = try ScriptedOrigin()
        let body = Pictures.bytes(.png, count: 1000)
        var part = OriginReply.status(
            206, body: body, headers: ["Content-Type": "image/png", "Cache-Control": "max-age=60"])
        if let range { part = part.header("Content-Range", range) }
        origin.on("/a.png", part)
        let service = try TestService()

        let answer = try service.get("/a.png", of: origin)

        if isWhole {
            #expect(answer.isImage(body) && answer["content-range"] == nil, "\(answer)")
            #expect(try service.get("/a.png", of: origin).isHit)
        } else {
            #expect(answer.status == 502 && answer.problem == "origin-broken", "\(answer)")
            #expect(try service.objects(in: "memory") == 0)
        }
    }
}
