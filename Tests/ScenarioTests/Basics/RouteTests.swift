import ServiceHarness
import Settings
import TestSupport
import Testing

/// What else the listeners answer.
@Suite(.blocking) struct `A route` {
    @Test func `tells health on both listeners`() throws {
        let service = try TestService()
        for answer in [try service.ask("/healthz"), try service.admin("/healthz")] {
            #expect(answer.status == 200 && answer.text.hasPrefix("ok") && answer["cache-control"] == "no-cache")
        }
    }

    @Test func `says what this is`() throws {
        let answer = try TestService().ask("/")
        #expect(answer.status == 200 && answer["content-type"]?.hasPrefix("text/plain") == true)
        #expect(answer.text.contains("curl") && answer.text.contains("/image?url="))
    }

    @Test(arguments: ["/nothing", "/image/", "/Image?url=http://a.test/", "/metrics", "/favicon.ico"])
    func `that is unknown is not found`(path: String) throws {
        let answer = try TestService().ask(path)
        #expect(answer.status == 404 && answer.problem == "not-found", "\(answer)")
    }

    /// C113.
    @Test(arguments: ["POST", "PUT", "DELETE", "TRACE", "OPTIONS", "PATCH", "BREW"])
    func `for images takes no other method, and no body for a request`(method: String) throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        let client = try service.connect()

        let query = "/image?url=\(percentEncoded(origin.url("/a.png")))"
        let body = "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n"
        try client.send("\(method) \(query) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let answer = try client.readAnswer(to: method)

        #expect(answer.status == 405 && answer["allow"] == "GET, HEAD", "\(answer)")
        #expect(answer.problem == "method-not-allowed" && origin.connections == 0)
        guard answer["connection"] != "close" else {
            #expect(client.isClosedByPeer())
            return
        }
        #expect(try client.exchange("GET", "/").status == 200)
    }

    @Test func `in the form of a forward proxy is the same request`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()

        let proxied = try service.ask(origin.url("/a.png"), ["Host": origin.endpoint.description])
        let direct = try service.get("/a.png", of: origin)

        #expect(proxied.status == 200 && direct.isImage(proxied.body) && direct.isHit)
        #expect(origin.targets == ["/a.png"])
    }

    @Test func `refuses to be a tunnel and says what to do`() throws {
        let answer = try TestService().raw("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n")
        #expect(answer.status == 405 && answer.problem == "method-not-allowed", "\(answer)")
        #expect(answer.text.contains("/image?url=https"))
    }

    @Test func `of the admin listener wants its own name`() throws {
        let service = try TestService()
        let foreign = try ScriptedClient(service.adminEndpoint).exchange("GET", "/metrics", ["Host": "evil.test"])
        #expect(foreign.status == 421 && foreign.problem == "misdirected", "\(foreign)")
        #expect(try service.admin("/metrics").status == 200)
    }

    @Test func `of the admin listener tells readiness and figures`() throws {
        let service = try TestService()
        #expect(try service.admin("/readyz").status == 200)
        let stats = try service.admin("/stats")
        #expect(stats.status == 200 && stats["content-type"] == "application/json")
        #expect(try service.metric("imagestore_build_info") == 1)
        #expect(try service.admin("/nothing").problem == "not-found")
    }

    @Test func `is reached by a Unix socket too`() throws {
        let origin = try ScriptedOrigin.pictures()
        let folder = try TemporaryDirectory()
        let service = try TestService { $0.listen = [.unix(path: folder.path + "/imagestore.sock")] }
        for number in 0..<6 {
            let answer = try service.get("/\(number % 2).png", of: origin)
            #expect(answer.isImage(ScriptedOrigin.picture(for: "/\(number % 2).png").body))
        }
        #expect(origin.hits == 2)
        service.stop()
        #expect(folder.files().isEmpty)
    }
}
