import ServiceHarness
import Settings
import TestSupport
import Testing

/// How long failures are remembered.
@Suite(.blocking) struct `A failure` {
    private let picture = OriginReply.image(.png, bytes: 500, headers: ["Cache-Control": "max-age=60"])

    /// C48.
    @Test func `to be an image is forgotten in time`() throws {
        let origin = try ScriptedOrigin()
        let page = OriginReply.status(200, body: Array("<html></html>".utf8), headers: ["Content-Type": "text/html"])
        origin.on("/a.png", inTurn: [page, picture])
        let service = try TestService { $0.forgetFailures(after: .seconds(1)) }

        let first = try service.get("/a.png", of: origin)

        #expect(first.status == 502 && ["type-not-allowed", "not-an-image"].contains(first.problem), "\(first)")
        #expect(try eventually(upTo: .seconds(4)) { try service.get("/a.png", of: origin).isImage(picture.body) })
    }

    /// C63.
    @Test func `of an empty body is forgotten in time`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", inTurn: [.status(200, headers: ["Content-Type": "image/png"]), picture])
        let service = try TestService { $0.forgetFailures(after: .seconds(1)) }

        let first = try service.get("/a.png", of: origin)

        #expect(first.status == 502 && first.problem == "not-an-image", "\(first)")
        #expect(try service.objects(in: "memory") == 0)
        #expect(try eventually(upTo: .seconds(4)) { try service.get("/a.png", of: origin).isImage(picture.body) })
    }

    /// C70.
    @Test func `of time is told as one and not to be kept`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", .silence)
        let service = try TestService {
            $0.firstByteTimeout = .milliseconds(500)
            $0.forgetFailures(after: .seconds(2))
        }
        let answer = try service.get("/a.png", of: origin)
        #expect(answer.status == 504 && answer.problem == "origin-timeout", "\(answer)")
        let control = answer["cache-control"] ?? ""
        let maxAge = control.firstMatch(of: /max-age=(\d+)/).flatMap { Int($0.1) }
        #expect(control.contains("no-store") || maxAge.map { $0 <= 2 } == true, "\(control)")
        #expect(answer["proxy-status"]?.contains("http_response_timeout") == true, "\(answer.fields)")
    }

    /// C71.
    @Test func `of the origin is told as one and forgotten in time`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", inTurn: [.status(503), picture])
        let service = try TestService { $0.forgetFailures(after: .seconds(1)) }
        let first = try service.get("/a.png", of: origin)
        #expect(first.status == 502 && first.problem == "origin-error", "\(first)")
        #expect(try eventually(upTo: .seconds(4)) { try service.get("/a.png", of: origin).isImage(picture.body) })
    }

    /// C74.
    @Test func `to find the image is remembered, and counted apart`() throws {
        let origin = try ScriptedOrigin()
        let service = try TestService { $0.forgetFailures(after: .seconds(60)) }
        for _ in 0..<20 { #expect(try service.get("/none.png", of: origin).status == 404) }
        let answer = try service.get("/none.png", of: origin)
        #expect(origin.hits == 1)
        #expect(answer.cacheStatus.contains("hit") && answer.cacheStatus.contains("detail=negative"), "\(answer)")
        #expect(answer["cache-control"]?.firstMatch(of: /max-age=(\d+)/).flatMap { Int($0.1) }.map { $0 <= 60 } == true)
        #expect(try service.metric("imagestore_requests_total", ["result": "negative_hit"]) == 20)
    }

    @Test func `to be in the cache is told when nothing else is wanted`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        let url = percentEncoded(origin.url("/a.png"))
        for answer in try [
            service.ask("/image?only=memory&url=\(url)"), service.ask("/image?only=cache&url=\(url)"),
            service.ask("/image?url=\(url)", ["Cache-Control": "only-if-cached"]),
        ] {
            #expect(answer.status == 504 && answer.problem == "not-cached", "\(answer)")
        }
        #expect(origin.connections == 0)
        _ = try service.get("/a.png", of: origin)
        #expect(try service.ask("/image?only=memory&url=\(url)").status == 200)
    }
}
