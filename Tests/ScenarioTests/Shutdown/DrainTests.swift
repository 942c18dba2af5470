import ServiceHarness
import Settings
import TestSupport
import Testing

/// A drain ends what runs, and begins nothing.
@Suite(.blocking) struct `A drain` {
    /// C182.
    @Test func `lets a running transfer end whole, closes idle connections and refuses new ones`() throws {
        let origin = try ScriptedOrigin.pictures()
        let gate = Gate()
        let picture = OriginReply.image(.png, bytes: 100_000, headers: ["Cache-Control": "max-age=60"])
        origin.on("/slow.png", picture.holding(gate, after: 50_000))
        let service = try TestService()
        let idle = try service.connect()
        #expect(try idle.exchange("GET", "/healthz").status == 200)
        let running = try service.connect()
        try running.request("GET", "/image?url=\(origin.url("/slow.png"))")
        let head = try running.readHead()

        let drained = Gate()
        let drain = ScriptThread {
            service.stop()
            drained.open()
        }
        #expect(idle.isClosedByPeer())
        #expect(eventually { (try? service.connect()) == nil })
        #expect(!drained.wait(upTo: .milliseconds(100)))
        gate.open()

        #expect(try running.readBody(of: head).isImage(picture.body))
        #expect(running.isClosedByPeer())
        #expect(drain.join(upTo: .seconds(10)))
    }

    @Test func `writes what was stored to the disk`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        for number in 0..<10 { _ = try service.get("/\(number).png", of: origin) }
        service.stop()
        #expect(service.recordFiles.count == 10)
    }

    @Test func `ends at its time limit whatever still runs`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/slow.png", .image(.png, bytes: 1000).holding(gate, after: 500))
        let service = try TestService { $0.drainTimeout = .milliseconds(500) }
        let client = try service.connect()
        try client.request("GET", "/image?url=\(origin.url("/slow.png"))")
        let head = try client.readHead()
        let start = ContinuousClock.now
        service.stop()
        #expect(ContinuousClock.now - start < Patience.stretched(.seconds(4)))
        #expect(try client.readBody(of: head).ending == .cut)
        gate.open()
    }

    @Test func `answers what the kernel had already taken`() throws {
        let service = try TestService()
        let waiting = try (0..<100).map { _ in try service.connect() }
        for client in waiting { try client.request("GET", "/healthz") }
        service.stop()
        for client in waiting {
            let answer = try client.readAnswer()
            #expect(answer.status == 200 || (answer.status == 503 && answer.problem == "draining"), "\(answer)")
        }
    }

    @Test func `lets another service take the port`() throws {
        let service = try TestService()
        let endpoint = service.endpoint
        #expect(throws: (any Error).self) {
            try TestService { $0.listen = [.tcp(.v4([127, 0, 0, 1]), port: endpoint.port)] }
        }
        service.stop()
        try TestService { $0.listen = [.tcp(.v4([127, 0, 0, 1]), port: endpoint.port)] }.stop()
    }
}
