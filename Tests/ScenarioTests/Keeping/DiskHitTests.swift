import ServiceHarness
import Settings
import TestSupport
import Testing

/// Hits on disk while memory keeps nothing: from the second one on the file is open and no worker is asked.
@Suite(.blocking) struct `A hit on disk` {
    private static let body = ScriptedOrigin.picture(for: "/a.png").body

    /// A service that has the image on disk, its file open.
    private func service(_ origin: ScriptedOrigin) throws -> TestService {
        let service = try TestService { $0.cacheLimit = 0 }
        _ = try service.get("/a.png", of: origin)
        #expect(try service.waitForDiskObjects(1))
        for _ in 0..<3 { try expectHit(service, origin) }
        return service
    }

    private func expectHit(_ service: TestService, _ origin: ScriptedOrigin) throws {
        let answer = try service.get("/a.png", of: origin)
        #expect(answer.isImage(Self.body) && answer.cacheStatus.hasSuffix("detail=disk"), "\(answer)")
    }

    @Test func `is one each time, on whatever loop it is asked for`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try service(origin)
        for _ in 0..<20 { try expectHit(service, origin) }
        #expect(origin.hits == 1)
        #expect(try service.metric("imagestore_requests_total", ["result": "disk_hit"]) == 23)
    }

    @Test func `answers pipelined requests in order`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try service(origin)
        let client = try service.connect()
        let request = "GET /image?url=\(percentEncoded(origin.url("/a.png"))) HTTP/1.1\r\nHost: a\r\n"
        try client.send("\(request)\r\n\(request)Range: bytes=0-9\r\n\r\n\(request)\r\n")
        #expect(try client.readAnswer().isImage(Self.body))
        #expect(try client.readAnswer().body == Array(Self.body[0..<10]))
        #expect(try client.readAnswer().isImage(Self.body))
    }

    @Test func `ends with the purge of the image`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try service(origin)
        #expect(try service.purge("/a.png", of: origin).purged == 1)
        #expect(try service.get("/a.png", of: origin).cacheStatus.contains("fwd=uri-miss"))
        #expect(origin.hits == 2)
    }

    @Test(arguments: ["all=1", "prefix="])
    func `ends with a purge by rule`(rule: String) throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try service(origin)
        let query = rule == "all=1" ? rule : rule + percentEncoded(origin.url("/"))
        #expect(try service.purge(query).status == 200)
        #expect(try service.get("/a.png", of: origin).cacheStatus.contains("fwd=uri-miss"))
        #expect(origin.hits == 2)
    }

    @Test func `ends when the image was marked stale`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try service(origin)
        #expect(try service.purge("/a.png", of: origin, soft: true).purged == 1)
        #expect(try service.get("/a.png", of: origin).cacheStatus.contains("fwd=stale"))
        #expect(origin.hits == 2)
    }

    @Test func `is none when the file was damaged, which is counted and made good`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try service(origin)
        let record = try #require(service.recordFiles.first)
        var bytes = try #require(service.directory.read(record))
        bytes[bytes.count - 1] ^= 1
        try service.directory.write(bytes, to: record)

        let answer = try service.get("/a.png", of: origin)

        #expect(answer.isImage(Self.body) && answer.cacheStatus.contains("fwd=uri-miss"), "\(answer)")
        #expect(origin.hits == 2)
        #expect(try eventually { try service.get("/a.png", of: origin).cacheStatus.hasSuffix("detail=disk") })
    }

    @Test func `is none when somebody removed the file`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try service(origin)
        try service.directory.remove(try #require(service.recordFiles.first))
        #expect(try service.get("/a.png", of: origin).cacheStatus.contains("fwd=uri-miss"))
        #expect(origin.hits == 2)
    }
}

/// What memory knows of uses counts on disk.
@Suite(.blocking) struct `An image that is hot in memory` {
    @Test func `stays on disk while others leave it`() throws {
        let origin = try ScriptedOrigin()
        origin.otherwise {
            ScriptedOrigin.picture(for: $0.target, bytes: 100_000).header("Cache-Control", "max-age=600")
        }
        let service = try TestService {
            $0.loops = 1
            $0.cacheLimit = 64_000_000
            $0.diskCacheLimit = 2_000_000
        }
        _ = try service.get("/cold.png", of: origin)
        for number in 0..<60 {
            #expect(try service.get("/hot.png", of: origin).status == 200)
            #expect(try service.get("/\(number).png", of: origin).status == 200)
        }
        // Files leave after the answers; what had to go before it was written is not counted.
        #expect(try eventually { try service.metric("imagestore_cache_evictions_total", ["tier": "disk"]) > 0 })
        #expect(try service.metric("imagestore_requests_total", ["result": "disk_hit"]) == 0)

        try service.restart()

        #expect(try service.get("/hot.png", of: origin).cacheStatus.hasSuffix("detail=disk"))
        #expect(try service.get("/cold.png", of: origin).cacheStatus.contains("fwd=uri-miss"))
    }
}
