import ServiceHarness
import Settings
import TestSupport
import Testing

/// Stale responses (RFC 9111 sections 4.2.4 and 4.3), wherever they lie.
@Suite(.blocking) struct `A stale image in any tier` {
    private static let date = "Mon, 06 Jan 2025 10:00:00 GMT"
    private let tagged = OriginReply.aged("max-age=60").answeringConditions()

    @Test(arguments: Tier.allCases)
    func `is validated by its tag and its date`(tier: Tier) throws {
        let picture = tagged.header("Last-Modified", Self.date)
        let rig = try TierRig(tier, picture)
        try rig.fill()

        let answer = try rig.get()

        #expect(answer.isImage(picture.body), "\(answer)")
        #expect(answer.cacheStatus.contains("fwd=stale; fwd-status=304"), "\(answer)")
        let request = try #require(rig.origin.requests.last)
        #expect(request.fields.all("if-none-match") == ["\"v1\""])
        #expect(request.fields.all("if-modified-since") == [Self.date])
    }

    @Test(arguments: Tier.allCases, ["no-cache, max-age=600", "max-age=60, must-revalidate", "s-maxage=60"])
    func `that may not be used as it is is validated each time`(tier: Tier, directives: String) throws {
        let picture = OriginReply.aged(directives).answeringConditions()
        let rig = try TierRig(tier, picture)
        try rig.fill()
        for _ in 0..<2 {
            let answer = try rig.get(["Cache-Control": "max-stale"])
            #expect(answer.isImage(picture.body), "\(answer)")
            #expect(answer.cacheStatus.contains("fwd=stale; fwd-status=304"), "\(answer)")
            try rig.settle()
        }
        #expect(rig.origin.hits == 3)
    }

    @Test(arguments: Tier.allCases)
    func `shows the fields of its confirmation from then on`(tier: Tier) throws {
        let old = tagged.header("Access-Control-Allow-Origin", "https://a.test").header("Content-Disposition", "inline")
        let fields = ["ETag: \"v1\"", "Cache-Control: max-age=900", "Access-Control-Allow-Origin: https://b.test"]
        let confirmed = "HTTP/1.1 304 Not Modified\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
        let rig = try TierRig(tier, old, .raw(confirmed))
        try rig.fill()
        for expected in ["fwd-status=304", "; hit", "; hit"] {
            let answer = try rig.get()
            #expect(answer.isImage(old.body) && answer.cacheStatus.contains(expected), "\(answer)")
            #expect(answer.fields.all("cache-control") == ["max-age=900"], "\(answer.fields)")
            #expect(answer.fields.all("access-control-allow-origin") == ["https://b.test"], "\(answer.fields)")
            #expect(answer["content-disposition"] == "inline" && answer["content-length"] == "900")
            #expect(answer.age.map { $0 < 100 } == true, "the age starts anew: \(answer.fields)")
            try rig.settle()
        }
        #expect(rig.origin.hits == 2)
    }

    /// RFC 9111 section 4.3.4: a confirmation of something else updates nothing.
    @Test(arguments: Tier.allCases)
    func `is fetched whole when the confirmation is for another one`(tier: Tier) throws {
        let foreign = "HTTP/1.1 304 Not Modified\r\nETag: \"v2\"\r\nCache-Control: max-age=900\r\n\r\n"
        let new = OriginReply.aged("max-age=600", tag: "v2", seed: 2)
        let rig = try TierRig(tier, tagged, .raw(foreign), new)
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.isImage(new.body) && answer["etag"] == "\"v2\"", "\(answer)")
        #expect(rig.origin.requests.map { $0.fields.first("if-none-match") } == [nil, "\"v1\"", nil])
    }

    /// C82, and RFC 9111 section 4.3.2: the client's tag is compared with what the validation brought.
    @Test(arguments: Tier.allCases)
    func `is compared with what the client has after its validation`(tier: Tier) throws {
        let new = OriginReply.aged("max-age=60", tag: "v2", seed: 2)
        let rig = try TierRig(tier, tagged, tagged, tagged, new)
        try rig.fill()
        let mine = try rig.get(["If-None-Match": "\"v1\""])
        let foreign = try rig.get(["If-None-Match": "\"v0\""])
        let replaced = try rig.get(["If-None-Match": "\"v1\""])
        #expect(mine.status == 304 && mine.body.isEmpty && mine["etag"] == "\"v1\"", "\(mine)")
        #expect(foreign.isImage(tagged.body), "\(foreign)")
        #expect(replaced.isImage(new.body), "\(replaced)")
    }

    /// It is 40 seconds past its lifetime.
    @Test(arguments: Tier.allCases)
    func `is judged by what its client asks for`(tier: Tier) throws {
        let rig = try TierRig(tier, tagged)
        try rig.fill()
        let asked = [
            ("max-stale", "detail=max-stale"), ("max-stale=1000", "detail=max-stale"),
            ("max-stale=10", "fwd=stale; fwd-status=304"), ("only-if-cached, max-stale", "detail=max-stale"),
            ("max-stale, max-age=50", "fwd=request; fwd-status=304"), ("no-cache", "fwd=request; fwd-status=304"),
        ]
        for (directives, expected) in asked {
            let answer = try rig.get(["Cache-Control": directives])
            #expect(answer.isImage(tagged.body), "\(directives): \(answer)")
            #expect(answer.cacheStatus.contains(expected), "\(directives): \(answer)")
            try rig.settle()
        }
        let hits = rig.origin.hits
        let answer = try rig.get(["Cache-Control": "only-if-cached"])
        #expect(answer.status == 504 && answer.problem == "not-cached" && rig.origin.hits == hits, "\(answer)")
    }

    /// C89; what follows must not bring it back either.
    @Test(arguments: Tier.allCases, [404, 410])
    func `is gone when the origin says so`(tier: Tier, code: Int) throws {
        let rig = try TierRig(tier, OriginReply.aged("max-age=60, stale-if-error=600"), .status(code), .status(500)) {
            $0.forgetFailures(after: .zero)
        }
        try rig.fill()
        let gone = try rig.get()
        #expect(gone.status == code && gone.problem == "origin-status", "\(gone)")
        if tier == .restarted { try rig.service.restart() }
        let after = try rig.get()
        #expect(after.status == 502 && after.problem == "origin-error", "\(after)")
    }

    @Test(arguments: Tier.allCases)
    func `outlives a new one that is cut`(tier: Tier) throws {
        let cut = OriginReply.aged("max-age=600", tag: "v2", seed: 2).cut(after: 300)
        let rig = try TierRig(tier, tagged, cut, tagged) { $0.forgetFailures(after: .zero) }
        try rig.fill()

        let broken = try rig.get()
        if tier == .restarted { try rig.service.restart() }
        let after = try rig.get()

        #expect(broken.ending == .cut || broken.isImage(tagged.body), "\(broken)")
        #expect(after.isImage(tagged.body) && after.cacheStatus.contains("fwd-status=304"), "\(after)")
    }

    /// RFC 9111 section 5.2.1.5: the directive does not apply to what is stored already.
    @Test(arguments: Tier.allCases)
    func `stays when a client that said no-store had it confirmed`(tier: Tier) throws {
        let rig = try TierRig(tier, tagged)
        try rig.fill()
        let first = try rig.get(["Cache-Control": "no-store"])
        #expect(first.isImage(tagged.body) && first.cacheStatus.contains("fwd-status=304"), "\(first)")
        let second = try rig.get()
        #expect(second.cacheStatus.contains("fwd-status=304"), "\(second)")
    }
}
