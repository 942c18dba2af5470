import ServiceHarness
import Settings
import TestSupport
import Testing

/// Fresh responses (RFC 9111 sections 4 and 4.2), wherever they lie.
@Suite(.blocking) struct `A fresh image in any tier` {
    @Test(arguments: Tier.allCases)
    func `is a hit that tells its age and what is left`(tier: Tier) throws {
        let picture = OriginReply.aged("max-age=600")
        let rig = try TierRig(tier, picture)
        try rig.fill()

        let answer = try rig.get()

        let age = try #require(answer.age)
        #expect(answer.isImage(picture.body) && (100..<300).contains(age), "\(answer)")
        #expect(answer.cacheStatus == "imagestore; hit; ttl=\(600 - age); detail=\(tier.detail)")
        #expect(answer.fields.all("age").count == 1 && rig.origin.hits == 1)
    }

    /// C84, C199.
    @Test(arguments: Tier.allCases, [("max-age=1", "0"), ("max-age=60", "59")])
    func `goes stale when its lifetime is over`(tier: Tier, lifetime: (String, String)) throws {
        let old = OriginReply.image(
            .png, bytes: 900, headers: ["Cache-Control": lifetime.0, "Age": lifetime.1])
        let new = OriginReply.image(.gif, bytes: 700, headers: ["Cache-Control": "max-age=60"])
        let rig = try TierRig(tier, old, new)
        #expect(try rig.fill().isImage(old.body))

        pause(.milliseconds(1100))

        let answer = try rig.get()
        #expect(answer.isImage(new.body) && answer.cacheStatus.contains("fwd=stale"), "\(answer)")
    }

    /// RFC 9111 section 4.2.1: the origin's clock is a day ahead, and it means a minute.
    @Test(arguments: Tier.allCases)
    func `has its Expires measured from its Date`(tier: Tier) throws {
        let picture = OriginReply.image(
            .png, headers: ["Date": httpDate(in: 86_400), "Expires": httpDate(in: 86_460)])
        let rig = try TierRig(tier, picture)
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.isHit && answer.ttl.map { (1...60).contains($0) } == true, "\(answer)")
    }

    @Test(arguments: Tier.allCases, [("max-age=600", true), ("max-age=600, &", false), ("max-age=\"600\"", false)])
    func `obeys CDN-Cache-Control when that is valid`(tier: Tier, field: (String, Bool)) throws {
        let picture = OriginReply.aged("max-age=0").header("CDN-Cache-Control", field.0)
        let rig = try TierRig(tier, picture)
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.isImage(picture.body) && answer.isHit == field.1, "\(answer)")
    }

    /// C75.
    @Test(arguments: Tier.allCases)
    func `has lost its cookies`(tier: Tier) throws {
        let rig = try TierRig(tier, .aged("max-age=600").header("Set-Cookie", "id=1"))
        let first = try rig.fill()
        let second = try rig.get()
        #expect(first["set-cookie"] == nil && second["set-cookie"] == nil && second.isHit, "\(second.fields)")
    }

    /// C92.
    @Test(arguments: Tier.allCases)
    func `is for requests of its variant only`(tier: Tier) throws {
        let modern = OriginReply.image(.avif, headers: ["Cache-Control": "max-age=600", "Vary": "Accept"])
        let plain = OriginReply.image(.jpeg, headers: ["Cache-Control": "max-age=600", "Vary": "Accept"])
        let rig = try TierRig(tier, modern, plain)
        try rig.fill(["Accept": "image/avif,  image/webp"], records: 2)  // the second tells that there are variants

        let same = try rig.get(["Accept": "image/webp,image/avif"])
        let other = try rig.get(["Accept": "image/jpeg"])

        #expect(same.isImage(modern.body) && same.isHit && same["vary"] == "Accept", "\(same)")
        #expect(other.isImage(plain.body) && other.cacheStatus.contains("fwd=vary-miss"), "\(other)")
    }

    /// C93: neither field is sent on, so the answer cannot depend on them.
    @Test(arguments: Tier.allCases)
    func `is for everybody when it varies by what the origin never sees`(tier: Tier) throws {
        let rig = try TierRig(tier, OriginReply.aged("max-age=600").header("Vary", "Cookie, Authorization, X-Own"))
        try rig.fill(["Cookie": "a=1", "X-Own": "1"])
        let answer = try rig.get(["Cookie": "a=2", "Authorization": "Basic eDp5"])
        #expect(answer.isHit && rig.origin.hits == 1, "\(answer)")
    }

    /// C96.
    @Test(arguments: [(200, true), (203, true), (204, false), (404, false), (410, false), (500, false), (503, false)])
    func `is a 200 or a 203, and nothing else`(code: Int, isKept: Bool) throws {
        let body = code == 204 ? [] : Pictures.bytes(.png, count: 900)
        let fields = ["Cache-Control": "max-age=600", "Content-Type": "image/png"] as KeyValuePairs
        let rig = try TierRig(.memory, .status(code, body: body, headers: fields)) {
            $0.forgetFailures(after: .zero)
        }
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.isHit == isKept, "\(answer)")
        #expect(try rig.service.objects(in: "memory") == (isKept ? 1 : 0))
    }

    /// C110.
    @Test(arguments: Tier.allCases)
    func `answers HEAD without asking the origin`(tier: Tier) throws {
        let rig = try TierRig(tier, .aged("max-age=600"))
        try rig.fill()
        let query = "/image?url=\(percentEncoded(rig.origin.url(TierRig.target)))"
        let head = try rig.service.ask(query, method: "HEAD")
        #expect(head.status == 200 && head["content-length"] == "900" && head.body.isEmpty && head.isHit, "\(head)")
        #expect(rig.origin.requests.map(\.method) == ["GET"])
    }

    /// C95; it is 100 seconds old and fresh for 500 more.
    @Test(arguments: Tier.allCases)
    func `is judged by what its client asks for`(tier: Tier) throws {
        let rig = try TierRig(tier, OriginReply.aged("max-age=600").answeringConditions())
        try rig.fill()
        let asked: [(String, String, String)] = [
            ("Cache-Control", "no-cache", "fwd=request; fwd-status=304"),
            ("Cache-Control", "max-age=0", "fwd=request; fwd-status=304"),
            ("Cache-Control", "max-age=50", "fwd=request; fwd-status=304"),
            ("Cache-Control", "max-age=400", "; hit"), ("Cache-Control", "min-fresh=550", "fwd=request"),
            ("Cache-Control", "min-fresh=200", "; hit"), ("Cache-Control", "max-stale", "; hit"),
            ("Cache-Control", "only-if-cached", "; hit"), ("Cache-Control", "no-store", "; hit"),
            ("Cache-Control", "x=no-cache", "; hit"), ("Pragma", "no-cache", "fwd=request; fwd-status=304"),
        ]
        for (name, value, expected) in asked {
            let answer = try rig.get([name: value])
            #expect(answer.status == 200 && answer.body.count == 900, "\(name): \(value): \(answer)")
            #expect(answer.cacheStatus.contains(expected), "\(name): \(value): \(answer)")
            try rig.settle()
        }
    }
}
