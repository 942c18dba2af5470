import ServiceHarness
import Settings
import TestSupport
import Testing

/// What the operator decides about freshness, beside or against the origin.
@Suite(.blocking) struct `An operator's rule` {
    private let stale = OriginReply.image(.png, bytes: 700, headers: ["Cache-Control": "max-age=0"])

    /// `freshness.mode: "forever"` (C76).
    @Test(arguments: ["no-store", "private", "max-age=0, must-revalidate"])
    func `keeps images for ever whatever the origin says`(directives: String) throws {
        let origin = try ScriptedOrigin.pictures(["Cache-Control": directives])
        let service = try TestService { $0.freshness.mode = .forever }
        _ = try service.get("/a.png", of: origin)
        let second = try service.get("/a.png", of: origin)
        try service.restart()
        let third = try service.get("/a.png", of: origin)
        #expect(second.isHit && third.cacheStatus.contains("detail=disk"), "\(second) \(third)")
        #expect(origin.hits == 1)
    }

    @Test func `keeps no failure for ever`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", inTurn: [.status(404, headers: ["Cache-Control": "max-age=600"]), stale])
        let service = try TestService {
            $0.freshness.mode = .forever
            $0.forgetFailures(after: .zero)
        }
        #expect(try service.get("/a.png", of: origin).status == 404)
        #expect(try service.get("/a.png", of: origin).isImage(stale.body))
    }

    /// `offline`: what is stored is served, and nothing is asked for.
    @Test func `keeps the service off the network`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/old.png", stale)
        let strict = stale.replacingHeader("Cache-Control", "max-age=0, must-revalidate")
        origin.on("/strict.png", strict.header("ETag", "\"v\""))
        let directory = try TemporaryDirectory()
        let online = try TestService(directory: directory)
        for target in ["/old.png", "/strict.png"] { _ = try online.get(target, of: origin) }
        #expect(try online.waitForDiskObjects(2))
        online.stop()

        let service = try TestService(directory: directory) { $0.offline = true }
        for _ in 0..<2 {
            let old = try service.get("/old.png", of: origin)
            #expect(old.isImage(stale.body) && old.cacheStatus.contains("detail=offline"), "\(old)")
        }
        // RFC 9111 §4.2.4: disconnected or not, must-revalidate holds.
        for target in ["/strict.png", "/none.png"] {
            let answer = try service.get(target, of: origin)
            #expect(answer.status == 504 && answer.problem == "not-cached", "\(answer)")
        }
        #expect(origin.hits == 2)
    }

    /// `freshness.honorClientDirectives: false` (C95).
    @Test(arguments: ["no-cache", "max-age=0", "min-fresh=1000"])
    func `protects the origin from what clients ask`(directive: String) throws {
        let origin = try ScriptedOrigin.pictures()
        let obedient = try TestService()
        let deaf = try TestService { $0.freshness.honorClientDirectives = false }
        for service in [obedient, deaf] { _ = try service.get("/a.png", of: origin) }
        let forced = try obedient.get("/a.png", of: origin, ["Cache-Control": directive])
        let spared = try deaf.get("/a.png", of: origin, ["Cache-Control": directive])
        #expect(forced.cacheStatus.contains("fwd=request"), "\(forced)")
        #expect(spared.isHit && origin.hits == 3, "\(spared)")
    }

    /// `freshness.staleWhileRevalidate`, where the origin names no window.
    @Test func `serves stale while it revalidates`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", stale)
        origin.on("/b.png", stale.replacingHeader("Cache-Control", "max-age=0, stale-while-revalidate=0"))
        let service = try TestService { $0.freshness.staleWhileRevalidate = .seconds(60) }
        for target in ["/a.png", "/b.png"] { _ = try service.get(target, of: origin) }
        let answer = try service.get("/a.png", of: origin)
        #expect(answer.cacheStatus.contains("detail=stale-while-revalidate"), "\(answer)")
        // The origin's own word comes first.
        #expect(try service.get("/b.png", of: origin).cacheStatus.contains("fwd=stale"))
    }

    /// `freshness.staleIfError`, where the origin names no window.
    @Test func `says how long stale images stand in for failures`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", inTurn: [stale, .status(503)])
        let service = try TestService { $0.freshness.staleIfError = .zero }
        _ = try service.get("/a.png", of: origin)
        #expect(try service.get("/a.png", of: origin).status == 502)
    }
}
