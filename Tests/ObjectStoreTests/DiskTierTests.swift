import EventLoops
import Foundation
import Testing

@testable import ObjectStore

@Suite struct DiskTierTests {
    @Test func `what is written is read back`() throws {
        let rig = try DiskRig(DiskDirectory())
        #expect(rig.read("a") == nil)
        #expect(rig.contains("a") == .no)
        #expect(rig.write(rig.record("a", bodyBytes: 50_000)) == .stored)
        let record = try #require(rig.read("a"))
        #expect(record.bodyBytes == [UInt8](repeating: 7, count: 50_000))
        #expect(record.head == Array("head of a".utf8))
        #expect(record.times.requestTime == 10 && record.times.responseTime == 11)
        #expect(rig.contains("a") == .maybe)
        #expect(rig.tier.counters.hits == 1 && rig.tier.counters.misses == 1)
    }

    @Test func `a body of any length survives`() throws {
        let rig = try DiskRig(DiskDirectory())
        for bytes in [0, 1, 2500, 2560, 2561, 4096, 4097, 300_000] {
            #expect(rig.write(rig.record("a", bodyBytes: bytes)) == .stored)
            #expect(rig.read("a")?.body.count == bytes)
        }
    }

    @Test func `a record replaces the one before and counts once`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        #expect(rig.write(rig.record("a", bodyBytes: 9000)) == .stored)
        #expect(rig.write(rig.record("a", bodyBytes: 100, fill: 9)) == .stored)
        #expect(rig.read("a")?.bodyBytes == [UInt8](repeating: 9, count: 100))
        #expect(rig.tier.counters.objects == 1)
        #expect(rig.tier.counters.bytes == directory.allocatedBytes)
        #expect(rig.tier.reservedBytes == directory.allocatedBytes)
        #expect(directory.records.count == 1)
    }

    @Test func `a removed key is gone at once and its file after a flush`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        #expect(rig.write(rig.record("a")) == .stored)
        #expect(rig.remove("a"))
        #expect(rig.contains("a") == .no)
        #expect(rig.read("a") == nil)
        rig.flush()
        #expect(directory.records.isEmpty)
        #expect(rig.tier.reservedBytes == 0 && rig.tier.counters.objects == 0)
        #expect(rig.tier.counters.evictions(.purge) == 1)
        #expect(!rig.remove("a"))
    }

    @Test func `everything is removed at once`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        for number in 0..<300 { #expect(rig.write(rig.record("\(number)")) == .stored) }
        rig.on { $0.removeAll() }
        #expect(rig.contains("5") == .no)
        #expect(rig.read("5") == nil)
        #expect(rig.write(rig.record("5", fill: 8)) == .stored)
        rig.flush()
        #expect(rig.read("5")?.bodyBytes.first == 8)
        #expect(directory.records.count == 1)
        #expect(rig.tier.counters.bytes == directory.allocatedBytes)
    }

    @Test func `new times reach readers and the disk`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        #expect(rig.write(rig.record("a")) == .stored)
        for round in 1...5 {
            let times = RecordTimes(requestTime: Int64(round), responseTime: Int64(round), flags: 1)
            let key = rig.key("a")
            rig.on { $0.updateTimes(key, times) }
            #expect(rig.read("a")?.times.requestTime == Int64(round))
        }
        rig.close()
        let again = try DiskRig(directory)
        #expect(again.read("a")?.times.requestTime == 5)
        #expect(again.read("a")?.times.flags == 1)
    }

    @Test func `uses survive a restart`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        #expect(rig.write(rig.record("a")) == .stored)
        let key = rig.key("a")
        rig.on { $0.noteUses(key, atLeast: 12) }
        rig.on { $0.updateTimes(key, RecordTimes(requestTime: 1, responseTime: 1)) }
        rig.close()
        let again = try DiskRig(directory)
        let uses = again.on { $0.index.find(key.hash)?.mark.uses }
        #expect(uses == 12)
    }

    @Test func `a restart keeps the records, whatever the number of shards`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        for number in 0..<50 { #expect(rig.write(rig.record("\(number)", fill: UInt8(number))) == .stored) }
        rig.close()
        let again = try DiskRig(directory, shards: 3)
        #expect(again.tier.counters.objects == 50)
        #expect(again.tier.counters.bytes == directory.allocatedBytes)
        for number in 0..<50 { #expect(again.read("\(number)")?.bodyBytes.first == UInt8(number)) }
        #expect(again.contains("x") == .no)
    }

    @Test func `a second holder of the directory is refused`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        let settings = DiskTierSettings(path: directory.path, limitBytes: 1 << 20)
        #expect(throws: StoreError.locked(path: directory.path)) { try DiskTier(settings: settings) }
        rig.close()
        let tier = try DiskTier(settings: settings)
        tier.close()
    }

    @Test func `a path that is a file cannot be used`() throws {
        let directory = DiskDirectory()
        try directory.put("file", [1])
        let settings = DiskTierSettings(path: directory.path + "/file", limitBytes: 1 << 20)
        #expect(throws: StoreError.self) { try DiskTier(settings: settings) }
    }

    @Test(arguments: [FileOperation.createDirectory, .lock, .create, .list])
    func `a directory that refuses is an error at start, with its facts`(operation: FileOperation) throws {
        let directory = DiskDirectory()
        try DiskRig(directory).close()
        let files = FaultyFileSystem()
        files.fail(operation, with: EROFS)
        let settings = DiskTierSettings(path: directory.path, limitBytes: 1 << 20)
        let error = #expect(throws: StoreError.self) { try DiskTier(settings: settings, fileSystem: files) }
        switch try #require(error) {
        case .cannotCreate(_, let code), .notWritable(_, let code), .notReadable(_, let code): #expect(code == EROFS)
        case .locked, .noWorkers: Issue.record("\(String(describing: error))")
        }
    }

    @Test func `a full disk at start is memory only, not an error`() throws {
        let directory = DiskDirectory()
        try DiskRig(directory).close()
        let files = FaultyFileSystem()
        files.fail(.write, with: ENOSPC)
        let rig = try DiskRig(directory, fileSystem: files)
        #expect(rig.tier.isDegraded)
        #expect(rig.write(rig.record("a")) == .refused(.degraded))
        #expect(rig.warnings.all == [.writesStopped(FileError(.write, code: ENOSPC))])
    }

    @Test func `files are for the owner alone`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        #expect(rig.write(rig.record("a")) == .stored)
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(rig.file("a")) == 0o600)
        #expect(try mode(directory.path) == 0o700)
        #expect(try mode(directory.path + "/v1/seed") == 0o600)
    }

    @Test func `a key that collides is a miss`() throws {
        let rig = try DiskRig(DiskDirectory())
        let record = rig.record("a")
        #expect(rig.write(record) == .stored)
        let other = CacheKey(bytes: Array("b".utf8), hash: record.key.hash)
        let found: DiskRecord?? = rig.wait(0) { $0.read(other, completion: $1) }
        #expect(found.flatMap { $0 } == nil)
        #expect(rig.read("a") != nil)
    }

    @Test func `a closed shard answers nothing and traps nobody`() throws {
        let rig = try DiskRig(DiskDirectory())
        #expect(rig.write(rig.record("a")) == .stored)
        rig.on { $0.close() }
        #expect(rig.read("a") == nil)
        #expect(rig.write(rig.record("b")) == .closed)
        #expect(rig.contains("a") == .no)
        #expect(!rig.remove("a"))
    }
}
