import ServiceHarness
import Settings
import TestSupport
import Testing

/// Purging by marking stale (C212).
@Suite(.blocking) struct `A soft purge` {
    private static func picture(_ cacheControl: String) -> OriginReply {
        .image(.png, bytes: 900, headers: ["Cache-Control": cacheControl, "ETag": "\"v1\""])
    }

    @Test func `lets the image be served while it is validated`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        let old = Self.picture("max-age=600, stale-while-revalidate=60")
        let new = OriginReply.image(.gif, bytes: 700, headers: ["Cache-Control": "max-age=600"])
        origin.on("/a.png", inTurn: [old, new.holding(gate)])
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)

        #expect(try service.purge("/a.png", of: origin, soft: true).text == "{\"purged\":1}")

        let answer = try service.get("/a.png", of: origin)
        #expect(answer.isImage(old.body), "\(answer)")
        #expect(answer.cacheStatus.contains("hit; ttl=0; detail=stale-while-revalidate"), "\(answer)")
        gate.open()
        #expect(try eventually { try service.get("/a.png", of: origin).cacheStatus.hasSuffix("detail=memory") })
        #expect(try service.get("/a.png", of: origin).isImage(new.body))
        #expect(origin.hits == 2)
    }

    @Test func `lets the image stand in while the origin fails`() throws {
        let origin = try ScriptedOrigin()
        let old = Self.picture("max-age=600, stale-if-error=60")
        origin.on("/a.png", inTurn: [old, .status(503)])
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        #expect(try service.purge("/a.png", of: origin, soft: true).purged == 1)
        let answer = try service.get("/a.png", of: origin)
        #expect(answer.isImage(old.body) && answer.cacheStatus.contains("detail=stale-if-error"), "\(answer)")
        #expect(origin.hits == 2)
    }

    /// Also from disk alone, and after a restart.
    @Test(arguments: [false, true], ["url", "prefix", "all"])
    func `ends when the origin confirms`(fromDisk: Bool, by name: String) throws {
        let origin = try ScriptedOrigin()
        let picture = Self.picture("max-age=600")
        origin.on("/a.png", picture.answeringConditions())
        let service = try TestService { $0.cacheLimit = fromDisk ? 0 : 16_000_000 }
        _ = try service.get("/a.png", of: origin)
        #expect(try service.waitForDiskObjects(1))

        let value = name == "all" ? "1" : percentEncoded(origin.url("/a.png"))
        let answer = try service.purge("\(name)=\(value)&soft=1")

        #expect(answer.purged == (fromDisk && name != "url" ? 0 : 1), "\(answer)")
        if fromDisk { try service.restart() }
        #expect(try service.get("/a.png", of: origin).cacheStatus.contains("fwd-status=304"))
        if fromDisk { try service.restart() }
        let confirmed = try service.get("/a.png", of: origin)
        #expect(confirmed.isImage(picture.body) && confirmed.isHit, "\(confirmed)")
        #expect(origin.requests.map { $0.fields.first("if-none-match") } == [nil, "\"v1\""])
        if name != "url" { #expect(service.hasForgottenPurges()) }
    }

    /// What was asked for before is stored as stale.
    @Test func `meets the fetch that runs`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        let picture = Self.picture("max-age=600").answeringConditions()
        origin.on("/a.png", inTurn: [picture.holding(gate, after: 100), picture])
        let service = try TestService()
        let client = try service.connect()
        try client.request("GET", "/image?url=\(percentEncoded(origin.url("/a.png")))")
        let head = try client.readHead()
        #expect(try service.purge("/a.png", of: origin, soft: true).purged == 0)
        gate.open()
        #expect(try client.readBody(of: head).isImage(picture.body))
        #expect(try service.get("/a.png", of: origin).cacheStatus.contains("fwd-status=304"))
        #expect(try service.get("/a.png", of: origin).isHit)
    }

    /// What that fetch brings is stale already: those who come later ask again.
    @Test func `lets nobody join the fetch that runs`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        let new = OriginReply.image(.gif, bytes: 700, headers: ["Cache-Control": "max-age=600"])
        origin.on("/a.png", inTurn: [Self.picture("max-age=600").holding(gate), new])
        let service = try TestService()
        let first = ConcurrentClients(1) { _ in try service.get("/a.png", of: origin) }
        #expect(origin.waitForHits("/a.png"))
        #expect(try service.purge("/a.png", of: origin, soft: true).purged == 0)
        #expect(try service.get("/a.png", of: origin).isImage(new.body))
        gate.open()
        #expect(try first.results()[0].status == 200)
        #expect(origin.hits == 2)
    }

    @Test func `meets the validation that runs`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        let picture = Self.picture("max-age=600").answeringConditions()
        origin.on("/a.png", inTurn: [picture, picture.holding(gate), picture])
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        let first = ConcurrentClients(1) { _ in try service.get("/a.png", of: origin, ["Cache-Control": "no-cache"]) }
        #expect(origin.waitForHits("/a.png", 2))
        #expect(try service.purge("/a.png", of: origin, soft: true).purged == 1)
        gate.open()
        #expect(try first.results()[0].isImage(picture.body))
        #expect(try service.get("/a.png", of: origin).cacheStatus.contains("fwd-status=304"))
        #expect(try service.get("/a.png", of: origin).isHit)
    }
}
