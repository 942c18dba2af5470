import ServiceHarness
import Settings
import TestSupport
import Testing

/// Connections of clients: many requests, in any rhythm.
@Suite(.blocking) struct `A connection` {
    @Test func `carries many requests`() throws {
        let origin = try ScriptedOrigin.pictures()
        let client = try TestService().connect()
        for number in 0..<20 {
            let target = "/\(number % 5).png"
            let answer = try client.exchange("GET", "/image?url=\(origin.url(target))")
            #expect(answer.isImage(ScriptedOrigin.picture(for: target).body), "\(number): \(answer)")
        }
        #expect(origin.hits == 5)
    }

    @Test func `answers pipelined requests in their order, misses and hits and errors`() throws {
        let origin = try ScriptedOrigin.pictures()
        let slow = ScriptedOrigin.picture(for: "/slow.png").header("Cache-Control", "max-age=60")
        origin.on("/slow.png", slow.delayed(.milliseconds(200)))
        let service = try TestService()
        _ = try service.get("/hit.png", of: origin)
        let targets = ["/slow.png", "/hit.png", "/cold.png", "/slow.png"]
        let client = try service.connect()

        let heads = targets.map { "GET /image?url=\(origin.url($0)) HTTP/1.1\r\nHost: x\r\n\r\n" }
        try client.send(heads.joined() + "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")

        for target in targets {
            #expect(try client.readAnswer().isImage(ScriptedOrigin.picture(for: target).body), "\(target)")
        }
        #expect(try client.readAnswer().status == 404)
    }

    @Test func `understands a head that comes byte by byte`() throws {
        let origin = try ScriptedOrigin.pictures()
        let client = try TestService().connect()
        for byte in "GET /image?url=\(origin.url("/a.png")) HTTP/1.1\r\nHost: x\r\n\r\n".utf8 {
            try client.send([byte])
        }
        #expect(try client.readAnswer().status == 200)
    }

    @Test func `of HTTP 1.0 ends after the answer, unless it was asked to stay`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        let query = "/image?url=\(origin.url("/a.png"))"
        for _ in 0..<2 {
            let client = try service.connect()
            let answer = try client.exchange("GET", query, version: "HTTP/1.0")
            #expect(answer.isImage(ScriptedOrigin.picture(for: "/a.png").body), "\(answer)")
            #expect(answer["transfer-encoding"] == nil && client.isClosedByPeer())
        }
        let staying = try service.connect()
        for _ in 0..<2 {
            #expect(try staying.exchange("GET", query, ["Connection": "keep-alive"], version: "HTTP/1.0").status == 200)
        }
    }

    @Test func `without a length of the image is ended by its framing`() throws {
        let origin = try ScriptedOrigin()
        let picture = OriginReply.image(.png, bytes: 50_000).chunked()
        origin.on("/a.png", picture)
        let service = try TestService()
        let old = try service.connect()
        let answer = try old.exchange("GET", "/image?url=\(origin.url("/a.png"))", version: "HTTP/1.0")
        #expect(answer.body == picture.body && answer["transfer-encoding"] == nil && old.isClosedByPeer())
        #expect(try service.get("/a.png", of: origin).isImage(picture.body))
    }

    @Test func `ends when the client asks for it`() throws {
        let client = try TestService().connect()
        let answer = try client.exchange("GET", "/healthz", ["Connection": "close"])
        #expect(answer.status == 200 && answer["connection"] == "close" && client.isClosedByPeer())
    }

    @Test(arguments: ["HTTP/1.1", "HTTP/1.0"])
    func `ends at once behind a hit that the client wanted to be the last`(version: String) throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        for _ in 0..<10 {
            let client = try service.connect()
            let answer = try client.exchange(
                "GET", "/image?url=\(origin.url("/a.png"))", ["Connection": "close"], version: version)
            #expect(answer.isImage(ScriptedOrigin.picture(for: "/a.png").body), "\(answer)")
            #expect(answer["connection"] == "close" && client.isClosedByPeer())
        }
        #expect(try eventually { try service.metric("imagestore_connections", ["listener": "data"]) == 0 })
    }

    @Test func `answers nothing behind the last request, and the last answer arrives`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        let client = try service.connect()
        let line = "GET /image?url=\(origin.url("/a.png")) HTTP/1.1\r\nHost: x\r\n"
        try client.send("\(line)\r\n\(line)Connection: close\r\n\r\n\(line)\r\n")
        for connection in [nil, "close"] {
            let answer = try client.readAnswer()
            #expect(answer.isImage(ScriptedOrigin.picture(for: "/a.png").body), "\(answer)")
            #expect(answer["connection"] == connection)
        }
        #expect(try client.readToEnd().isEmpty)
    }

    /// A client that goes away and one that only stops writing look alike; what is there at once, both get.
    @Test func `half closed by the client still gets a hit`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        let client = try service.connect()
        try client.request("GET", "/image?url=\(origin.url("/a.png"))")
        client.finishWriting()
        #expect(try client.readAnswer().status == 200)
        #expect(client.isClosedByPeer())
    }

    /// C173.
    @Test func `is closed when its head does not come, and others go on`() throws {
        let service = try TestService { $0.headerTimeout = .milliseconds(300) }
        let client = try service.connect()
        try client.send("GET /image?u")
        let answer = try client.readAnswer()
        #expect(answer.status == 408 && answer.problem == "request-timeout", "\(answer)")
        #expect(client.isClosedByPeer())
        #expect(try service.ask("/healthz").status == 200)
    }

    @Test func `is closed when it stays idle`() throws {
        let service = try TestService { $0.idleTimeout = .milliseconds(300) }
        let client = try service.connect()
        #expect(try client.exchange("GET", "/healthz").status == 200)
        #expect(client.isClosedByPeer(within: .seconds(5)))
    }

    @Test func `over the limit is told so`() throws {
        let service = try TestService { $0.maxConnections = 2 }
        let first = try service.connect()
        let second = try service.connect()
        #expect(try first.exchange("GET", "/healthz").status == 200)
        #expect(try second.exchange("GET", "/healthz").status == 200)
        let third = try service.connect()
        let answer = try third.readAnswer()
        #expect(answer.status == 503 && answer.problem == "too-many-connections", "\(answer)")
        first.leave()
        #expect(eventually { (try? service.ask("/healthz").status) == 200 })
    }
}
