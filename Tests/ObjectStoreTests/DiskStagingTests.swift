import EventLoops
import Foundation
import Testing

@testable import ObjectStore

/// Reads, writes and removals of one key that overlap.
///
/// Gates in the file system make the order certain.
@Suite struct DiskStagingTests {
    @Test func `a queued write answers reads until it has landed`() throws {
        let files = FaultyFileSystem()
        let rig = try DiskRig(DiskDirectory(), fileSystem: files)
        let gate = files.hold(.create)
        let written = rig.beginWrite(rig.record("a", fill: 5))
        gate.waitForCall()
        #expect(rig.contains("a") == .maybe)
        #expect(rig.read("a")?.bodyBytes.first == 5)
        #expect(written.now == nil)
        gate.open()
        #expect(written.take() == .stored)
        #expect(rig.read("a")?.bodyBytes.first == 5)
    }

    @Test func `a removal beats the write that runs`() throws {
        let directory = DiskDirectory()
        let files = FaultyFileSystem()
        let rig = try DiskRig(directory, fileSystem: files)
        let gate = files.hold(.rename)
        let written = rig.beginWrite(rig.record("a"))
        gate.waitForCall()
        #expect(rig.remove("a"))
        #expect(rig.contains("a") == .no)
        #expect(rig.read("a") == nil)
        gate.open()
        #expect(written.take() == .stored)
        rig.flush()
        #expect(rig.read("a") == nil)
        #expect(directory.records.isEmpty && rig.tier.reservedBytes == 0)
    }

    @Test func `a removal beats the write that waits`() throws {
        let files = FaultyFileSystem()
        let rig = try DiskRig(DiskDirectory(), fileSystem: files)
        let gate = files.hold(.create)
        let first = rig.beginWrite(rig.record("a", fill: 1))
        gate.waitForCall()
        let second = rig.beginWrite(rig.record("a", fill: 2))
        #expect(rig.read("a")?.bodyBytes.first == 2)
        #expect(rig.remove("a"))
        #expect(second.take() == .removed)
        gate.open()
        #expect(first.take() == .stored)
        rig.flush()
        #expect(rig.read("a") == nil)
    }

    @Test func `a removal beats the read that runs`() throws {
        let files = FaultyFileSystem()
        let rig = try DiskRig(DiskDirectory(), fileSystem: files)
        #expect(rig.write(rig.record("a")) == .stored)
        let gate = files.hold(.read)
        let read = rig.beginRead("a")
        gate.waitForCall()
        #expect(rig.remove("a"))
        #expect(read.take()?.map { _ in true } == nil)
        gate.open()
        rig.flush()
        #expect(rig.read("a") == nil)
    }

    @Test func `a purge of everything beats reads and writes that run`() throws {
        let directory = DiskDirectory()
        let files = FaultyFileSystem()
        let rig = try DiskRig(directory, fileSystem: files)
        #expect(rig.write(rig.record("a")) == .stored)
        let reading = files.hold(.read)
        let read = rig.beginRead("a")
        reading.waitForCall()
        let writing = files.hold(.rename)
        let written = rig.beginWrite(rig.record("b"))
        writing.waitForCall()
        rig.on { $0.removeAll() }
        #expect(read.take()?.map { _ in true } == nil)
        #expect(rig.contains("a") == .no && rig.contains("b") == .no)
        reading.open()
        writing.open()
        #expect(written.take() == .stored)
        rig.flush()
        #expect(directory.records.isEmpty && rig.tier.reservedBytes == 0)
    }

    @Test func `of several writes of a key the last one counts`() throws {
        let files = FaultyFileSystem()
        let rig = try DiskRig(DiskDirectory(), fileSystem: files)
        let gate = files.hold(.create)
        let boxes = (1...4).map { rig.beginWrite(rig.record("a", fill: UInt8($0))) }
        gate.waitForCall()
        gate.open()
        #expect(boxes.map { $0.take() } == [.stored, .superseded, .superseded, .stored])
        #expect(rig.read("a")?.bodyBytes.first == 4)
        #expect(rig.tier.counters.stored == 2)
    }

    @Test func `many who read one key read the file once`() throws {
        let files = FaultyFileSystem()
        let rig = try DiskRig(DiskDirectory(), fileSystem: files)
        #expect(rig.write(rig.record("a")) == .stored)
        let opens = files.count(.open)
        let gate = files.hold(.read)
        let boxes = (0..<20).map { _ in rig.beginRead("a") }
        gate.waitForCall()
        gate.open()
        for box in boxes { #expect(box.take()??.body.count == 1000) }
        #expect(files.count(.open) == opens + 1)
    }

    @Test func `new times of a record being written are not lost`() throws {
        let directory = DiskDirectory()
        let files = FaultyFileSystem()
        let rig = try DiskRig(directory, fileSystem: files)
        let gate = files.hold(.create)
        let written = rig.beginWrite(rig.record("a"))
        gate.waitForCall()
        let key = rig.key("a")
        rig.on { $0.updateTimes(key, RecordTimes(requestTime: 77, responseTime: 78)) }
        #expect(rig.read("a")?.times.requestTime == 77)
        gate.open()
        #expect(written.take() == .stored)
        rig.close()
        #expect(try DiskRig(directory).read("a")?.times.requestTime == 77)
    }

    @Test func `until the scan has ended known keys may be there, and writes wait for it`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        #expect(rig.write(rig.record("old")) == .stored)
        rig.close()
        let files = FaultyFileSystem()
        let gate = files.holdListing(of: "/00")
        let again = try DiskRig(directory, fileSystem: files, waitsForScan: false)
        gate.waitForCall()
        #expect(again.contains("old") == .maybe && again.contains("any") == .maybe)
        #expect(again.read("old") != nil)
        #expect(again.read("any") == nil)
        let written = again.beginWrite(again.record("new"))
        #expect(again.read("new") != nil)
        #expect(again.remove("old"))
        #expect(again.read("old") == nil)
        gate.open()
        #expect(written.take() == .stored)
        again.waitForScan()
        #expect(again.contains("any") == .no && again.contains("old") == .no)
        again.flush()
        #expect(directory.records.count == 1)
        #expect(again.tier.reservedBytes == directory.allocatedBytes)
    }

    @Test func `too much that waits is refused`() throws {
        let files = FaultyFileSystem()
        let rig = try DiskRig(DiskDirectory(), fileSystem: files, stagingLimitBytes: 100_000)
        let gate = files.hold(.create)
        let first = rig.beginWrite(rig.record("a", bodyBytes: 90_000))
        gate.waitForCall()
        #expect(rig.write(rig.record("b", bodyBytes: 20_000)) == .refused(.busy))
        gate.open()
        #expect(first.take() == .stored)
        #expect(rig.write(rig.record("b", bodyBytes: 20_000)) == .stored)
    }
}
