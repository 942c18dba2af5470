import EventLoops
import Foundation
import Testing

@testable import ObjectStore

/// What a purge asks of the disk tier.
@Suite struct DiskPurgeTests {
    private func remove(_ rig: DiskRig, _ text: String) -> Box<Bool> {
        let box = Box<Bool>()
        let key = rig.key(text)
        rig.on { $0.remove(key) { wasThere, _ in box.put(wasThere) } }
        return box
    }

    // MARK: Removal for good

    @Test func `a removal is told when the file is gone`() throws {
        let directory = DiskDirectory()
        let files = FaultyFileSystem()
        let rig = try DiskRig(directory, fileSystem: files)
        #expect(rig.write(rig.record("a")) == .stored)
        let gate = files.hold(.remove)
        let gone = remove(rig, "a")
        gate.waitForCall()
        #expect(gone.now == nil && directory.records.count == 1)
        #expect(rig.read("a") == nil)
        gate.open()
        #expect(gone.take() == true)
        #expect(directory.records.isEmpty)
    }

    @Test func `a removal of nothing says so, while the scan runs, too`() throws {
        let directory = DiskDirectory()
        let files = FaultyFileSystem()
        let first = try DiskRig(directory)
        #expect(first.write(first.record("a")) == .stored)
        #expect(remove(first, "b").take() == false)
        first.close()
        let gate = files.holdListing(of: "/00")
        let rig = try DiskRig(directory, fileSystem: files, waitsForScan: false)
        gate.waitForCall()
        #expect(remove(rig, "b").take() == false)
        #expect(remove(rig, "a").take() == true)
        #expect(directory.records.isEmpty)
        gate.open()
    }

    /// The record that was being written when the purge came must not outlive it.
    @Test func `a removal waits for the write that runs, and takes its file`() throws {
        let directory = DiskDirectory()
        let files = FaultyFileSystem()
        let rig = try DiskRig(directory, fileSystem: files)
        let gate = files.hold(.rename)
        let written = rig.beginWrite(rig.record("a"))
        gate.waitForCall()
        #expect(rig.on { $0.stagedKeys } == [rig.key("a")])
        let gone = remove(rig, "a")
        #expect(gone.now == nil)
        gate.open()
        #expect(gone.take() == true)
        #expect(written.take() == .stored)
        #expect(directory.records.isEmpty)
    }

    @Test func `a removal takes the write that waits`() throws {
        let directory = DiskDirectory()
        let files = FaultyFileSystem()
        let rig = try DiskRig(directory, fileSystem: files)
        let gate = files.hold(.create)
        let first = rig.beginWrite(rig.record("a", fill: 1))
        gate.waitForCall()
        let second = rig.beginWrite(rig.record("a", fill: 2))
        let key = rig.key("a")
        let staged: UInt8?? = rig.on { shard in shard.staged(key)?.bodyBytes.first }
        #expect(staged == 2)
        let gone = remove(rig, "a")
        gate.open()
        #expect(gone.take() == true)
        #expect(second.take() == .removed && first.take() == .stored)
        #expect(directory.records.isEmpty)
    }

    @Test func `who waits is told when the shard closes`() throws {
        let files = FaultyFileSystem()
        let rig = try DiskRig(DiskDirectory(), fileSystem: files)
        #expect(rig.write(rig.record("a")) == .stored)
        let gate = files.hold(.remove)
        let gone = remove(rig, "a")
        gate.waitForCall()
        rig.on { $0.close() }
        #expect(gone.take() == true)
        #expect(remove(rig, "a").take() == false)
        gate.open()
    }

    @Test func `a removal that fails is counted before it is told`() throws {
        let files = FaultyFileSystem()
        let rig = try DiskRig(DiskDirectory(), fileSystem: files)
        #expect(rig.write(rig.record("a")) == .stored)
        files.fail(.remove, with: EIO)
        let told = Box<[Bool]>()
        let key = rig.key("a")
        rig.on { $0.remove(key) { told.put([$0, $1]) } }
        #expect(told.take() == [true, false])
        #expect(rig.tier.counters.errors == 1)
        #expect(rig.read("a") == nil)
        files.fail(.remove, with: nil)
    }

