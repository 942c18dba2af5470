import ServiceHarness
import Settings
import TestSupport
import Testing

/// How long an image is good for (RFC 9111 section 4.2).
@Suite(.blocking) struct `The lifetime of an image` {
    /// C75.
    @Test(arguments: [[:], ["Set-Cookie": "id=1"]] as [KeyValuePairs<String, String>])
    func `is the default when the origin says nothing, cookies or not`(fields: KeyValuePairs<String, String>) throws {
        let origin = try ScriptedOrigin.pictures(fields)
        let service = try TestService()
        let answers = try [service.get("/a.png", of: origin), service.get("/a.png", of: origin)]
        #expect(origin.hits == 1 && answers[1].isHit, "\(answers)")
        #expect(answers.allSatisfy { $0["set-cookie"] == nil })
        #expect(answers[1].cacheStatus.firstMatch(of: /ttl=(\d+)/).flatMap { Int($0.1) }.map { $0 > 3590 } == true)
    }

    /// C76.
    @Test(arguments: ["private", "no-store", "private, max-age=60", "no-store, max-age=60"])
    func `is none when the origin forbids to store`(directives: String) throws {
        let origin = try ScriptedOrigin.pictures(["Cache-Control": directives, "ETag": "\"v1\""])
        let service = try TestService()
        for _ in 0..<2 {
            let answer = try service.get("/a.png", of: origin)
            #expect(answer.status == 200 && !answer.isHit && !answer.cacheStatus.contains("stored"), "\(answer)")
        }
        #expect(origin.hits("/a.png") == 2 && service.recordFiles.isEmpty)
        #expect(origin.requests.allSatisfy { $0.fields.first("if-none-match") == nil })
        #expect(try service.objects(in: "memory") == 0)
    }

    /// The field that decides stands first; both orders of the directives are tried.
    @Test(
        arguments: [
            ("max-age=60", nil, true), ("max-age=0", nil, false), ("s-maxage=60, max-age=0", nil, true),
            ("max-age=60, s-maxage=0", nil, false), ("public", "60", true), ("public", "-60", false),
            ("max-age=60", "-60", true), ("max-age=0", "60", false), ("no-cache", nil, false), (nil, "0", false),
        ] as [(String?, String?, Bool)])
    func `is what the origin says`(directives: String?, expiresIn: String?, isHit: Bool) throws {
        let origin = try ScriptedOrigin()
        var reply = ScriptedOrigin.picture(for: "/a.png")
        if let directives { reply = reply.header("Cache-Control", directives) }
        if let seconds = expiresIn.flatMap({ Int($0) }) { reply = reply.header("Expires", httpDate(in: seconds)) }
        origin.on("/a.png", reply)
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        let second = try service.get("/a.png", of: origin)
        #expect(second.isImage(reply.body) && second.isHit == isHit, "\(second)")
        #expect(origin.hits == (isHit ? 1 : 2))
    }

    /// C84.
    @Test func `begins at the age that the origin tells`() throws {
        let origin = try ScriptedOrigin.pictures(["Cache-Control": "max-age=60", "Age": "55"])
        let service = try TestService()
        let first = try service.get("/a.png", of: origin)
        let second = try service.get("/a.png", of: origin)
        #expect(first.age.map { $0 >= 55 } == true && second.age.map { (55...60).contains($0) } == true, "\(second)")
        #expect(second.isHit)
    }

    /// C199.
    @Test func `ends in both tiers at once`() throws {
        let lifetime = 2 * Patience.factor
        let origin = try ScriptedOrigin()
        let old = OriginReply.image(.png, bytes: 500, seed: 1, headers: ["Cache-Control": "max-age=\(lifetime)"])
        let new = OriginReply.image(.png, bytes: 500, seed: 2, headers: ["Cache-Control": "max-age=60"])
        origin.on("/a.png", inTurn: [old, new])
        let service = try TestService()
        #expect(try service.get("/a.png", of: origin).isImage(old.body))
        #expect(try service.waitForDiskObjects(1))
        #expect(try service.get("/a.png", of: origin).isImage(old.body))

        pause(.seconds(lifetime) + .milliseconds(100))

        #expect(try service.get("/a.png", of: origin).isImage(new.body))
        #expect(origin.hits("/a.png") == 2)
    }

    /// C199: also when only the disk has it.
    @Test func `ends on the disk while the service is down`() throws {
        let origin = try ScriptedOrigin.pictures(["Cache-Control": "max-age=1"])
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        #expect(try service.waitForDiskObjects(1))
        service.stop()
        pause(.milliseconds(1100))
        try service.restart()
        let answer = try service.get("/a.png", of: origin)
        #expect(!answer.isHit && origin.hits("/a.png") == 2, "\(answer)")
    }
}
