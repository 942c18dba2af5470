import ServiceHarness
import Settings
import TestSupport
import Testing

/// Failures are remembered by kind (`negativeTTL`), so that a broken image does not cost a fetch for every request.
@Suite(.blocking) struct `A remembered failure` {
    /// A kind of failure, how an origin brings it about, and how its time is set.
    struct Kind: Sendable, CustomStringConvertible {
        let description: String
        let reply: OriginReply
        let remember: @Sendable (inout Configuration.NegativeTTL, Duration) -> Void
    }

    private static let page = OriginReply.status(
        200, body: Array("<html></html>".utf8), headers: ["Content-Type": "text/html"])

    private static let kinds = [
        Kind(description: "notFound", reply: .status(404), remember: { $0.notFound = $1 }),
        Kind(description: "serverError", reply: .status(503), remember: { $0.serverError = $1 }),
        Kind(description: "refused", reply: .raw(""), remember: { $0.refused = $1 }),
        Kind(description: "timeout", reply: .silence, remember: { $0.timeout = $1 }),
        Kind(description: "tooLarge", reply: .image(.png, bytes: 70_000), remember: { $0.tooLarge = $1 }),
        Kind(description: "notAnImage", reply: page, remember: { $0.notAnImage = $1 }),
    ]

    private func service(for kind: Kind, itself: Duration, others: Duration) throws -> TestService {
        try TestService {
            $0.forgetFailures(after: others)
            kind.remember(&$0.negativeTTL, itself)
            $0.firstByteTimeout = Patience.stretched(.milliseconds(300))
            $0.maxDownloadSize = 50_000
        }
    }

    /// C74.
    @Test(arguments: kinds)
    func `is answered for as long as its kind is remembered`(kind: Kind) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", kind.reply)
        let service = try service(for: kind, itself: .seconds(70), others: .zero)

        let first = try service.get("/a.png", of: origin)
        let hits = origin.hits
        let second = try service.get("/a.png", of: origin)

        #expect(first.status >= 400 && first.status == second.status && !first.isHit, "\(first)")
        #expect(origin.hits == hits && second.cacheStatus.contains("; hit; ttl="), "\(second)")
        #expect(second.cacheStatus.hasSuffix("detail=negative"))
        #expect(second.maxAge.map { (20...70).contains($0) } == true, "\(second.fields)")
        #expect(try service.metric("imagestore_requests_total", ["result": "negative_hit"]) == 1)
    }

    @Test(arguments: kinds)
    func `is none when its kind is not remembered`(kind: Kind) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", kind.reply)
        let service = try service(for: kind, itself: .zero, others: .seconds(70))
        let first = try service.get("/a.png", of: origin)
        let hits = origin.hits
        let second = try service.get("/a.png", of: origin)
        #expect(first["cache-control"] == "no-store" && !second.isHit && origin.hits > hits, "\(second)")
    }

    /// RFC 9110 section 10.2.3.
    @Test(arguments: [429, 500, 503])
    func `lasts as long as Retry-After asks for`(code: Int) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", .status(code, headers: ["Retry-After": "120"]))
        let service = try TestService { $0.forgetFailures(after: .seconds(1)) }
        _ = try service.get("/a.png", of: origin)
        let answer = try service.get("/a.png", of: origin)
        #expect(answer.maxAge.map { (60...120).contains($0) } == true, "\(answer.fields)")
        #expect(answer["retry-after"] != nil && origin.hits == 1)
    }

    /// A client cannot use it to make us knock again and again.
    @Test(arguments: ["no-cache", "max-age=0"])
    func `is not bypassed by a client`(directive: String) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", .status(404))
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        let answer = try service.get("/a.png", of: origin, ["Cache-Control": directive])
        #expect(answer.status == 404 && answer.cacheStatus.contains("detail=negative") && origin.hits == 1, "\(answer)")
    }
}
