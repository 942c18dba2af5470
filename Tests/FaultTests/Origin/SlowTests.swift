import ServiceHarness
import Settings
import TestSupport
import Testing

/// An origin that stops at some point, or crawls.
@Suite(.blocking) struct `An origin` {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 5000\r\n\r\n"

    /// How much of the response comes before the silence.
    @Test(arguments: [0, 10, 40, head.utf8.count, head.utf8.count + 8, head.utf8.count + 3000])
    func `that stops at some point is given up`(bytes: Int) throws {
        let origin = try ScriptedOrigin()
        let whole = Array(Self.head.utf8) + Pictures.bytes(.png, count: 5000)
        origin.on("/a.png", .raw(Array(whole.prefix(bytes))).ending(silently: true))
        let service = try TestService {
            $0.firstByteTimeout = .milliseconds(500)
            $0.transferIdleTimeout = .milliseconds(500)
        }
        let start = ContinuousClock.now
        let answer = try service.get("/a.png", of: origin)
        #expect(answer.ending == .cut || (answer.status == 504 && answer.problem == "origin-timeout"), "\(answer)")
        #expect(ContinuousClock.now - start < Patience.stretched(.seconds(4)))
        #expect(try origin.waitForDeliveries("/a.png").first?.peerLeft == true)
        #expect(try eventually { try service.metric("imagestore_in_flight_bytes") == 0 })
    }

    @Test func `that crawls through its head and body is understood`() throws {
        let origin = try ScriptedOrigin()
        let picture = OriginReply.image(.png, bytes: 100)
        origin.on("/a.png", picture.dripping(1, every: .milliseconds(2)))
        origin.on("/b.png", picture.chunked().dripping(1, every: .milliseconds(2)))
        let service = try TestService()
        #expect(try service.get("/a.png", of: origin).isImage(picture.body))
        #expect(try service.get("/b.png", of: origin).isImage(picture.body))
    }

    /// C105: a part that nobody asked for.
    @Test(
        arguments: [
            ("bytes 0-999/1000", 1000, true), ("bytes 0-499/1000", 500, false), (nil, 1000, false),
            ("bytes 500-999/1000", 500, false), ("bytes 0-999/999", 1000, false), ("nonsense", 1000, false),
        ] as [(String?, Int, Bool)])
    func `that sends a part is believed only when it is the whole`(range: String?, bytes: Int, isWhole: Bool) throws {
        let origin = try ScriptedOrigin()
        let body = Pictures.bytes(.png, count: bytes)
        var reply = OriginReply.status(206, body: body, headers: ["Content-Type": "image/png"])
        if let range { reply = reply.header("Content-Range", range) }
        origin.on("/a.png", reply)
        let answer = try TestService().get("/a.png", of: origin)
        #expect(isWhole ? answer.isImage(body) : answer.status == 502, "\(answer)")
    }

    @Test func `that is gone after the first answer on a kept connection is asked again on a new one`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        #expect(try service.get("/1.png", of: origin).status == 200)
        origin.endConnections()
        #expect(try service.get("/2.png", of: origin).status == 200)
    }
}
