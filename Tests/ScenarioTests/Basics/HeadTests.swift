import ServiceHarness
import Settings
import TestSupport
import Testing

/// HEAD: what GET would say, without the body; never sent to an origin.
@Suite(.blocking) struct `A HEAD request` {
    /// C110.
    @Test func `on a hit has the head of GET, and the connection goes on`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        let query = "/image?url=\(percentEncoded(origin.url("/a.png")))"
        let client = try service.connect()

        _ = try client.exchange("GET", query)
        let get = try client.exchange("GET", query)
        let head = try client.exchange("HEAD", query)
        let after = try client.exchange("GET", query)

        #expect(head.status == 200 && head["content-length"] == "500" && head.body.isEmpty)
        let changing = ["age", "date", "cache-status"]
        func names(_ answer: Answer) -> [String] { answer.fields.map { $0.name.lowercased() } }
        #expect(names(head) == names(get))
        #expect(
            head.fields.filter { !changing.contains($0.name.lowercased()) }
                == get.fields.filter { !changing.contains($0.name.lowercased()) })
        #expect(after.isImage(get.body))
    }

    /// C111, C112.
    @Test func `on a miss fetches by GET, so that the next GET has it all`() throws {
        let origin = try ScriptedOrigin()
        let picture = OriginReply.image(.png, bytes: 3000, headers: ["Cache-Control": "max-age=60"])
        origin.on("/a.png") { $0.method == "HEAD" ? .status(405) : picture }
        let service = try TestService()
        let query = "/image?url=\(percentEncoded(origin.url("/a.png")))"

        let head = try service.ask(query, method: "HEAD")
        let get = try service.ask(query)

        #expect(head.status == 200 && head.body.isEmpty && head["content-type"] == "image/png", "\(head)")
        #expect(get.isImage(picture.body))
        #expect(origin.requests.map(\.method) == ["GET"])
    }

    @Test func `has the status of GET when there is no image`() throws {
        let origin = try ScriptedOrigin()
        let query = "/image?url=\(percentEncoded(origin.url("/none.png")))"
        let client = try TestService().connect()
        let head = try client.exchange("HEAD", query)
        let get = try client.exchange("GET", query)
        #expect(head.status == 404 && head.body.isEmpty && get.status == 404)
        #expect(head["content-type"] == "application/problem+json")
    }
}
