import ServiceHarness
import TestSupport
import Testing

/// Conditions of clients are answered here; they never reach the origin.
@Suite(.blocking) struct `A condition of a client` {
    private static let date = "Mon, 06 Jan 2025 10:00:00 GMT"
    private let picture = OriginReply.image(
        .png, bytes: 1000,
        headers: ["Cache-Control": "max-age=60", "ETag": "\"v1\"", "Last-Modified": date, "Vary": "Accept"]
    ).answeringConditions()

    /// C80.
    @Test(arguments: [
        ("If-None-Match", "\"v1\"", 304), ("If-None-Match", "\"x\", W/\"v1\"", 304), ("If-None-Match", "*", 304),
        ("If-None-Match", "\"x\"", 200), ("If-None-Match", "v1", 200), ("If-Modified-Since", date, 304),
        ("If-Modified-Since", "Tue, 07 Jan 2025 10:00:00 GMT", 304),
        ("If-Modified-Since", "Sun, 05 Jan 2025 10:00:00 GMT", 200), ("If-Modified-Since", "yesterday", 200),
    ])
    func `is compared with the stored image`(name: String, value: String, status: Int) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", picture)
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)

        let client = try service.connect()
        let query = "/image?url=\(percentEncoded(origin.url("/a.png")))"
        try client.send("GET \(query) HTTP/1.1\r\nHost: x\r\n\(name): \(value)\r\n\r\n")
        let answer = try client.readAnswer()

        #expect(answer.status == status && answer.body.count == (status == 304 ? 0 : 1000), "\(answer)")
        #expect(answer["etag"] == "\"v1\"" && answer["cache-control"] == "max-age=60" && answer["vary"] == "Accept")
        #expect(answer["content-length"] == (status == 304 ? nil : "1000"))
        #expect(try client.exchange("GET", "/healthz").status == 200)
        #expect(origin.hits == 1)
    }

    @Test func `on the date counts for nothing beside one on the tag`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", picture)
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        let answer = try service.get(
            "/a.png", of: origin, ["If-None-Match": "\"x\"", "If-Modified-Since": Self.date])
        #expect(answer.isImage(picture.body), "\(answer)")
    }

    /// C46, C78.
    @Test func `on a cold URL is not passed on, and the next client gets the body`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", picture)
        let service = try TestService()

        let conditional = try service.get("/a.png", of: origin, ["If-None-Match": "\"v1\""])
        let plain = try service.get("/a.png", of: origin)

        #expect(conditional.status == 304 && conditional.body.isEmpty, "\(conditional)")
        #expect(plain.isImage(picture.body), "\(plain)")
        #expect(origin.hits == 1 && origin.requests[0].fields.first("if-none-match") == nil)
    }

    /// C46.
    @Test func `holds for its own client among those that wait together`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", picture.holding(gate))
        let service = try TestService()
        let waiting = ConcurrentClients(2) { number in
            try number == 0
                ? service.get("/a.png", of: origin)
                : service.get("/a.png", of: origin, ["If-None-Match": "\"v1\""])
        }
        #expect(origin.waitForHits("/a.png"))
        #expect(try eventually { try service.metric("imagestore_waiters") == 2 })
        gate.open()
        let answers = try waiting.results()
        #expect(answers[0].isImage(picture.body) && answers[1].status == 304, "\(answers)")
        #expect(origin.hits == 1)
    }

    /// What is compared byte for byte, and what is judged at length, come to the same answer.
    @Test(arguments: [
        ("If-None-Match: \"v1\"", "If-None-Match: \"x\", \"v1\""),
        ("If-Modified-Since: \(date)", "If-Modified-Since: Monday, 06-Jan-25 10:00:00 GMT"),
        ("If-None-Match: \"v1\"\r\nIf-Modified-Since: \(date)", "If-None-Match: W/\"v1\"\r\nIf-Modified-Since: x"),
    ])
    func `gets the same answer however it is written`(short: String, long: String) throws {
        let origin = try ScriptedOrigin()
        let headers: KeyValuePairs = [
            "Cache-Control": "max-age=60", "ETag": "\"v1\"", "Last-Modified": Self.date, "Content-Language": "en",
        ]
        origin.on("/a.png", .image(.png, bytes: 1000, headers: headers))
        let service = try TestService { $0.addHeaders = ["Access-Control-Allow-Origin": "*"] }
        _ = try service.get("/a.png", of: origin)
        let target = "/image?url=\(percentEncoded(origin.url("/a.png")))"
        for (method, end) in [("GET", ""), ("HEAD", ""), ("GET", "Connection: close\r\n")] {
            let answers = try [short, long].map { condition in
                let client = try service.connect()
                try client.send("\(method) \(target) HTTP/1.1\r\nHost: x\r\n\(condition)\r\n\(end)\r\n")
                return try client.readAnswer(to: method)
            }
            let lines = answers.map { $0.fields.filter { $0.name.lowercased() != "age" }.map { "\($0)" }.sorted() }
            #expect(answers.map(\.status) == [304, 304] && answers.allSatisfy { $0.body.isEmpty })
            #expect(lines[0].map(withoutTime) == lines[1].map(withoutTime), "\(lines)")
        }
        #expect(try service.metric("imagestore_requests_total", ["result": "not_modified"]) == 6)
    }

    private func withoutTime(_ line: String) -> String { line.replacing(/ttl=[0-9]+/, with: "ttl=") }
}
