import ServiceHarness
import Settings
import TestSupport
import Testing

/// A purge that meets work under way.
@Suite(.blocking) struct `A purge during` {
    private static let tagged = OriginReply.image(
        .png, bytes: 3000, headers: ["Cache-Control": "max-age=600", "ETag": "\"v1\""]
    ).answeringConditions()
    private static let new = OriginReply.image(.gif, bytes: 700, headers: ["Cache-Control": "max-age=600"])

    private static func query(_ name: String, _ origin: ScriptedOrigin) -> String {
        switch name {
        case "all": "all=1"
        case "host": "host=127.0.0.1"
        default: "\(name)=\(percentEncoded(origin.url("/a.png")))"
        }
    }

    /// Those who wait get what comes, nobody else does, and nothing of it is kept in either tier.
    @Test(arguments: ["url", "prefix", "host", "all"])
    func `a fetch`(by name: String) throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", inTurn: [Self.tagged.holding(gate, after: 1000), Self.new])
        let service = try TestService()
        let client = try service.connect()
        try client.request("GET", "/image?url=\(percentEncoded(origin.url("/a.png")))")
        let head = try client.readHead()

        #expect(try service.purge(Self.query(name, origin)).purged == 0)

        #expect(try service.get("/a.png", of: origin).isImage(Self.new.body))
        gate.open()
        #expect(try client.readBody(of: head).isImage(Self.tagged.body))
        #expect(try service.get("/a.png", of: origin).isImage(Self.new.body))
        try service.restart()
        #expect(try service.get("/a.png", of: origin).isImage(Self.new.body))
        #expect(origin.hits == 2)
    }

    /// Before the head, too; and what it brings is not kept though nothing else is stored.
    @Test func `a fetch that has no head yet`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", inTurn: [Self.tagged.holding(gate), Self.new])
        let service = try TestService()
        let first = ConcurrentClients(1) { _ in try service.get("/a.png", of: origin) }
        #expect(origin.waitForHits("/a.png"))
        #expect(try service.purge("/a.png", of: origin).purged == 0)
        gate.open()
        #expect(try first.results()[0].isImage(Self.tagged.body))
        #expect(try service.get("/a.png", of: origin).isImage(Self.new.body))
    }

    /// A failure that was on its way says nothing about the origin after the purge.
    @Test func `a fetch that fails`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", inTurn: [.status(404).holding(gate), Self.new])
        let service = try TestService()
        let first = ConcurrentClients(1) { _ in try service.get("/a.png", of: origin) }
        #expect(origin.waitForHits("/a.png"))
        #expect(try service.purge("/a.png", of: origin).purged == 0)
        #expect(try service.get("/a.png", of: origin).isImage(Self.new.body))
        gate.open()
        #expect(try first.results()[0].status == 404)
        #expect(try service.get("/a.png", of: origin).isHit)
    }

    /// The 304 speaks of what is gone: the origin is asked again for the whole.
    @Test(arguments: ["url", "all"])
    func `a validation`(by name: String) throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", inTurn: [Self.tagged, Self.tagged.holding(gate), Self.tagged, Self.new])
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        let first = ConcurrentClients(1) { _ in try service.get("/a.png", of: origin, ["Cache-Control": "no-cache"]) }
        #expect(origin.waitForHits("/a.png", 2))

        #expect(try service.purge(Self.query(name, origin)).purged == 1)

        gate.open()
        #expect(try first.results()[0].isImage(Self.tagged.body))
        #expect(origin.requests.map { $0.fields.first("if-none-match") } == [nil, "\"v1\"", nil])
        let next = try service.get("/a.png", of: origin)
        #expect(next.isImage(Self.new.body) && next.cacheStatus.contains("fwd=uri-miss"), "\(next)")
    }

    /// The copy that could have stood in is gone.
    @Test func `a validation that fails`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        let picture = OriginReply.image(.png, headers: ["Cache-Control": "max-age=0, stale-if-error=60"])
        origin.on("/a.png", inTurn: [picture, .status(503).holding(gate)])
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        let first = ConcurrentClients(1) { _ in try service.get("/a.png", of: origin) }
        #expect(origin.waitForHits("/a.png", 2))
        #expect(try service.purge("/a.png", of: origin).purged == 1)
        gate.open()
        #expect(try first.results()[0].status == 502)
    }

    /// One that waits in the queue has not asked yet: what it brings is new.
    @Test func `a wait in the queue`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/slow.png", Self.tagged.holding(gate))
        origin.on("/a.png", Self.new)
        let service = try TestService { $0.maxDownloads = 1 }
        let slow = ConcurrentClients(1) { _ in try service.get("/slow.png", of: origin) }
        #expect(origin.waitForHits("/slow.png"))
        let queued = ConcurrentClients(1) { _ in try service.get("/a.png", of: origin) }
        #expect(try eventually { try service.metric("imagestore_downloads", ["state": "queued"]) == 1 })
        #expect(try service.purge("/a.png", of: origin).purged == 0)
        gate.open()
        #expect(try queued.results()[0].isImage(Self.new.body) && slow.results()[0].status == 200)
        #expect(try service.get("/a.png", of: origin).isHit)
        #expect(origin.hits("/a.png") == 1)
    }
}
