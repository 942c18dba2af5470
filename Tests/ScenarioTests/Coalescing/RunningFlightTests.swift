import ServiceHarness
import TestSupport
import Testing

/// What request directives mean for a download that is under way already.
@Suite(.blocking) struct `A download under way` {
    private let picture = OriginReply.image(.png, bytes: 10_000, headers: ["Cache-Control": "max-age=60"])

    @Test(arguments: ["no-cache", "max-age=0"])
    func `is joined by who wants a fresh answer before its head came`(directive: String) throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", picture.holding(gate))
        let service = try TestService()
        let waiting = ConcurrentClients(2) { number in
            if number == 1 { origin.waitForHits("/a.png") }
            return try service.get("/a.png", of: origin, number == 1 ? ["Cache-Control": directive] : [:])
        }
        #expect(try eventually { try service.metric("imagestore_waiters") == 2 })
        gate.open()
        #expect(try waiting.results().allSatisfy { $0.isImage(picture.body) })
        #expect(origin.hits == 1)
    }

    @Test(arguments: ["no-cache", "max-age=0"])
    func `is not joined by who wants a fresh answer after its head came`(directive: String) throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", inTurn: [picture.holding(gate, after: 5000), picture])
        let service = try TestService()
        let first = try service.connect()
        try first.request("GET", "/image?url=\(percentEncoded(origin.url("/a.png")))")
        let head = try first.readHead()

        let second = try service.get("/a.png", of: origin, ["Cache-Control": directive])
        gate.open()

        #expect(second.isImage(picture.body) && origin.hits == 2, "\(second)")
        #expect(try first.readBody(of: head).isImage(picture.body))
    }

    @Test func `is never joined by only-if-cached`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", picture.holding(gate))
        let service = try TestService()
        let waiting = ConcurrentClients(1) { _ in try service.get("/a.png", of: origin) }
        #expect(origin.waitForHits("/a.png"))
        let answer = try service.get("/a.png", of: origin, ["Cache-Control": "only-if-cached"])
        gate.open()
        #expect(answer.status == 504 && answer.problem == "not-cached", "\(answer)")
        #expect(try waiting.results().allSatisfy { $0.isImage(picture.body) })
    }

    /// RFC 9111 section 5.2.1.5: one that does not mind is enough.
    @Test(arguments: [true, false])
    func `is stored unless all who wait said no-store`(oneDoesNotMind: Bool) throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", picture.holding(gate))
        let service = try TestService()
        let waiting = ConcurrentClients(3) { number in
            try service.get(
                "/a.png", of: origin, oneDoesNotMind && number == 2 ? [:] : ["Cache-Control": "no-store"])
        }
        #expect(try eventually { try service.metric("imagestore_waiters") == 3 })
        gate.open()
        #expect(try waiting.results().allSatisfy { $0.isImage(picture.body) })
        #expect(try service.get("/a.png", of: origin).isHit == oneDoesNotMind)
    }

    /// A slow fetch in the background must not bring back what a younger one replaced.
    @Test func `that is older than what is stored is neither joined nor believed`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        defer { gate.open() }
        let old = OriginReply.aged("max-age=60, stale-while-revalidate=600")
        let new = OriginReply.image(.png, bytes: 700, seed: 3, headers: ["Cache-Control": "max-age=600"])
        let slow = OriginReply.aged("max-age=600", seed: 2).holding(gate, after: 400)
        origin.on("/a.png", inTurn: [old, slow, new])
        let service = try TestService { $0.cacheLimit = 0 }
        _ = try service.get("/a.png", of: origin)
        #expect(try service.waitForDiskObjects(1))
        #expect(try service.get("/a.png", of: origin).cacheStatus.contains("detail=stale-while-revalidate"))
        #expect(origin.waitForHits("/a.png", 2))

        // It joins the slow one until the head of that has come.
        #expect(
            try eventually {
                let client = try service.connect()
                try client.send(
                    "GET /image?url=\(origin.url("/a.png")) HTTP/1.1\r\nHost: x\r\nCache-Control: no-cache\r\n\r\n")
                return origin.waitForHits("/a.png", 3, upTo: .milliseconds(200))
            })
        #expect(try eventually { try service.get("/a.png", of: origin).isImage(new.body) })
        #expect(try service.get("/a.png", of: origin).cacheStatus.contains("detail=disk"))
    }
}
