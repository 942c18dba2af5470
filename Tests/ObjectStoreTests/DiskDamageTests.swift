import EventLoops
import Foundation
import Testing

@testable import ObjectStore

/// What a crash, an operator or a failing medium leaves in the directory.
@Suite struct DiskDamageTests {
    static let foreignNames = [
        "README", "v0/ab/x", "v2/ab/0123456789abcdef0123456789abcdef", "v1/ab/image.png", "v1/notes", "v1/tmp/mine",
        "v1/ab/ABCDEF0123456789ABCDEF0123456789", "v1/ac/ab23456789abcdef0123456789abcdef",
    ]

    @Test func `foreign files and other versions are left alone and not counted`() throws {
        let directory = DiskDirectory()
        for name in Self.foreignNames { try directory.put(name, [1, 2, 3]) }
        let rig = try DiskRig(directory)
        #expect(rig.tier.counters.objects == 0 && rig.tier.counters.bytes == 0 && rig.tier.counters.corrupt == 0)
        #expect(rig.write(rig.record("a")) == .stored)
        rig.on { $0.removeAll() }
        rig.close()
        for name in Self.foreignNames { #expect(directory.exists(name), "\(name)") }
    }

    @Test func `what was being written at the crash is removed at start`() throws {
        let directory = DiskDirectory()
        try directory.put("v1/tmp/0123456789abcdef0123456789abcdef.3", [UInt8](repeating: 1, count: 9999))
        let rig = try DiskRig(directory)
        #expect(!directory.exists("v1/tmp/0123456789abcdef0123456789abcdef.3"))
        #expect(rig.tier.reservedBytes == 0)
    }

    @Test func `empty, random and cut files under our names are removed and counted`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        #expect(rig.write(rig.record("cut", bodyBytes: 9000)) == .stored)
        #expect(rig.write(rig.record("good")) == .stored)
        let cut = rig.file("cut")
        rig.close()
        try FileHandle(forWritingTo: URL(fileURLWithPath: cut)).truncate(atOffset: 5000)
        try directory.put("v1/ab/ab23456789abcdef0123456789abcdef", [])
        try directory.put("v1/00/00000000000000000000000000000001", (0..<5000).map { UInt8(truncatingIfNeeded: $0) })
        let again = try DiskRig(directory)
        #expect(again.tier.counters.corrupt == 3)
        #expect(directory.records.count == 1)
        #expect(again.read("good") != nil)
        #expect(again.read("cut") == nil)
        #expect(again.write(again.record("cut")) == .stored)
        #expect(again.read("cut") != nil)
    }

    @Test func `things under our names that are no files are left alone`() throws {
        let directory = DiskDirectory()
        try DiskRig(directory).close()
        let name = directory.path + "/v1/ab/ab23456789abcdef0123456789abcde"
        try FileManager.default.createDirectory(atPath: name + "0", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: name + "1", withDestinationPath: "/etc/passwd")
        #expect(mkfifo(name + "2", 0o600) == 0)
        let rig = try DiskRig(directory)
        #expect(rig.tier.counters.objects == 0 && rig.tier.counters.corrupt == 0)
        rig.close()
        for digit in 0...2 {
            var facts = stat()
            #expect(lstat(name + "\(digit)", &facts) == 0)
        }
    }

    @Test func `a body damaged under a running tier is a miss, removed and counted`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        #expect(rig.write(rig.record("a", bodyBytes: 20_000)) == .stored)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: rig.file("a")))
        try handle.seek(toOffset: 15_000)
        handle.write(Data([99]))
        #expect(rig.read("a") == nil)
        rig.flush()
        #expect(rig.tier.counters.corrupt == 1)
        #expect(directory.records.isEmpty && rig.tier.reservedBytes == 0)
    }

    @Test func `no byte damaged in a file gives a wrong body`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        let record = rig.record("a", bodyBytes: 40)
        #expect(rig.write(record) == .stored)
        let url = URL(fileURLWithPath: rig.file("a"))
        let good = try Data(contentsOf: url)
        for index in stride(from: 0, to: good.count, by: 7) {
            var bad = good
            bad[index] ^= 0x10
            try bad.write(to: url)
            switch rig.tier.files.read(record.key) {
            case .found(let found, _): #expect((1024..<1536).contains(index) && found.bodyBytes == record.bodyBytes)
            case .damaged: break
            case .absent, .otherKey, .failed: Issue.record("byte \(index)")
            }
        }
    }

    @Test func `a file that somebody removed is a miss and no error`() throws {
        let rig = try DiskRig(DiskDirectory())
        #expect(rig.write(rig.record("a")) == .stored)
        try FileManager.default.removeItem(atPath: rig.file("a"))
        #expect(rig.read("a") == nil)
        #expect(rig.contains("a") == .no)
        #expect(rig.tier.counters.objects == 0 && rig.tier.reservedBytes == 0)
        #expect(rig.tier.counters.errors(.open) == 0)
    }

    @Test func `directories that somebody removed are made again`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        try FileManager.default.removeItem(atPath: directory.path + "/v1")
        #expect(rig.write(rig.record("a")) == .stored)
        #expect(rig.read("a") != nil)
    }

    @Test func `without its seed the directory starts empty`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        for number in 0..<5 { #expect(rig.write(rig.record("\(number)")) == .stored) }
        rig.close()
        try directory.put("v1/seed", [1, 2, 3])
        let again = try DiskRig(directory)
        #expect(again.warnings.all == [.seedLost])
        #expect(again.tier.hashSeed != rig.tier.hashSeed)
        #expect(directory.records.isEmpty && again.tier.reservedBytes == 0)
        again.close()
        #expect(try DiskRig(directory).tier.hashSeed == again.tier.hashSeed)
    }

    @Test func `an unreadable subdirectory costs its records only`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        for number in 0..<60 { #expect(rig.write(rig.record("\(number)")) == .stored) }
        let lost = RecordName.directory(of: rig.key("0").hash)
        rig.close()
        let files = FaultyFileSystem()
        files.forbidListing(of: "/" + lost)
        let again = try DiskRig(directory, fileSystem: files)
        #expect(again.tier.counters.errors(.list) == 1)
        #expect(!again.tier.isDegraded)
        for number in 0..<60 {
            let isLost = RecordName.directory(of: again.key("\(number)").hash) == lost
            #expect((again.read("\(number)") == nil) == isLost)
        }
    }

    @Test func `a tier that ends without a flush leaves whole records only`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        let boxes = (0..<50).map { rig.beginWrite(rig.record("\($0)", bodyBytes: 30_000)) }
        rig.abandon()
        _ = boxes
        let again = try DiskRig(directory)
        #expect(again.tier.counters.corrupt == 0)
        #expect(again.tier.counters.bytes == directory.allocatedBytes)
        #expect(directory.files.filter { $0.hasPrefix("v1/tmp") }.isEmpty)
    }
}
