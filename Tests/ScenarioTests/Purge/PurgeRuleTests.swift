import ServiceHarness
import Settings
import TestSupport
import Testing

/// Purging by prefix, by host, and of everything.
@Suite(.blocking) struct `A purge by rule` {
    private static let targets = ["/a", "/a/", "/a/x.png", "/a?x", "/ab/x.png", "/b.png"]

    /// Which targets are asked of the origin again.
    private func missing(_ service: TestService, _ origin: ScriptedOrigin) throws -> [String] {
        try Self.targets.filter { try !service.get($0, of: origin).isHit }
    }

    /// C214: the path boundary, with both tiers and with the disk alone.
    @Test(arguments: ["/a", "/a/"], [0, 16_000_000])
    func `by prefix takes what lies at or below it`(prefix: String, cacheLimit: Int) throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService { $0.cacheLimit = cacheLimit }
        for target in Self.targets { _ = try service.get(target, of: origin) }
        #expect(try service.waitForDiskObjects(Self.targets.count))

        let answer = try service.purge("prefix=\(percentEncoded(origin.url(prefix).replacing("http", with: "HTTP")))")

        let inside = prefix == "/a" ? ["/a", "/a/", "/a/x.png", "/a?x"] : ["/a/", "/a/x.png"]
        #expect(answer.purged == (cacheLimit == 0 ? 0 : inside.count), "\(answer)")
        #expect(answer.text.contains("\"job\":\""), "\(answer)")
        #expect(try missing(service, origin) == inside)
        #expect(try missing(service, origin) == [])
        #expect(service.hasForgottenPurges())
        try service.restart()
        #expect(try missing(service, origin) == [])
    }

    /// The files leave without being asked for, and with the last one the rule is forgotten.
    @Test(arguments: ["all=1", "host=127.0.0.1", "prefix=http://127.0.0.1:PORT/"])
    func `takes the files off the disk`(query: String) throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        for number in 0..<50 { _ = try service.get("/\(number).png", of: origin) }
        try service.restart()
        _ = try service.get("/0.png", of: origin)
        #expect(try service.waitForDiskObjects(50))

        let answer = try service.purge(query.replacing("PORT", with: "\(origin.port)"))

        #expect(answer.purged == (query == "all=1" ? 50 : 1), "\(answer)")
        #expect(try service.get("/1.png", of: origin).cacheStatus.contains("fwd=uri-miss"))
        #expect(service.hasForgottenPurges())
        #expect(eventually { service.recordFiles.count == 1 })
        #expect(try service.waitForDiskObjects(1))
        // The file of the one that came again may have been replaced before it could be removed.
        #expect(try service.metric("imagestore_cache_evictions_total", ["tier": "disk", "reason": "purge"]) >= 49)
        try service.restart()
        #expect(try service.get("/1.png", of: origin).isHit)
    }

    @Test func `by host takes every port and no other host`() throws {
        let one = try ScriptedOrigin.pictures()
        let two = try ScriptedOrigin.pictures()
        let service = try TestService {
            for name in ["a.test", "b.a.test", "xa.test"] { try $0.resolve(name) }
        }
        let urls = ["a.test:\(one.port)", "a.test:\(two.port)", "b.a.test:\(one.port)", "xa.test:\(one.port)"]
            .map { "http://\($0)/p.png" }
        for url in urls { _ = try service.get(url: url) }
        #expect(try service.purge("host=A.Test").purged == 2)
        #expect(try urls.map { try service.get(url: $0).isHit } == [false, false, true, true])
        #expect(try service.purge("host=*.a.test").purged == 1)
        #expect(try urls.map { try service.get(url: $0).isHit } == [true, true, false, true])
    }

    @Test func `without a disk tier leaves no work`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService { $0.diskCacheLimit = 0 }
        for target in Self.targets { _ = try service.get(target, of: origin) }
        #expect(try service.purge("prefix=\(percentEncoded(origin.url("/a")))").text == "{\"purged\":4}")
        #expect(try missing(service, origin).count == 4)
        #expect(try service.purge("all=1").text == "{\"purged\":6}")
        #expect(try missing(service, origin).count == 6)
    }

    /// What lists the variants of an image is no image.
    @Test(arguments: ["host=127.0.0.1", "all=1"], [false, true])
    func `counts variants, not their list`(query: String, isSoft: Bool) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a") { request in
            let isModern = request.fields.first("accept") == "image/avif"
            return .image(isModern ? .avif : .jpeg, headers: ["Cache-Control": "max-age=60", "Vary": "Accept"])
        }
        let service = try TestService { $0.diskCacheLimit = 0 }
        _ = try service.get("/a", of: origin, ["Accept": "image/avif"])
        _ = try service.get("/a", of: origin, ["Accept": "image/jpeg"])
        #expect(try service.purge(query + (isSoft ? "&soft=1" : "")).purged == 2)
    }

    @Test func `forgets failures`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", inTurn: [.status(404), ScriptedOrigin.picture(for: "/a.png")])
        let service = try TestService()
        #expect(try service.get("/a.png", of: origin).status == 404)
        #expect(try service.purge("host=127.0.0.1").purged == 0)
        #expect(try service.get("/a.png", of: origin).status == 200)
    }

    /// Then it is not known what was purged: nothing on disk is trusted.
    @Test func `that was lost with its file counts as one of everything`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        service.stop()
        try service.directory.write(Array("no list of purges".utf8), to: "v1/bans")
        try service.restart()
        #expect(try service.get("/a.png", of: origin).cacheStatus.contains("fwd=uri-miss"))
        #expect(service.hasForgottenPurges())
    }
}
