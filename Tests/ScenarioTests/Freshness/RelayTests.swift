import ServiceHarness
import Settings
import TestSupport
import Testing

/// `contentTypes: ["*/*"]` makes it a plain caching proxy: any status, any body, all end-to-end fields.
@Suite(.blocking) struct `A plain caching proxy` {
    private static func relay(_ configuration: inout Configuration) throws {
        configuration.contentTypes = [try #require(MediaRange("*/*"))]
        configuration.followRedirects = false
        configuration.forwardHeaders = ["*"]
        configuration.freshness.defaultTTL = .zero
    }

    private static func reply(_ code: Int, _ cacheControl: String?) -> OriginReply {
        let body = code == 204 ? [] : Array("status \(code)".utf8)
        let reply = OriginReply.status(code, body: body, headers: ["Content-Type": "text/plain", "X-Any": "1"])
        return cacheControl.map { reply.header("Cache-Control", $0) } ?? reply
    }

    /// C96, RFC 9111 section 3: any final status with explicit freshness.
    @Test(arguments: Tier.allCases)
    func `keeps every final status that says for how long`(tier: Tier) throws {
        let codes = [200, 203, 204, 299, 301, 302, 307, 308, 400, 404, 405, 410, 414, 451, 499, 500, 501, 503, 599]
        let replies = codes.map { Self.reply($0, "max-age=600") }
        let rig = try TierRig(tier, Self.reply(200, "max-age=600"), change: Self.relay)
        for (code, reply) in zip(codes, replies) {
            rig.origin.on("/\(code)", reply)
            _ = try rig.service.get("/\(code)", of: rig.origin)
        }
        try rig.settle(objects: codes.count)
        for (code, reply) in zip(codes, replies) {
            let answer = try rig.service.get("/\(code)", of: rig.origin)
            #expect(answer.status == code && answer.body == reply.body && answer.isHit, "\(code): \(answer)")
            #expect(answer["x-any"] == "1" && answer["content-type"] == "text/plain", "\(code): \(answer.fields)")
        }
    }

    /// RFC 9111 section 4.2.2: with a date of change some statuses allow a guess, others do not.
    @Test(arguments: [(200, true), (404, true), (410, true), (501, true), (302, false), (500, false), (599, false)])
    func `guesses a lifetime only where that is allowed`(code: Int, isAllowed: Bool) throws {
        let reply = Self.reply(code, nil).header("Last-Modified", "Mon, 06 Jan 2025 10:00:00 GMT")
        let rig = try TierRig(.memory, reply, change: Self.relay)
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.status == code && answer.isHit == isAllowed, "\(answer)")
    }

    @Test func `does not reuse what says nothing and cannot be validated`() throws {
        let rig = try TierRig(.memory, Self.reply(200, nil)) { try Self.relay(&$0) }
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.status == 200 && !answer.isHit && rig.origin.hits == 2, "\(answer)")
    }

    /// RFC 9111 section 3.1.
    @Test(arguments: Tier.allCases)
    func `keeps all fields but those of one connection, one user or one validation`(tier: Tier) throws {
        let reply = Self.reply(200, "max-age=600, no-cache=\"X-Fresh\", private=\"X-User\"")
            .header("X-Fresh", "1").header("X-User", "1").header("X-Hop", "1").header("Connection", "X-Hop")
            .header("Proxy-Authenticate", "Basic").header("Set-Cookie", "a=b").header("Warning", "110 - \"stale\"")
        let rig = try TierRig(tier, reply, change: Self.relay)
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.isHit && answer["x-any"] == "1" && answer["warning"] != nil, "\(answer)")
        for name in ["x-fresh", "x-user", "x-hop", "proxy-authenticate", "set-cookie"] {
            #expect(answer[name] == nil, "\(answer.fields)")
        }
    }

    /// RFC 9111 section 3.1, last paragraph.
    @Test func `does not take trailer fields for header fields`() throws {
        let head =
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\nTrailer: ETag\r\n"
        let chunks = "\r\n3\r\nabc\r\n0\r\nETag: \"t\"\r\nX-T: 1\r\n\r\n"
        let rig = try TierRig(.memory, .raw(head + chunks), change: Self.relay)
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.isHit && answer.text == "abc", "\(answer)")
        #expect(answer["etag"] == nil && answer["x-t"] == nil, "\(answer.fields)")
    }

    /// RFC 9111 section 5.2: directives go on in both directions; section 5.2.2.6: the content is not transformed.
    @Test func `passes directives on, and the body as it came`() throws {
        let reply = Self.reply(200, "max-age=600, no-transform, x-new=\"1\"").header("Content-Encoding", "x-unknown")
        let rig = try TierRig(.memory, reply, change: Self.relay)
        try rig.fill(["Cache-Control": "max-stale=7, x-mine"])
        let answer = try rig.get()
        #expect(answer.isHit && answer.body == reply.body && answer["content-encoding"] == "x-unknown", "\(answer)")
        #expect(answer["cache-control"] == "max-age=600, no-transform, x-new=\"1\"")
        #expect(rig.origin.requests.first?.fields.first("cache-control") == "max-stale=7, x-mine")
    }

    /// RFC 9211 section 2: the origin's own member stays in front of ours.
    @Test(arguments: Tier.allCases)
    func `adds its Cache-Status to those that came`(tier: Tier) throws {
        let reply = Self.reply(200, "max-age=600").header("Cache-Status", "origin; hit")
        let rig = try TierRig(tier, reply, change: Self.relay)
        let first = try rig.fill()
        let second = try rig.get()
        #expect(first.cacheStatus == "origin; hit, imagestore; fwd=uri-miss; stored", "\(first)")
        #expect(second.cacheStatus.hasPrefix("origin; hit, imagestore; hit; ttl="), "\(second)")
    }

    /// RFC 5861 section 4: what holds for images holds for everything.
    @Test(arguments: Tier.allCases, [500, 502, 503, 504])
    func `serves stale instead of a server's error where that is allowed`(tier: Tier, code: Int) throws {
        let old = Self.reply(200, "max-age=60, stale-if-error=600").header("Age", "100")
        let rig = try TierRig(tier, old, Self.reply(code, nil), change: Self.relay)
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.status == 200 && answer.body == old.body, "\(answer)")
        #expect(answer.cacheStatus.contains("detail=stale-if-error"), "\(answer)")
    }

    /// RFC 9111 section 4.3.3: a full response replaces what is stored, whatever its status.
    @Test(arguments: Tier.allCases)
    func `replaces a page by the word that it is gone`(tier: Tier) throws {
        let old = Self.reply(200, "max-age=60").header("Age", "100").header("ETag", "\"v1\"")
        let gone = Self.reply(410, "max-age=600")
        let rig = try TierRig(tier, old, gone, change: Self.relay)
        try rig.fill()
        for expected in ["fwd=stale", "; hit"] {
            let answer = try rig.get()
            #expect(answer.status == 410 && answer.body == gone.body, "\(answer)")
            #expect(answer.cacheStatus.contains(expected), "\(answer)")
            try rig.settle()
        }
    }
}