    // MARK: The owner's number

    @Test func `the mark is kept, and rewritten with the times`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        let times = RecordTimes(requestTime: 1, responseTime: 2, mark: UInt64.max - 1)
        #expect(rig.write(rig.record("a", times: times)) == .stored)
        #expect(rig.read("a")?.times.mark == UInt64.max - 1)
        let key = rig.key("a")
        rig.on { $0.updateTimes(key, RecordTimes(requestTime: 1, responseTime: 2, mark: 77)) }
        rig.flush()
        rig.close()
        #expect(try DiskRig(directory).read("a")?.times.mark == 77)
    }

    // MARK: Walk

    private func walk(_ rig: DiskRig) -> (keys: Set<CacheKey>, isComplete: Bool?) {
        let keys = Box<Set<CacheKey>>()
        keys.put([])
        let end = Box<Bool>()
        rig.tier.walk(
            visit: { records, next in
                keys.put((keys.now ?? []).union(records.map(\.key)))
                next()
            },
            completion: { end.put($0) })
        let isComplete = end.take()
        return (keys.now ?? [], isComplete)
    }

    @Test func `a walk sees every record once, and nothing else`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        for number in 0..<200 { #expect(rig.write(rig.record("\(number)")) == .stored) }
        try directory.put("v1/00/notes.txt", [1])
        try directory.put("v1/00/" + String(repeating: "0", count: 32), [1, 2, 3])
        let result = walk(rig)
        #expect(result.keys == Set((0..<200).map { rig.key("\($0)") }))
        #expect(result.isComplete == true)
    }

    @Test func `a walk that cannot look everywhere says so`() throws {
        let files = FaultyFileSystem()
        let rig = try DiskRig(DiskDirectory(), fileSystem: files)
        #expect(rig.write(rig.record("a")) == .stored)
        files.fail(.open, with: EIO)
        #expect(walk(rig).isComplete == false)
        files.fail(.open, with: nil)
        #expect(walk(rig).isComplete == true)
        files.fail(.list, with: EIO)
        #expect(walk(rig).isComplete == false)
        files.fail(.list, with: nil)
    }

    // MARK: The ban file

    private func write(_ rig: DiskRig, _ content: [UInt8]) -> Bool? {
        let box = Box<Bool>()
        rig.tier.writeBans(content) { box.put($0) }
        return box.take()
    }

    @Test func `the ban file holds what was written last`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        #expect(rig.tier.readBans() == .absent)
        #expect(write(rig, [1, 2, 3]) == true && write(rig, Array(repeating: 9, count: 10_000)) == true)
        #expect(rig.tier.readBans() == .bans(Array(repeating: 9, count: 10_000)))
        #expect(write(rig, []) == true)
        rig.close()
        #expect(try DiskRig(directory).tier.readBans() == .bans([]))
    }

    @Test func `a ban file that is not as it was written is damaged`() throws {
        let bytes = BanFile.encode([1, 2, 3])
        #expect(BanFile.decode(bytes) == [1, 2, 3])
        for count in bytes.indices { #expect(BanFile.decode(Array(bytes[..<count])) == nil) }
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            #expect(BanFile.decode(other) == nil)
        }
        let directory = DiskDirectory()
        try directory.put("v1/bans", [1, 2, 3])
        #expect(try DiskRig(directory).tier.readBans() == .damaged)
    }

    @Test(arguments: [FileOperation.create, .write, .synchronize, .rename])
    func `a ban file that cannot be written leaves the one before`(operation: FileOperation) throws {
        let files = FaultyFileSystem()
        let directory = DiskDirectory()
        let rig = try DiskRig(directory, fileSystem: files)
        #expect(write(rig, [1]) == true)
        files.fail(operation, with: ENOSPC)
        #expect(write(rig, [2]) == false)
        files.fail(operation, with: nil)
        #expect(rig.tier.readBans() == .bans([1]))
        #expect(write(rig, [3]) == true && rig.tier.readBans() == .bans([3]))
        #expect(!directory.files.contains { $0.hasPrefix("v1/tmp/") })
    }
}
