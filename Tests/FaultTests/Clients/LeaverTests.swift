import ServiceHarness
import Settings
import TestSupport
import Testing

/// Clients that leave at each step of an exchange.
@Suite(.blocking) struct `A client` {
    /// What it still does before it leaves.
    enum Step: CaseIterable {
        case connected, halfHead, asked, headRead, bodyBegun, pipelined
    }

    @Test(arguments: Step.allCases, [true, false]) func `may leave at any step`(step: Step, resets: Bool) throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        let picture = OriginReply.image(.png, bytes: 300_000, headers: ["Cache-Control": "max-age=60"])
        origin.on("/a.png", step == .asked ? picture.holding(gate) : picture.holding(gate, after: 100_000))
        let service = try TestService()
        let request = "GET /image?url=\(origin.url("/a.png")) HTTP/1.1\r\nHost: x\r\n\r\n"

        let client = try service.connect()
        switch step {
        case .connected: break
        case .halfHead: try client.send(String(request.prefix(20)))
        case .asked: try client.send(request)
        case .headRead, .bodyBegun: try client.send(request)
        case .pipelined: try client.send(request + request + request)
        }
        if step == .asked { #expect(origin.waitForHits("/a.png")) }
        if [.headRead, .bodyBegun, .pipelined].contains(step) { _ = try client.readHead() }
        if step == .bodyBegun { _ = try client.readBytes(50_000) }
        if resets { client.reset() } else { client.leave() }

        #expect(try eventually { try service.metric("imagestore_waiters") == 0 })
        #expect(try eventually { try service.metric("imagestore_connections", ["listener": "data"]) == 0 })
        gate.open()
        #expect(try service.get("/a.png", of: origin).isImage(picture.body))
        #expect(origin.hits == 1)
    }

    @Test func `that does not read at all is dropped and holds up nothing`() throws {
        let origin = try ScriptedOrigin()
        let picture = OriginReply.image(.png, bytes: 1_900_000, headers: ["Cache-Control": "max-age=60"])
        origin.on("/a.png", picture)
        let service = try TestService { $0.idleTimeout = .seconds(1) }
        let client = try service.connect()
        client.narrowReceiveBuffer()
        let request = "GET /image?url=\(origin.url("/a.png")) HTTP/1.1\r\nHost: x\r\n\r\n"
        try client.send(request + request + request)
        #expect(try service.get("/a.png", of: origin).isImage(picture.body))
        #expect(
            try eventually(upTo: .seconds(20)) {
                try service.metric("imagestore_connections", ["listener": "data"]) == 0
            })
    }

    /// Seeded, so that a failure can be repeated.
    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func `may send nonsense`(seed: UInt64) throws {
        let service = try TestService()
        var random = seed
        func next(_ bound: Int) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(random >> 33) % bound
        }
        let parts = [
            "GET ", "/image?url=", "http://", "HTTP/1.1", "\r\n", "\r\n\r\n", "\n", "\0", "Host: x", ":", " ", "\t",
            "Content-Length: ", "Transfer-Encoding: chunked", "99", "-1", "%", "\u{FF}", "Range: bytes=", "x",
        ]
        for _ in 0..<50 {
            let client = try service.connect()
            try client.send((0..<next(30)).map { _ in parts[next(parts.count)] }.joined())
            client.finishWriting()
            #expect(client.isClosedByPeer(within: .seconds(15)))
        }
        #expect(try service.ask("/healthz").status == 200)
    }
}
