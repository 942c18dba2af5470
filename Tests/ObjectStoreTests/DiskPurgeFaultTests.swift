import EventLoops
import Foundation
import Testing

@testable import ObjectStore

/// Purges of a disk that does not do as it should: what is purged must not come back.
@Suite struct DiskPurgeFaultTests {
    private static let marked = RecordTimes(requestTime: 1, responseTime: 2, mark: 77)

    private func mark(_ rig: DiskRig, _ text: String) -> DiskSettlement? {
        let box = Box<DiskSettlement>()
        let key = rig.key(text)
        rig.on { shard in
            shard.mark(key, Self.marked)
            shard.whenSettled(key) { box.put($0) }
        }
        return box.take()
    }

    // MARK: Marks

    @Test func `a mark that is written leaves the record`() throws {
        let rig = try DiskRig(DiskDirectory())
        #expect(rig.write(rig.record("a")) == .stored)
        #expect(mark(rig, "a") == .left)
        #expect(rig.read("a")?.times.mark == 77)
        #expect(mark(rig, "nothing") == .left)
    }

    @Test func `a mark that cannot be written takes the record away`() throws {
        let directory = DiskDirectory()
        let files = FaultyFileSystem()
        let rig = try DiskRig(directory, fileSystem: files)
        #expect(rig.write(rig.record("a")) == .stored && rig.write(rig.record("b")) == .stored)
        files.fail(.write, with: EIO)
        #expect(mark(rig, "a") == .removed)
        // Now the disk refuses all writes for a while.
        #expect(rig.tier.isDegraded)
        #expect(mark(rig, "b") == .removed)
        #expect(directory.records.isEmpty && rig.read("a") == nil && rig.read("b") == nil)
        files.fail(.write, with: nil)
    }

    @Test func `times that are only fresher may be lost`() throws {
        let files = FaultyFileSystem()
        let rig = try DiskRig(DiskDirectory(), fileSystem: files)
        #expect(rig.write(rig.record("a")) == .stored)
        files.fail(.write, with: EIO)
        let key = rig.key("a")
        #expect(rig.on { $0.updateTimes(key, Self.marked) } == true)
        rig.flush()
        #expect(rig.on { $0.updateTimes(key, Self.marked) } == false)
        files.fail(.write, with: nil)
        #expect(rig.read("a")?.times.mark == 0)
    }

    @Test func `a mark and a removal that both fail are told as such`() throws {
        let files = FaultyFileSystem()
        let rig = try DiskRig(DiskDirectory(), fileSystem: files)
        #expect(rig.write(rig.record("a")) == .stored)
        files.fail(.write, with: EIO)
        files.fail(.remove, with: EIO)
        #expect(mark(rig, "a") == .failed)
        #expect(rig.read("a") == nil)
        files.fail(.write, with: nil)
        files.fail(.remove, with: nil)
    }

    // MARK: Files that the index does not know

    /// A directory with one record, opened by a tier whose scan could not read it.
    private func rigThatOverlooked(_ text: String, _ directory: DiskDirectory) throws -> DiskRig {
        let first = try DiskRig(directory)
        #expect(first.write(first.record(text)) == .stored)
        first.close()
        let files = FaultyFileSystem()
        let gate = files.holdListing(of: "/00")
        let rig = try DiskRig(directory, fileSystem: files, waitsForScan: false)
        gate.waitForCall()
        files.fail(.open, with: EMFILE)
        // Once for the scan, once for a walk.
        gate.open()
        gate.open()
        rig.waitForScan()
        files.fail(.open, with: nil)
        #expect(rig.contains(text) == .no && directory.records.count == 1)
        return rig
    }

    @Test func `a purge takes a file that the index does not know`() throws {
        let directory = DiskDirectory()
        let rig = try rigThatOverlooked("a", directory)
        let told = Box<[Bool]>()
        let key = rig.key("a")
        rig.on { $0.remove(key) { told.put([$0, $1]) } }
        #expect(told.take() == [true, true])
        #expect(directory.records.isEmpty)
    }

    @Test func `a walk finds a file that the index does not know`() throws {
        let directory = DiskDirectory()
        let rig = try rigThatOverlooked("a", directory)
        let found = Box<[CacheKey]>()
        rig.tier.walk(
            visit: { records, next in
                found.put(records.map(\.key))
                next()
            }, completion: { _ in })
        #expect(found.take() == [rig.key("a")])
    }

    @Test func `a walk may take away what does not say what it is`() throws {
        let directory = DiskDirectory()
        let files = FaultyFileSystem()
        let rig = try DiskRig(directory, fileSystem: files)
        #expect(rig.write(rig.record("a")) == .stored)
        files.fail(.open, with: EIO)
        let kept = Box<Bool>()
        rig.tier.walk(visit: { _, next in next() }, completion: { kept.put($0) })
        #expect(kept.take() == false && directory.records.count == 1)
        let taken = Box<Bool>()
        rig.tier.walk(removesUnreadable: true, visit: { _, next in next() }, completion: { taken.put($0) })
        #expect(taken.take() == true && directory.records.isEmpty)
        files.fail(.open, with: nil)
        #expect(rig.read("a") == nil)
        #expect(rig.on { $0.objectCount } == 0)
    }

    // MARK: The end

    private final class Token {}

    /// An owner that waits to be called would keep the shard, which keeps it.
    @Test func `a shard whose loop has ended lets go of those it would have called`() throws {
        let directory = DiskDirectory()
        let tier = try DiskTier(
            settings: DiskTierSettings(path: directory.path, limitBytes: 1_000_000), fileSystem: FaultyFileSystem())
        let shard = DiskShard(tier: tier, loop: try EventLoop(index: 0), shardIndex: 0, shardCount: 1)
        weak var token: Token?
        do {
            let held = Token()
            token = held
            let key = CacheKey([1], seed: tier.hashSeed)
            shard.read(key) { _ in withExtendedLifetime(held) {} }
            shard.whenSettled(key) { _ in withExtendedLifetime(held) {} }
            shard.flush { withExtendedLifetime(held) {} }
        }
        #expect(token != nil)
        shard.abandon()
        #expect(token == nil)
        tier.close()
    }
}
