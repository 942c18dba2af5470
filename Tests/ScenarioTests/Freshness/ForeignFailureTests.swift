import ServiceHarness
import Settings
import TestSupport
import Testing

/// What an origin refuses one client, it has not refused the others.
@Suite(.blocking) struct `Another client's failure` {
    private static let picture = OriginReply.image(.png, bytes: 700, headers: ["Cache-Control": "max-age=60"])

    /// Refuses requests in this language, and has a picture for everyone else.
    private static func origin(refusingWith refusal: OriginReply) throws -> ScriptedOrigin {
        let origin = try ScriptedOrigin()
        origin.on("/a.png") { $0.fields.first("accept-language") == "evil" ? refusal : picture }
        return origin
    }

    @Test(arguments: [(400, nil), (403, nil), (406, nil), (413, nil), (431, nil), (404, "Accept-Language")])
    func `is not remembered for me`(code: Int, vary: String?) throws {
        let origin = try Self.origin(refusingWith: .status(code).replacingHeader("Vary", vary))
        let service = try TestService()
        let evil: KeyValuePairs = ["Accept-Language": "evil"]
        #expect(try service.get("/a.png", of: origin, evil).status != 200)
        #expect(try service.get("/a.png", of: origin, evil).cacheStatus.contains("detail=negative"))
        #expect(try service.get("/a.png", of: origin).isImage(Self.picture.body))
    }

    @Test func `of size or content is not, either, where the origin says that it varies`() throws {
        let large = Self.picture.header("Vary", "Accept-Language").declaring(length: 3_000_000)
        let origin = try Self.origin(refusingWith: large)
        let service = try TestService()
        #expect(try service.get("/a.png", of: origin, ["Accept-Language": "evil"]).problem == "image-too-large")
        #expect(try service.get("/a.png", of: origin).isImage(Self.picture.body))
    }

    /// C74: what is no one's own is asked for once, whoever asks.
    @Test(arguments: [404, 410, 429, 500, 503])
    func `spares the origin when it is about the image`(code: Int) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", .status(code))
        let service = try TestService()
        for number in 0..<20 {
            _ = try service.get(
                "/a.png", of: origin, ["Accept-Language": "x\(number)", "traceparent": "00-\(number)-1-01"])
        }
        #expect(origin.hits == 1)
    }

    /// Those who joined a download do not get what its first client provoked.
    @Test(arguments: [(400, nil), (403, nil), (431, nil), (404, "Accept-Language")] as [(Int, String?)])
    func `is not mine because I waited for the same download`(code: Int, vary: String?) throws {
        let gate = Gate()
        let refusal = OriginReply.status(code).replacingHeader("Vary", vary).holding(gate)
        let origin = try Self.origin(refusingWith: refusal)
        let service = try TestService()
        let waiting = ConcurrentClients(5) { number in
            if number > 0 { origin.waitForHits("/a.png") }
            return try service.get("/a.png", of: origin, number == 0 ? ["Accept-Language": "evil"] : [:])
        }
        #expect(try eventually { try service.metric("imagestore_waiters") == 5 })
        gate.open()
        let answers = try waiting.results()
        #expect(answers[0].status != 200, "\(answers[0])")
        for answer in answers[1...] { #expect(answer.isImage(Self.picture.body), "\(answer)") }
        #expect(origin.hits == 2)
    }

    /// Once it is known that the fields matter, nobody waits for anybody else.
    @Test func `does not make others wait in a row`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png") { request in
            let isFirst = request.fields.first("accept-language") == "x0"
            return isFirst ? .status(403).holding(gate) : .status(403).delayed(.milliseconds(300))
        }
        let service = try TestService()
        let waiting = ConcurrentClients(12) { number in
            if number > 0 { origin.waitForHits("/a.png") }
            return try service.get("/a.png", of: origin, ["Accept-Language": "x\(number)"])
        }
        #expect(try eventually { try service.metric("imagestore_waiters") == 12 })
        let start = ContinuousClock.now
        gate.open()
        #expect(try waiting.results().allSatisfy { $0.status == 403 })
        // In a row it would be more than three seconds.
        #expect(ContinuousClock.now - start < Patience.stretched(.milliseconds(2000)))
        #expect(origin.hits == 12)
    }

    @Test func `with credentials is not one without, and ends nothing that is shared`() throws {
        let shared = OriginReply.aged("max-age=60, public")
        let origin = try ScriptedOrigin()
        origin.on("/a.png") { $0.fields.first("cookie") == nil ? shared.answeringConditions() : .status(404) }
        let service = try TestService { $0.forwardHeaders = ["Cookie"] }
        _ = try service.get("/a.png", of: origin)
        #expect(try service.get("/a.png", of: origin, ["Cookie": "bad"]).status == 404)
        let answer = try service.get("/a.png", of: origin)
        #expect(answer.isImage(shared.body) && answer.cacheStatus.contains("fwd-status=304"), "\(answer)")
    }

    /// Being asked too often says nothing about the image.
    @Test(arguments: [400, 405, 429])
    func `that is about the request does not end what is stored`(code: Int) throws {
        let old = OriginReply.aged("max-age=60")
        let origin = try ScriptedOrigin()
        origin.on("/a.png", inTurn: [old, .status(code), old.answeringConditions()])
        let service = try TestService { $0.forgetFailures(after: .zero) }
        _ = try service.get("/a.png", of: origin)
        #expect(try service.get("/a.png", of: origin).status == code)
        #expect(try service.get("/a.png", of: origin).cacheStatus.contains("fwd-status=304"))
    }

    /// The operator may overrule an origin's word on its images, not on what one client's credentials got.
    @Test(arguments: ["Authorization", "Cookie"])
    func `nor answer is mine for ever`(name: String) throws {
        let origin = try ScriptedOrigin.pictures(["Cache-Control": "public, no-store"])
        let service = try TestService {
            $0.forwardHeaders = [name]
            $0.freshness.mode = .forever
        }
        _ = try service.get("/a.png", of: origin, [name: "secret"])
        #expect(try !service.get("/a.png", of: origin).isHit)
    }

    @Test func `tells when to come again, and that is ever sooner`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", .status(429, headers: ["Retry-After": "3"]))
        let service = try TestService()
        #expect(try service.get("/a.png", of: origin)["retry-after"] == "3")
        #expect(try eventually { try service.get("/a.png", of: origin)["retry-after"] == "1" })
        // Sooner than negativeTTL would have it.
        #expect(try eventually { try service.get("/a.png", of: origin).cacheStatus.contains("fwd=") })
    }
}
