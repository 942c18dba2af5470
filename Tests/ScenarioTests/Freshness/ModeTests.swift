import ServiceHarness
import Settings
import TestSupport
import Testing

/// What the operator may decide about freshness, against the origin or the client.
@Suite(.blocking) struct `The operator's word on freshness` {
    @Test(arguments: Tier.allCases, ["no-store", "private", "no-cache", "max-age=0, must-revalidate", "max-age=50"])
    func `can be that an image never changes`(tier: Tier, directives: String) throws {
        let picture = OriginReply.aged(directives)
        let rig = try TierRig(tier, picture) { $0.freshness.mode = .forever }
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.isImage(picture.body) && answer.isHit, "\(answer)")
        #expect(answer.ttl.map { $0 > 365 * 86_400 } == true && rig.origin.hits == 1, "\(answer)")
    }

    @Test func `never makes a failure last for ever`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", .status(404, headers: ["Cache-Control": "max-age=600"]))
        let service = try TestService {
            $0.freshness.mode = .forever
            $0.forgetFailures(after: .zero)
        }
        for _ in 0..<2 { #expect(try service.get("/a.png", of: origin).status == 404) }
        #expect(origin.hits == 2)
    }

    /// The images were stored by a service that still had its origins.
    @Test func `can be that no origin is asked`() throws {
        let rig = try TierRig(.restarted, .aged("max-age=60, stale-if-error=0"))
        rig.origin.on("/fresh.png", .aged("max-age=600"))
        rig.origin.on("/strict.png", .aged("max-age=60, must-revalidate"))
        rig.origin.on("/window.png", .aged("max-age=60, stale-while-revalidate=600"))
        for target in ["/fresh.png", "/strict.png", "/window.png", TierRig.target] {
            _ = try rig.service.get(target, of: rig.origin)
        }
        rig.service.stop()
        let hits = rig.origin.hits

        let offline = try TestService(directory: rig.service.directory) { $0.offline = true }
        let fresh = try offline.get("/fresh.png", of: rig.origin)
        let stale = try offline.get(TierRig.target, of: rig.origin)
        let strict = try offline.get("/strict.png", of: rig.origin)
        let window = try offline.get("/window.png", of: rig.origin)
        let absent = try offline.get("/absent.png", of: rig.origin)

        #expect(fresh.status == 200 && fresh.isHit, "\(fresh)")
        #expect(stale.status == 200 && stale.cacheStatus.contains("; hit; ttl=-"), "\(stale)")
        #expect(stale.cacheStatus.hasSuffix("detail=offline"))
        #expect(window.status == 200 && window.isHit, "\(window)")
        for answer in [strict, absent] { #expect(answer.status == 504 && answer.problem == "not-cached", "\(answer)") }
        #expect(rig.origin.hits == hits)
    }

    /// C95.
    @Test(arguments: Tier.allCases)
    func `can be that clients force no fetch`(tier: Tier) throws {
        let rig = try TierRig(tier, .aged("max-age=600")) { $0.freshness.honorClientDirectives = false }
        try rig.fill()
        for directive in ["no-cache", "max-age=0", "min-fresh=9999"] {
            #expect(try rig.get(["Cache-Control": directive]).isHit, "\(directive)")
        }
        #expect(try rig.get(["Pragma": "no-cache"]).isHit)
        #expect(rig.origin.hits == 1)
    }

    /// RFC 5861 where the origin says nothing of it.
    @Test(arguments: Tier.allCases, [true, false])
    func `gives or refuses time to validate in the background`(tier: Tier, isGiven: Bool) throws {
        let rig = try TierRig(tier, OriginReply.aged("max-age=60").answeringConditions()) {
            $0.freshness.staleWhileRevalidate = isGiven ? .seconds(600) : .seconds(10)
        }
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.cacheStatus.contains(isGiven ? "detail=stale-while-revalidate" : "fwd=stale"), "\(answer)")
    }

    /// RFC 5861 where the origin says nothing of it.
    @Test(arguments: Tier.allCases, [true, false])
    func `gives or refuses time for an origin that fails`(tier: Tier, isGiven: Bool) throws {
        let rig = try TierRig(tier, .aged("max-age=60"), .status(500)) {
            $0.freshness.staleIfError = isGiven ? .seconds(600) : .seconds(10)
        }
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.status == (isGiven ? 200 : 502), "\(answer)")
    }

    /// It is 40 seconds past its lifetime.
    @Test(arguments: Tier.allCases, [true, false])
    func `says for how long a stale image is kept`(tier: Tier, isKept: Bool) throws {
        let rig = try TierRig(tier, OriginReply.aged("max-age=60").answeringConditions()) {
            $0.freshness.keepStale = isKept ? .seconds(600) : .seconds(10)
            $0.freshness.staleIfError = .seconds(5)
        }
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.cacheStatus.contains(isKept ? "fwd-status=304" : "fwd=uri-miss"), "\(answer)")
        #expect(rig.origin.requests.last?.fields.first("if-none-match") == (isKept ? "\"v1\"" : nil))
    }

    @Test(arguments: Tier.allCases)
    func `bounds every lifetime`(tier: Tier) throws {
        for (directives, bound) in [("max-age=101", 500), ("max-age=5000", 900)] {
            let rig = try TierRig(tier, .aged(directives)) {
                $0.freshness.minTTL = .seconds(500)
                $0.freshness.maxTTL = .seconds(900)
            }
            try rig.fill()
            let answer = try rig.get()
            #expect(answer.isHit && answer.ttl.map { (bound - 200...bound - 100).contains($0) } == true, "\(answer)")
        }
    }

    @Test(arguments: Tier.allCases)
    func `names the fields that are kept, hidden and forwarded`(tier: Tier) throws {
        let rig = try TierRig(tier, OriginReply.aged("max-age=600").header("X-Kept", "1").header("X-Other", "1")) {
            $0.keepHeaders = ["X-Kept"]
            $0.dropHeaders = ["Cache-Control"]
            $0.forwardHeaders = ["X-Sent"]
        }
        try rig.fill(["X-Sent": "1", "X-Unsent": "1", "Accept-Language": "de"])
        let answer = try rig.get()
        #expect(answer.isHit && answer["x-kept"] == "1" && answer["x-other"] == nil, "\(answer.fields)")
        #expect(answer["cache-control"] == nil, "it decides all the same: \(answer.fields)")
        let request = try #require(rig.origin.requests.first).fields
        #expect(request.first("x-sent") == "1" && request.first("x-unsent") == nil, "\(request)")
        #expect(request.first("accept-language") == nil, "\(request)")
    }
}
