import ServiceHarness
import Settings
import TestSupport
import Testing

/// What the gauges say, and what is there.
@Suite(.blocking) struct `A gauge of the cache` {
    /// C200.
    @Test func `counts an image stored twice once, and equals the files`() throws {
        let origin = try ScriptedOrigin.pictures(["Cache-Control": "max-age=0"])
        let service = try TestService()
        for _ in 0..<3 {
            for number in 0..<10 { _ = try service.get("/\(number).png", of: origin) }
        }
        #expect(try service.waitForDiskObjects(10))
        #expect(eventually { service.recordFiles.count == 10 })  // The one before is unlinked a moment later.
        #expect(try service.objects(in: "memory") == 10)
        let records = service.recordFiles.reduce(0) { $0 + service.directory.allocatedBytes(of: $1) }
        #expect(try Int(service.metric("imagestore_cache_bytes", ["tier": "disk"])) == records)
        let memory = try service.metric("imagestore_cache_bytes", ["tier": "memory"])
        #expect(memory >= 10 * 500 && memory < 10 * 5000)
    }

    @Test func `of memory never passes the limit`() throws {
        let origin = try ScriptedOrigin()
        origin.otherwise { ScriptedOrigin.picture(for: $0.target, bytes: 50_000) }
        let service = try TestService {
            $0.cacheLimit = 1_000_000
            $0.diskCacheLimit = 0
        }
        for number in 0..<60 {
            _ = try service.get("/\(number).png", of: origin)
            #expect(try service.metric("imagestore_cache_bytes", ["tier": "memory"]) <= 1_000_000)
        }
        #expect(try service.objects(in: "memory") > 10)
        #expect(try service.metric("imagestore_cache_limit_bytes", ["tier": "memory"]) == 1_000_000)
    }

    /// C202.
    @Test func `counts two queries as two images`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        for query in ["v=1", "v=2", "v=1"] {
            #expect(
                try service.get("/a.jpg?\(query)", of: origin)
                    .isImage(ScriptedOrigin.picture(for: "/a.jpg?\(query)").body))
        }
        #expect(origin.hits == 2)
        #expect(try service.objects(in: "memory") == 2)
    }
}
