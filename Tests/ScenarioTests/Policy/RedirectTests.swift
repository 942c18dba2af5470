import ServiceHarness
import Settings
import TestSupport
import Testing

/// Redirects: each hop is judged as if it had been asked for.
@Suite(.blocking) struct `A redirect` {
    /// C167.
    @Test(arguments: [301, 302, 303, 307, 308])
    func `of every kind is followed by GET`(code: Int) throws {
        let origin = try ScriptedOrigin.pictures()
        let json = ["Content-Type": "application/json"] as KeyValuePairs  // C129
        origin.on("/a", .redirect(code, to: "/b.png", headers: json))
        let answer = try TestService().get("/a", of: origin)
        #expect(answer.isImage(ScriptedOrigin.picture(for: "/b.png").body), "\(answer)")
        #expect(origin.requests.map(\.method) == ["GET", "GET"])
    }

    /// C162.
    @Test(arguments: [
        ("/b.png", "/b.png"), ("b.png", "/x/b.png"), ("../b.png", "/b.png"), ("//{O}/b.png", "/b.png"),
        ("?x=1", "/x/a?x=1"), ("http://{O}/b%20c.png#f", "/b%20c.png"),
    ])
    func `is resolved against its own URL`(location: String, target: String) throws {
        let origin = try ScriptedOrigin.pictures()
        origin.on("/x/a", .redirect(to: location.replacing("{O}", with: origin.endpoint.description)))
        let answer = try TestService().get("/x/a", of: origin)
        #expect(answer.status == 200 && origin.targets == ["/x/a", target], "\(answer)")
    }

    /// C160, C161.
    @Test func `ends at the limit, and in a ring`() throws {
        let origin = try ScriptedOrigin.pictures()
        for number in 1...6 { origin.on("/\(number)", .redirect(to: number == 1 ? "/a.png" : "/\(number - 1)")) }
        origin.on("/self", .redirect(to: "/self"))
        origin.on("/nowhere", .status(302))
        let service = try TestService()
        #expect(try service.get("/5", of: origin).status == 200)
        for target in ["/6", "/self", "/nowhere"] {
            let answer = try service.get(target, of: origin)
            #expect(answer.status == 502 && answer.problem == "bad-redirect", "\(target): \(answer)")
        }
        #expect(origin.hits("/self") <= 6)
    }

    @Test func `is not followed when that is turned off`() throws {
        let origin = try ScriptedOrigin.pictures()
        origin.on("/a", .redirect(to: "/b.png"))
        let answer = try TestService { $0.followRedirects = false }.get("/a", of: origin)
        #expect(answer.status == 502 && answer.problem == "bad-redirect" && origin.targets == ["/a"], "\(answer)")
    }

    /// C144, C145.
    @Test(arguments: [
        "http://169.254.169.254/", "http://127.0.0.2:{P}/", "http://10.0.0.1/a.png",
        "http://other.test:{P}/a.png", "file:///etc/passwd", "http://user:pass@127.0.0.1:{P}/b.png",
    ])
    func `to where the service does not go is refused`(location: String) throws {
        let origin = try ScriptedOrigin.pictures()
        origin.on("/a", .redirect(to: location.replacing("{P}", with: "\(origin.port)")))
        let service = try TestService {
            try $0.open(networks: "127.0.0.1/32")
            try $0.resolve("other.test")
            try $0.deny(hosts: "other.test")
        }
        let answer = try service.get("/a", of: origin)
        #expect(
            (answer.status == 403 && answer.problem == "not-allowed")
                || (answer.status == 502 && answer.problem == "bad-redirect"), "\(answer)")
        #expect(origin.targets == ["/a"])
    }

    /// C166.
    @Test func `that may not be stored is asked again each time`() throws {
        let origin = try ScriptedOrigin.pictures()
        let fields = ["Cache-Control": "no-store"] as KeyValuePairs
        origin.on(
            "/s", inTurn: [.redirect(to: "/v1.png?tok=1", headers: fields), .redirect(to: "/v2.png", headers: fields)])
        let service = try TestService()
        #expect(try service.get("/s", of: origin).isImage(ScriptedOrigin.picture(for: "/v1.png?tok=1").body))
        #expect(try service.get("/s", of: origin).isImage(ScriptedOrigin.picture(for: "/v2.png").body))
        #expect(origin.hits("/s") == 2)
    }
}
