import ServiceHarness
import Settings
import TestSupport
import Testing

/// Hits on disk whose bodies are too large to be read first: they leave from their files.
@Suite(.blocking) struct `A large hit on disk` {
    /// Larger than one turn of the loop sends, and than the kernel keeps for a reader that does not read.
    private static let bytes = 16_000_000

    private static func body(_ target: String) -> [UInt8] { ScriptedOrigin.picture(for: target, bytes: bytes).body }

    private func origin() throws -> ScriptedOrigin {
        let origin = try ScriptedOrigin()
        origin.otherwise {
            ScriptedOrigin.picture(for: $0.target, bytes: Self.bytes).header("Cache-Control", "max-age=600")
                .header("ETag", "\"1\"")
        }
        return origin
    }

    /// A service that has images on disk, their files open.
    private func service(_ origin: ScriptedOrigin, _ targets: [String] = ["/a.png"]) throws -> TestService {
        let service = try TestService {
            $0.cacheLimit = 0
            $0.loops = 1  // Files leave from the loop where their keys are at home.
            $0.diskCacheLimit = 128_000_000
            $0.maxDownloadSize = 20_000_000
        }
        for target in targets { _ = try service.get(target, of: origin) }
        #expect(try service.waitForDiskObjects(targets.count))
        // Each loop has its turn, so that the file is open where the key is at home.
        for target in targets { for _ in 0..<4 { try expectHit(service, target, origin) } }
        return service
    }

    private func expectHit(_ service: TestService, _ target: String, _ origin: ScriptedOrigin) throws {
        let answer = try service.get(target, of: origin)
        #expect(answer.isImage(Self.body(target)) && answer.cacheStatus.hasSuffix("detail=disk"), "\(target)")
    }

    private func request(_ target: String, _ origin: ScriptedOrigin, method: String = "GET", _ fields: String = "")
        -> String
    {
        "\(method) /image?url=\(percentEncoded(origin.url(target))) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
    }

    @Test func `is the same bytes each time, and after a restart`() throws {
        let origin = try origin()
        let service = try service(origin)
        for _ in 0..<4 { try expectHit(service, "/a.png", origin) }
        try service.restart()
        for _ in 0..<4 { try expectHit(service, "/a.png", origin) }
        #expect(origin.hits == 1)
    }

    @Test func `answers whole, in part, by head alone and not modified, all pipelined`() throws {
        let origin = try origin()
        let service = try service(origin, ["/a.png", "/b.png"])
        let (a, b) = (Self.body("/a.png"), Self.body("/b.png"))
        let client = try service.connect()
        try client.send(
            request("/a.png", origin) + request("/b.png", origin, "Range: bytes=100-9000099\r\n")
                + request("/a.png", origin, method: "HEAD") + request("/b.png", origin, "Range: bytes=-1\r\n")
                + request("/a.png", origin, "If-None-Match: \"1\"\r\n") + request("/b.png", origin)
                + request("/a.png", origin, "Range: bytes=99999999-\r\n"))
        #expect(try client.readAnswer().isImage(a))
        let part = try client.readAnswer()
        #expect(part.status == 206 && part.body == Array(b[100..<9_000_100]))
        let head = try client.readAnswer(to: "HEAD")
        #expect(head.status == 200 && head["content-length"] == "\(Self.bytes)")
        #expect(try client.readAnswer().body == Array(b.suffix(1)))
        #expect(try client.readAnswer().status == 304)
        #expect(try client.readAnswer().isImage(b))
        #expect(try client.readAnswer().status == 416)
        #expect(origin.hits == 2)
    }

    @Test func `goes on as it began when its record is replaced and its file removed`() throws {
        let origin = try origin()
        let service = try service(origin)
        let client = try service.connect()
        client.narrowReceiveBuffer()
        try client.send(request("/a.png", origin))
        let head = try client.readHead()
        #expect(head.status == 200)
        let other = ScriptedOrigin.picture(for: "/other.png", bytes: 400_000)
        origin.otherwise { _ in other.header("Cache-Control", "max-age=600") }
        #expect(try service.purge("/a.png", of: origin).purged == 1)
        #expect(try service.get("/a.png", of: origin).isImage(other.body))
        #expect(try service.get("/a.png", of: origin).isImage(other.body))
        #expect(try client.readBody(of: head).body == Self.body("/a.png"))
    }

    @Test func `is cut off by a reset when its file is cut while it is sent`() throws {
        let origin = try origin()
        let service = try service(origin)
        let client = try service.connect()
        client.narrowReceiveBuffer()
        try client.send(request("/a.png", origin))
        let head = try client.readHead()
        let record = try #require(service.recordFiles.first)
        let bytes = try #require(service.directory.read(record))
        try service.directory.write(Array(bytes.prefix(20_000)), to: record)
        let answer = try? client.readBody(of: head)
        #expect(answer?.ending != .clean)
        // The record is damaged: a miss, and then a hit again.
        #expect(try service.get("/a.png", of: origin).isImage(Self.body("/a.png")))
        #expect(origin.hits == 2)
    }

    @Test func `is none when the file was damaged after it was opened`() throws {
        let origin = try origin()
        let service = try service(origin)
        let record = try #require(service.recordFiles.first)
        var bytes = try #require(service.directory.read(record))
        bytes[bytes.count - 1] ^= 1
        try service.directory.write(bytes, to: record)
        let answer = try service.get("/a.png", of: origin)
        #expect(answer.isImage(Self.body("/a.png")) && answer.cacheStatus.contains("fwd=uri-miss"))
        #expect(origin.hits == 2)
    }
}
