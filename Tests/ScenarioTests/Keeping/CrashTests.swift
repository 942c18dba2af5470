import Glibc
import ServiceHarness
import Settings
import TestSupport
import Testing

/// The program in a process of its own.
@Suite(.blocking) struct `The program` {
    /// C196: whatever moment it dies at, nothing damaged is served afterwards, and nothing unfinished stays.
    @Test func `may be killed while it stores`() throws {
        let origin = try ScriptedOrigin()
        origin.otherwise {
            ScriptedOrigin.picture(for: $0.target, bytes: 40_000).header("Cache-Control", "max-age=600")
        }
        let directory = try TemporaryDirectory()
        let settings = "diskCachePath=\(directory.path)"
        for round in 0..<4 {
            let service = try ServiceProcess(settings, "cacheLimit=0")
            let before = origin.hits
            let storing = ConcurrentClients(50) { number in
                (try? service.get("/\(round)-\(number).png", of: origin))?.status
            }
            _ = origin.waitForRequests(before + 10 * (round + 1))
            try service.killAtOnce()
            _ = try storing.results()
        }

        let service = try ServiceProcess(settings, "cacheLimit=0")
        let hits = origin.hits
        var stored = 0
        for number in 0..<200 {
            let target = "/\(number / 50)-\(number % 50).png"
            let answer = try service.get(target, of: origin)
            #expect(answer.isImage(ScriptedOrigin.picture(for: target, bytes: 40_000).body), "\(answer)")
            if answer.isHit { stored += 1 }
        }
        #expect(origin.hits - hits == 200 - stored)
        #expect(try eventually { try service.metrics().value("imagestore_cache_objects", ["tier": "disk"]) == 200 })
        let records = directory.plainFiles().filter { $0.hasPrefix("v1/") && $0.split(separator: "/").count == 3 }
        #expect(records.count == 200)
        let bytes = records.reduce(0) { $0 + directory.allocatedBytes(of: $1) }
        #expect(try Int(service.metrics().value("imagestore_cache_bytes", ["tier": "disk"])) == bytes)
        service.signal(SIGTERM)
        #expect(try service.exitStatus() == 0)
        #expect(directory.plainFiles().allSatisfy { !$0.contains("tmp") })
    }

    /// C182.
    @Test func `ends with 0 when it is asked to, and at once when asked twice`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", .image(.png, bytes: 5000).holding(gate, after: 1000))
        let service = try ServiceProcess("diskCacheLimit=0", "drainTimeout=60s")
        let client = try ScriptedClient(service.endpoint)
        try client.request("GET", "/image?url=\(origin.url("/a.png"))")
        _ = try client.readHead()
        service.signal(SIGTERM)
        #expect(eventually { (try? ScriptedClient(service.endpoint)) == nil })
        service.signal(SIGTERM)
        _ = try service.exitStatus()
        gate.open()
        let calm = try ServiceProcess("diskCacheLimit=0")
        calm.signal(SIGINT)
        #expect(try calm.exitStatus() == 0)
    }

    @Test(
        arguments: [
            (["serve", "--set", "maxDownloads=many"], 2), (["serve", "--set", "nonsense=1"], 2), (["fly"], 2),
            (["serve", "--set", "listen=0.0.0.0:0"], 2),  // an open proxy unless it is allowed
            (["serve", "--set", "diskCachePath=/dev/null/x", "--set", "listen=127.0.0.1:0"], 1),
        ] as [([String], Int32)])
    func `says what is wrong and ends with its code`(arguments: [String], status: Int32) throws {
        let result = try ServiceProcess.run(arguments)
        #expect(result.status == status && !result.output.isEmpty, "\(result)")
    }

    @Test func `says so when its port is in use`() throws {
        let other = try ScriptedOrigin()
        let result = try ServiceProcess.run([
            "serve", "--set", "listen=\(other.endpoint)", "--set", "adminListen=127.0.0.1:0", "--set",
            "diskCacheLimit=0",
        ])
        #expect(result.status == 1 && result.output.contains("\(other.port)"), "\(result)")
    }
}
