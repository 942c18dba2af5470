import ServiceHarness
import Settings
import TestSupport
import Testing

/// Credentials that the operator forwards by name (RFC 9111 section 3.5).
@Suite(.blocking) struct `An answer to credentials` {
    @Test(
        arguments: Tier.allCases,
        [
            ("max-age=600", false), ("public, max-age=600", true), ("s-maxage=600", true),
            ("private, max-age=600", false),
        ])
    func `is stored only where sharing is allowed`(tier: Tier, directives: (String, Bool)) throws {
        let (cacheControl, isShared) = directives
        let rig = try TierRig(tier, .aged(cacheControl)) { $0.forwardHeaders = ["Authorization"] }
        _ = try rig.get(["Authorization": "Basic eDp5"])
        if isShared { try rig.settle() }
        let answer = try rig.get()
        #expect(answer.isHit == isShared && rig.origin.hits == (isShared ? 1 : 2), "\(answer)")
        #expect(rig.origin.requests.first?.fields.first("authorization") == "Basic eDp5")
    }

    @Test(arguments: [("s-maxage=600", false), ("public, max-age=600", true)])
    func `with a cookie is stored only where it is public`(cacheControl: String, isShared: Bool) throws {
        let rig = try TierRig(.memory, .aged(cacheControl)) { $0.forwardHeaders = ["Cookie"] }
        _ = try rig.get(["Cookie": "id=1"])
        let answer = try rig.get()
        #expect(answer.isHit == isShared && rig.origin.hits == (isShared ? 1 : 2), "\(answer)")
    }

    @Test func `is not shared with those who wait without them`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png") { request in
            let isKnown = request.fields.first("authorization") != nil
            return OriginReply.aged("max-age=600", seed: isKnown ? 1 : 2).holding(gate)
        }
        let service = try TestService { $0.forwardHeaders = ["Authorization"] }
        let waiting = ConcurrentClients(2) { number in
            if number == 1 { origin.waitForHits("/a.png") }
            return try service.get("/a.png", of: origin, number == 0 ? ["Authorization": "Basic eDp5"] : [:])
        }
        #expect(try eventually { try service.metric("imagestore_waiters") == 2 })
        gate.open()
        let answers = try waiting.results()
        #expect(answers[0].isImage(OriginReply.aged("", seed: 1).body), "\(answers)")
        #expect(answers[1].isImage(OriginReply.aged("", seed: 2).body) && origin.hits == 2, "\(answers)")
    }

    /// What one client alone may have says nothing about what the others share.
    @Test(arguments: ["Authorization", "Cookie"])
    func `does not end what is stored for everyone`(name: String) throws {
        let shared = OriginReply.aged("max-age=60, stale-while-revalidate=600")
        let origin = try ScriptedOrigin()
        origin.on("/a.png") { request in
            request.fields.first(name) == nil ? shared.answeringConditions() : OriginReply.aged("max-age=60", seed: 9)
        }
        let service = try TestService { $0.forwardHeaders = [name] }
        _ = try service.get("/a.png", of: origin)

        let own = try service.get("/a.png", of: origin, [name: "secret"])
        let other = try service.get("/a.png", of: origin)

        #expect(own.isImage(OriginReply.aged("", seed: 9).body) && own.cacheStatus.contains("fwd=stale"), "\(own)")
        #expect(other.isImage(shared.body) && other.isHit, "\(other)")
    }
}
