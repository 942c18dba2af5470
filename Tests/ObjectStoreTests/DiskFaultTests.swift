import EventLoops
import Foundation
import Testing

@testable import ObjectStore

/// The disk says no.
@Suite struct DiskFaultTests {
    @Test(arguments: [ENOSPC, EIO, EROFS, EACCES, EDQUOT])
    func `a refused write is counted, leaves nothing, and stops writing until the disk takes one`(code: Int32) throws {
        let directory = DiskDirectory()
        let files = FaultyFileSystem()
        let rig = try DiskRig(directory, fileSystem: files, retryAfter: .zero)
        let error = FileError(.write, code: code)
        files.fail(.write, with: code)
        #expect(rig.write(rig.record("a")) == .failed(error))
        #expect(rig.tier.isDegraded)
        #expect(rig.write(rig.record("b")) == .failed(error))
        #expect(rig.tier.counters.errors(.write) == 2)
        #expect(directory.allocatedBytes == 0 && rig.tier.reservedBytes == 0)
        #expect(rig.read("a") == nil)
        files.fail(.write, with: nil)
        #expect(rig.write(rig.record("a")) == .stored)
        #expect(!rig.tier.isDegraded)
        #expect(rig.warnings.all == [.writesStopped(error), .writesResumed])
        #expect(rig.read("a") != nil)
    }

    @Test func `while the disk refuses nothing is tried, and reads go on`() throws {
        let files = FaultyFileSystem()
        let rig = try DiskRig(DiskDirectory(), fileSystem: files)
        #expect(rig.write(rig.record("old")) == .stored)
        files.fail(.create, with: ENOSPC)
        #expect(rig.write(rig.record("a")) == .failed(FileError(.create, code: ENOSPC)))
        let calls = files.count(.create)
        #expect(rig.write(rig.record("b")) == .refused(.degraded))
        #expect(files.count(.create) == calls)
        #expect(rig.read("old") != nil)
    }

    @Test func `a write cut short leaves nothing behind`() throws {
        let directory = DiskDirectory()
        let files = FaultyFileSystem()
        let rig = try DiskRig(directory, fileSystem: files, retryAfter: .zero)
        for bytes in [0, 1, 511, 1600] {
            files.cutNextWrite(after: bytes)
            #expect(rig.write(rig.record("a")) == .failed(FileError(.write, code: ENOSPC)))
            #expect(directory.allocatedBytes == 0 && rig.tier.reservedBytes == 0)
        }
    }

    @Test(arguments: [FileOperation.create, .write, .status, .rename])
    func `an old record does not outlive a failed replacement`(operation: FileOperation) throws {
        let directory = DiskDirectory()
        let files = FaultyFileSystem()
        let rig = try DiskRig(directory, fileSystem: files)
        #expect(rig.write(rig.record("a", fill: 1)) == .stored)
        files.fail(operation, with: EIO)
        #expect(rig.write(rig.record("a", fill: 2)) == .failed(FileError(operation, code: EIO)))
        files.fail(operation, with: nil)
        #expect(rig.read("a") == nil)
        rig.flush()
        #expect(directory.allocatedBytes == 0 && rig.tier.reservedBytes == 0 && rig.tier.counters.objects == 0)
    }

    @Test func `a read that fails is a miss and keeps the file`() throws {
        let files = FaultyFileSystem()
        let rig = try DiskRig(DiskDirectory(), fileSystem: files)
        #expect(rig.write(rig.record("a")) == .stored)
        files.fail(.read, with: EIO)
        #expect(rig.read("a") == nil)
        #expect(rig.tier.counters.errors(.read) == 1 && rig.tier.counters.corrupt == 0)
        files.fail(.read, with: nil)
        #expect(rig.read("a") != nil)
    }

    @Test func `a file that cannot be removed stays charged and answers nobody`() throws {
        let directory = DiskDirectory()
        let files = FaultyFileSystem()
        let rig = try DiskRig(directory, fileSystem: files)
        #expect(rig.write(rig.record("a")) == .stored)
        files.fail(.remove, with: EACCES)
        #expect(rig.remove("a"))
        rig.flush()
        #expect(rig.read("a") == nil)
        #expect(rig.contains("a") == .no)
        #expect(rig.tier.reservedBytes == directory.allocatedBytes)
        #expect(rig.tier.counters.errors(.remove) == 1)
        files.fail(.remove, with: nil)
        #expect(rig.write(rig.record("a", fill: 3)) == .stored)
        #expect(rig.read("a")?.bodyBytes.first == 3)
        #expect(rig.tier.counters.objects == 1 && rig.tier.reservedBytes == directory.allocatedBytes)
    }

    @Test func `when nothing can be removed writes are refused and nothing hangs`() throws {
        let directory = DiskDirectory()
        let files = FaultyFileSystem()
        let rig = try DiskRig(directory, limitBytes: 400_000, fileSystem: files)
        for number in 0..<10 { _ = rig.write(rig.record("\(number)", bodyBytes: 25_000)) }
        files.fail(.remove, with: EACCES)
        for number in 10..<30 { #expect(rig.write(rig.record("\(number)", bodyBytes: 25_000)) != nil) }
        rig.flush()
        #expect(directory.allocatedBytes <= rig.tier.recordLimitBytes)
        files.fail(.remove, with: nil)
        for number in 30..<60 { #expect(rig.write(rig.record("\(number)", bodyBytes: 25_000)) != nil) }
        rig.flush()
        #expect(rig.tier.reservedBytes == directory.allocatedBytes)
    }
}
