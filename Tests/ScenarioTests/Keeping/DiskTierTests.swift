import ServiceHarness
import Settings
import TestSupport
import Testing

/// The tier on disk.
@Suite(.blocking) struct `The disk tier` {
    @Test func `survives a restart`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        for number in 0..<20 { _ = try service.get("/\(number).png", of: origin) }
        #expect(try service.waitForDiskObjects(20))

        try service.restart()

        for number in 0..<20 {
            let answer = try service.get("/\(number).png", of: origin)
            #expect(answer.isImage(ScriptedOrigin.picture(for: "/\(number).png").body))
            #expect(answer.cacheStatus.contains("hit") && answer.cacheStatus.hasSuffix("detail=disk"), "\(answer)")
        }
        #expect(try service.get("/0.png", of: origin).cacheStatus.hasSuffix("detail=memory"))
        #expect(origin.hits == 20)
        #expect(try service.metric("imagestore_requests_total", ["result": "disk_hit"]) == 20)
    }

    /// C190.
    @Test func `never takes more than its limit`() throws {
        let origin = try ScriptedOrigin()
        origin.otherwise { ScriptedOrigin.picture(for: $0.target, bytes: 100_000) }
        let service = try TestService {
            $0.diskCacheLimit = 2_000_000
            $0.cacheLimit = 0
        }
        var most = 0
        for number in 0..<60 {
            #expect(try service.get("/\(number).png", of: origin).status == 200)
            most = max(most, service.directory.allocatedBytes())
        }
        #expect(try eventually { try service.metric("imagestore_downloads", ["state": "active"]) == 0 })
        most = max(most, service.directory.allocatedBytes())
        #expect(most < 2_000_000 + 150_000, "\(most)")
        #expect(try eventually { try service.objects(in: "disk") > 10 })
        #expect(try service.metric("imagestore_cache_evictions_total", ["tier": "disk"]) > 30)
    }

    /// C192.
    @Test func `starts over foreign and damaged files, and deletes what is its own only`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        #expect(try service.waitForDiskObjects(1))
        service.stop()
        let record = try #require(service.recordFiles.first)
        let folder = record.split(separator: "/").dropLast().joined(separator: "/")
        let directory = service.directory
        try directory.write([], to: "\(folder)/\(String(repeating: "0", count: 32))")
        try directory.write(Pictures.bytes(.png, count: 5000), to: "\(folder)/\(String(repeating: "1", count: 32))")
        try directory.write(Array("mine".utf8), to: "notes.txt")
        try directory.write(Array("mine".utf8), to: "v1/notes.txt")
        try directory.write(Array("mine".utf8), to: "v1/zz/secret")
        directory.setMode(0, of: "v1/zz")
        defer { directory.setMode(0o700, of: "v1/zz") }

        try service.restart()

        #expect(try service.get("/a.png", of: origin).cacheStatus.hasSuffix("detail=disk"))
        #expect(try service.get("/b.png", of: origin).status == 200)
        #expect(try service.waitForDiskObjects(2))
        #expect(directory.read("notes.txt") == Array("mine".utf8))
        #expect(directory.read("v1/notes.txt") == Array("mine".utf8))
    }

    /// C194.
    @Test func `makes its directory, or the start fails with a reason`() throws {
        let origin = try ScriptedOrigin.pictures()
        let parent = try TemporaryDirectory()
        let service = try TestService { $0.diskCachePath = parent.path + "/not/there/yet" }
        _ = try service.get("/a.png", of: origin)
        #expect(try service.waitForDiskObjects(1))
        try parent.write([], to: "file")
        #expect(throws: (any Error).self) { try TestService { $0.diskCachePath = parent.path + "/file/cache" } }
    }

    @Test func `belongs to one process at a time`() throws {
        let service = try TestService()
        #expect(throws: (any Error).self) { try TestService(directory: service.directory) }
        service.stop()
        try TestService(directory: service.directory).stop()
    }

    /// C203.
    @Test func `that is off writes nothing`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService { $0.diskCacheLimit = 0 }
        for number in 0..<5 { _ = try service.get("/\(number).png", of: origin) }
        #expect(try service.get("/0.png", of: origin).isHit)
        service.stop()
        #expect(service.directory.files().isEmpty)
    }

    /// C205: another version of the format, and damage at some places.
    @Test(arguments: [0, 4, 8, 40, 600, 1200, -1])
    func `never misreads a record that is not as it was written`(offset: Int) throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        #expect(try service.waitForDiskObjects(1))
        service.stop()
        let record = try #require(service.recordFiles.first)
        var bytes = try #require(service.directory.read(record))
        bytes[offset < 0 ? bytes.count + offset : min(offset, bytes.count - 1)] ^= 0x5A
        try service.directory.write(bytes, to: record)

        try service.restart()

        let answer = try service.get("/a.png", of: origin)
        #expect(answer.isImage(ScriptedOrigin.picture(for: "/a.png").body), "\(answer)")
    }

    /// C205.
    @Test func `leaves the directories of other versions alone`() throws {
        let origin = try ScriptedOrigin.pictures()
        let directory = try TemporaryDirectory()
        try directory.write(Pictures.bytes(.png, count: 900), to: "v9/ab/ab00000000000000000000000000000000")
        let service = try TestService(directory: directory)
        #expect(try service.get("/a.png", of: origin).status == 200)
        #expect(directory.read("v9/ab/ab00000000000000000000000000000000")?.count == 900)
    }
}
