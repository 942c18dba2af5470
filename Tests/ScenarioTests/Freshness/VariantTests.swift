import ServiceHarness
import TestSupport
import Testing

/// Images that depend on request fields (RFC 9111 section 4.1).
@Suite(.blocking) struct `An image that varies` {
    private static func reply(_ request: OriginRequestRecord) -> OriginReply {
        let isModern = request.fields.first("accept")?.contains("image/avif") ?? false
        return .image(isModern ? .avif : .jpeg, headers: ["Cache-Control": "max-age=60", "Vary": "Accept"])
    }

    /// C92.
    @Test func `is never given to a client that asked for another variant`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a") { Self.reply($0) }
        let service = try TestService()
        for _ in 0..<2 {
            let modern = try service.get("/a", of: origin, ["Accept": "image/avif,image/webp"])
            #expect(modern["content-type"] == "image/avif" && modern["vary"] == "Accept", "\(modern)")
            let plain = try service.get("/a", of: origin, ["Accept": "image/jpeg"])
            #expect(plain["content-type"] == "image/jpeg", "\(plain)")
        }
    }

    @Test func `is a hit for an equal request`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a") { Self.reply($0) }
        let service = try TestService()
        _ = try service.get("/a", of: origin, ["Accept": "image/avif"])
        #expect(try service.get("/a", of: origin, ["Accept": "image/avif"]).isHit)
        #expect(try service.get("/a", of: origin, ["Accept": "image/jpeg"]).cacheStatus.contains("fwd=vary-miss"))
        try service.restart()
        #expect(try service.get("/a", of: origin, ["Accept": "image/jpeg"]).cacheStatus.contains("detail=disk"))
    }

    @Test(arguments: ["Accept", "*"])
    func `is told apart among those who wait for the first answer together`(vary: String) throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a") { Self.reply($0).replacingHeader("Vary", vary).holding(gate) }
        let service = try TestService()
        let waiting = ConcurrentClients(20) { number in
            try service.get("/a", of: origin, ["Accept": number % 2 == 0 ? "image/avif" : "image/jpeg"])
        }
        #expect(try eventually { try service.metric("imagestore_waiters") == 20 })
        gate.open()
        for (number, answer) in try waiting.results().enumerated() {
            #expect(answer["content-type"] == (number % 2 == 0 ? "image/avif" : "image/jpeg"), "\(number): \(answer)")
        }
        #expect(origin.hits == 2)
    }
}
