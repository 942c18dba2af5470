import ServiceHarness
import Settings
import TestSupport
import Testing

/// A body that is not whole never passes for a whole one, and nothing of it is kept.
@Suite(.blocking) struct `A broken download` {
    private static let picture = OriginReply.image(.png, bytes: 100_000, headers: ["Cache-Control": "max-age=60"])

    /// C45, C55, C56.
    @Test(arguments: [
        picture.cut(after: 50_000), picture.cut(after: 50_000, reset: true), picture.cut(after: 99_999),
        picture.chunked(lastChunk: false), picture.chunked().cut(after: 40_000),
        picture.chunked().cut(after: 40_000, reset: true), picture.declaring(length: 100_001).closing(),
    ])
    func `is seen as broken by all who wait, and the next one succeeds`(reply: OriginReply) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", inTurn: [reply.delayed(.milliseconds(200)), Self.picture])
        let service = try TestService { $0.forgetFailures(after: .zero) }

        let answers = try clients(10) { _ in try service.get("/a.png", of: origin) }

        for answer in answers {
            #expect(answer.ending == .cut || (answer.status == 502 && answer.problem == "origin-broken"), "\(answer)")
        }
        #expect(try service.objects(in: "memory") == 0 && service.recordFiles.isEmpty)
        #expect(try service.get("/a.png", of: origin).isImage(Self.picture.body))
        #expect(origin.hits("/a.png") == 2)
    }

    @Test func `before anything was sent is an error`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", Self.picture.cut(after: 0))
        let answer = try TestService().get("/a.png", of: origin)
        #expect(answer.status == 502 && answer.problem == "origin-broken", "\(answer)")
    }

    @Test func `ends the connection of an old client with a reset`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", Self.picture.chunked().cut(after: 40_000))
        let client = try TestService().connect()
        let answer = try client.exchange("GET", "/image?url=\(origin.url("/a.png"))", version: "HTTP/1.0")
        #expect(answer.status == 502 || answer.ending == .cut, "\(answer)")
    }

    /// C67.
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Le", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 20", "",
        "nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nX: \(String(repeating: "x", count: 70_000))\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nX: a\r\n folded\r\nContent-Length: 3\r\n\r\nabc",
    ])
    func `head is an error`(head: String) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", .raw(head))
        let answer = try TestService().get("/a.png", of: origin)
        // Less than a line is a matter of the connection, not of HTTP.
        let problem = head.utf8.contains(10) ? "origin-broken" : "origin-unreachable"
        #expect(answer.status == 502 && answer.problem == problem, "\(answer)")
    }
}
