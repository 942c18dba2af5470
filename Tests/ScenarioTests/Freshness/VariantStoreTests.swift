import ServiceHarness
import Settings
import TestSupport
import Testing

/// Several stored responses of one URL (RFC 9111 section 4.1).
@Suite(.blocking) struct `The variants of an image` {
    private typealias Asking = KeyValuePairs<String, String>
    private static let avif: Asking = ["Accept": "image/avif"]
    private static let jpeg: Asking = ["Accept": "image/jpeg"]

    /// What depends on `Accept`: AVIF for those who take it, JPEG for the others.
    private static func negotiated(_ request: OriginRequestRecord, _ directives: String = "max-age=60") -> OriginReply {
        let isModern = request.fields.first("accept")?.contains("image/avif") ?? false
        return .image(
            isModern ? .avif : .jpeg,
            headers: ["Cache-Control": directives, "Vary": "Accept", "ETag": isModern ? "\"avif\"" : "\"jpeg\""])
    }

    private static func serviceForwarding(_ fields: String...) throws -> TestService {
        try TestService { $0.forwardHeaders = fields }
    }

    @Test(arguments: [(16_000_000, "memory"), (0, "disk")] as [(Int, String)])
    func `are all hits, and survive a restart`(limit: Int, tier: String) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a") { Self.negotiated($0) }
        let service = try TestService { $0.cacheLimit = limit }
        for fields in [Self.avif, Self.jpeg] {
            #expect(try !service.get("/a", of: origin, fields).isHit)
        }
        for expected in [tier, "disk"] {
            for (fields, type) in [(Self.avif, "image/avif"), (Self.jpeg, "image/jpeg")] {
                let answer = try service.get("/a", of: origin, fields)
                #expect(answer["content-type"] == type && answer.isHit, "\(answer)")
                #expect(answer.cacheStatus.hasSuffix("detail=\(expected)"), "\(answer)")
            }
            try service.restart()
        }
        #expect(origin.hits == 2)
    }

    @Test(arguments: [16_000_000, 0] as [Int])
    func `are fetched once each for a crowd, and then are hits`(limit: Int) throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a") { Self.negotiated($0).holding(gate) }
        let service = try TestService { $0.cacheLimit = limit }
        let waiting = ConcurrentClients(20) { number in
            try service.get("/a", of: origin, number % 2 == 0 ? Self.avif : Self.jpeg)
        }
        #expect(try eventually { try service.metric("imagestore_waiters") == 20 })
        gate.open()
        _ = try waiting.results()
        let later = ConcurrentClients(20) { number in
            try service.get("/a", of: origin, number % 2 == 0 ? Self.avif : Self.jpeg)
        }
        for (number, answer) in try later.results().enumerated() {
            #expect(answer.isHit && answer["content-type"] == (number % 2 == 0 ? "image/avif" : "image/jpeg"))
        }
        #expect(origin.hits == 2)
    }

    @Test func `of two that fit the most recent is chosen`() throws {
        let origin = try ScriptedOrigin()
        let replies = zip(["X-A", "X-A, X-B", "X-A"], [1, 2, 3] as [UInt64]).map { vary, seed in
            OriginReply.image(.png, seed: seed, headers: ["Cache-Control": "max-age=60", "Vary": vary])
        }
        origin.on("/a", inTurn: replies)
        let service = try Self.serviceForwarding("X-A", "X-B")
        func ask(_ one: String, _ two: String) throws -> Answer {
            try service.get("/a", of: origin, ["X-A": one, "X-B": two])
        }
        #expect(try ask("1", "1").isImage(replies[0].body))
        #expect(try ask("2", "1").isImage(replies[1].body))
        for (answer, reply) in try [(ask("1", "9"), replies[0]), (ask("2", "1"), replies[1])] {
            #expect(answer.isHit && answer.isImage(reply.body), "\(answer)")
        }
        let third = try ask("2", "2")
        #expect(third.isImage(replies[2].body) && third.cacheStatus.contains("fwd=vary-miss"), "\(third)")
        // Both with X-A: 2 fit now.
        #expect(try ask("2", "1").isImage(replies[2].body))
        #expect(try ask("1", "1").isImage(replies[0].body) && origin.hits == 3)
    }

    /// Origins leave `Vary` out of their default by mistake.
    @Test func `come before a response without Vary, which is for all others`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a") { request in
            let isModern = request.fields.first("accept")?.contains("image/avif") ?? false
            return Self.negotiated(request).replacingHeader("Vary", isModern ? "Accept" : nil)
        }
        let service = try TestService()
        for _ in 0..<3 {  // Often enough for an alias.
            for (fields, type) in [
                (Self.avif, "image/avif"), (Self.jpeg, "image/jpeg"), (["Accept": "image/webp"], "image/jpeg"),
                ([:], "image/jpeg"),
            ] as [(Asking, String)] {
                let answer = try service.get("/a", of: origin, fields)
                #expect(answer["content-type"] == type, "\(answer)")
            }
            #expect(origin.hits == 2)
        }
        try service.restart()
        #expect(try service.get("/a", of: origin, ["Accept": "image/webp"]).cacheStatus.hasSuffix("detail=disk"))
        #expect(try service.get("/a", of: origin, Self.avif)["content-type"] == "image/avif" && origin.hits == 2)
    }

    @Test func `beyond the limit push the oldest out, of both tiers`() throws {
        let origin = try ScriptedOrigin.pictures(["Cache-Control": "max-age=60", "Vary": "X-A"])
        let service = try Self.serviceForwarding("X-A")
        for number in 1...17 { _ = try service.get("/a", of: origin, ["X-A": "\(number)"]) }
        // Sixteen and the marker.
        #expect(try service.waitForDiskObjects(17))
        #expect(try service.objects(in: "memory") == 17)
        for number in 2...17 { #expect(try service.get("/a", of: origin, ["X-A": "\(number)"]).isHit, "\(number)") }
        #expect(try service.get("/a", of: origin, ["X-A": "1"]).cacheStatus.contains("fwd=vary-miss"))
    }

    @Test func `with an absent field and with an empty one are two`() throws {
        let origin = try ScriptedOrigin.pictures(["Cache-Control": "max-age=60", "Vary": "X-A"])
        let service = try Self.serviceForwarding("X-A")
        #expect(try !service.get("/a", of: origin).isHit)
        #expect(try service.get("/a", of: origin, ["X-A": ""]).cacheStatus.contains("fwd=vary-miss"))
        #expect(try service.get("/a", of: origin).isHit)
        #expect(try service.get("/a", of: origin, ["X-A": ""]).isHit)
        #expect(origin.hits == 2)
    }
}
