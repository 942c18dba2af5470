import ServiceHarness
import Settings
import TestSupport
import Testing

/// How long an image lives that a redirect led to: no longer than each hop allows.
@Suite(.blocking) struct `An image behind a redirect` {
    private let picture = OriginReply.image(.png, bytes: 900, headers: ["Cache-Control": "max-age=6000"])

    /// C166, C167: without a word of its own a permanent redirect does not limit, a temporary one does.
    @Test(
        arguments: Tier.allCases,
        [
            (301, nil, 6000), (308, nil, 6000), (302, nil, 200), (303, nil, 200), (307, nil, 200),
            (301, "max-age=60", 60), (302, "max-age=900", 900),
        ] as [(Int, String?, Int)])
    func `lives no longer than the redirect`(tier: Tier, hop: (Int, String?, Int)) throws {
        let (code, directives, limit) = hop
        var redirect = OriginReply.redirect(code, to: "/b.png")
        if let directives { redirect = redirect.header("Cache-Control", directives) }
        let rig = try TierRig(tier, redirect) { $0.freshness.redirectTTL = .seconds(200) }
        rig.origin.on("/b.png", picture)
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.isImage(picture.body) && answer.isHit, "\(answer)")
        #expect(answer.ttl.map { (limit - 50...limit).contains($0) } == true, "\(answer)")
        #expect(rig.origin.hits == 2)
    }

    /// C166: what stood behind the redirect yesterday is of no interest.
    @Test(arguments: Tier.allCases, ["no-store", "no-cache", "private"])
    func `that may not be kept is reached through it each time`(tier: Tier, directives: String) throws {
        func hop(to target: String) -> OriginReply {
            .redirect(301, to: target, headers: ["Cache-Control": directives])
        }
        let other = OriginReply.image(.gif, bytes: 700, headers: ["Cache-Control": "max-age=60"])
        let rig = try TierRig(tier, hop(to: "/v1.png?tok=1"), hop(to: "/v2.png"))
        rig.origin.on("/v1.png?tok=1", picture.header("ETag", "\"v1\""))
        rig.origin.on("/v2.png", other)
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.isImage(other.body), "\(answer)")
        #expect(rig.origin.targets == ["/a.png", "/v1.png?tok=1", "/a.png", "/v2.png"])
    }

    /// A tag says nothing of another resource, be it the same tag.
    @Test(arguments: Tier.allCases)
    func `is not confirmed by another image that has the same tag`(tier: Tier) throws {
        func hop(to target: String) -> OriginReply {
            .redirect(302, to: target, headers: ["Cache-Control": "no-store"])
        }
        let other = OriginReply.aged("max-age=600", seed: 2).answeringConditions()
        let rig = try TierRig(tier, hop(to: "/v1.png"), hop(to: "/v2.png"))
        rig.origin.on("/v1.png", OriginReply.aged("max-age=600", seed: 1).answeringConditions())
        rig.origin.on("/v2.png", other)
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.isImage(other.body), "\(answer)")
    }

    /// RFC 9111 section 4.3: behind the same redirect it is confirmed.
    @Test(arguments: Tier.allCases)
    func `is validated through the redirect`(tier: Tier) throws {
        let rig = try TierRig(tier, .redirect(302, to: "/b.png", headers: ["Cache-Control": "no-store"]))
        let image = OriginReply.aged("max-age=600").answeringConditions()
        rig.origin.on("/b.png", image)
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.isImage(image.body) && answer.cacheStatus.contains("fwd=stale; fwd-status=304"), "\(answer)")
        #expect(rig.origin.targets == ["/a.png", "/b.png", "/a.png", "/b.png"])
    }

    /// C167.
    @Test(arguments: [OriginReply.status(300), .status(302), .raw("HTTP/1.1 304 Not Modified\r\n\r\n")])
    func `that leads nowhere is not there`(reply: OriginReply) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", reply)
        let answer = try TestService().get("/a.png", of: origin)
        #expect(answer.status == 502 && answer.problem == "bad-redirect", "\(answer)")
    }
}
