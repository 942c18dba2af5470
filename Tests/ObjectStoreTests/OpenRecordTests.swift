import EventLoops
import Foundation
import HTTPCaching
import HTTPMessages
import Testing

@testable import ObjectStore

/// Files that stay open, and reads that need no worker.
@Suite struct OpenRecordTests {
    private let directory = DiskDirectory()
    private let files = FaultyFileSystem()

    /// A tier with records that were read once each, so that their files are open.
    private func rig(_ names: [String] = ["a"], openFiles: Int = 8, bodyBytes: Int = 20_000) throws -> DiskRig {
        let rig = try DiskRig(directory, fileSystem: files, openFiles: openFiles)
        for name in names {
            #expect(rig.write(rig.record(name, bodyBytes: bodyBytes)) == .stored)
            #expect(rig.read(name) != nil)
        }
        return rig
    }

    @Test func `a record that was read is there at once the next time`() throws {
        let rig = try rig()
        let (opens, reads) = (files.count(.open), files.count(.read))
        #expect(rig.readAtOnce("a")?.bodyBytes == rig.record("a", bodyBytes: 20_000).bodyBytes)
        #expect(files.count(.open) == opens && files.count(.read) == reads)
        #expect(rig.tier.counters.hits == 2)
    }

    @Test func `a record that was never read is not there at once`() throws {
        let rig = try rig([])
        #expect(rig.write(rig.record("a")) == .stored)
        #expect(rig.readAtOnce("a") == nil && rig.readAtOnce("b") == nil)
        #expect(rig.tier.counters.hits == 0 && rig.tier.counters.misses == 0)
    }

    @Test func `a record that waits to be written is there at once`() throws {
        let rig = try rig()
        let gate = files.hold(.create)
        let written = rig.beginWrite(rig.record("a", fill: 9))
        gate.waitForCall()
        #expect(rig.readAtOnce("a")?.bodyBytes.first == 9)
        gate.open()
        #expect(written.take() == .stored)
        // The file that was open before is the old one's.
        #expect(rig.readAtOnce("a") == nil)
        #expect(rig.read("a")?.bodyBytes.first == 9)
        #expect(rig.readAtOnce("a")?.bodyBytes.first == 9)
    }

    @Test func `new times are read, not those that were known while the file was open`() throws {
        let rig = try rig()
        let key = rig.key("a")
        rig.on { $0.updateTimes(key, RecordTimes(requestTime: 77, responseTime: 78)) }
        #expect(rig.readAtOnce("a") == nil)
        rig.flush()
        #expect(rig.read("a")?.times.requestTime == 77)
        #expect(rig.readAtOnce("a")?.times.requestTime == 77)
    }

    @Test func `a removed record is gone, while its file is and after`() throws {
        let rig = try rig()
        let gate = files.hold(.remove)
        #expect(rig.remove("a"))
        gate.waitForCall()
        #expect(rig.readAtOnce("a") == nil)
        gate.open()
        rig.flush()
        #expect(rig.readAtOnce("a") == nil && rig.openFiles == 0)
    }

    @Test func `everything purged is gone at once, open or not`() throws {
        let rig = try rig(["a", "b"])
        rig.on { $0.removeAll() }
        #expect(rig.readAtOnce("a") == nil && rig.readAtOnce("b") == nil)
        rig.flush()
        #expect(rig.openFiles == 0)
    }

    @Test func `a purge while a worker reads leaves nothing open`() throws {
        let rig = try rig([])
        #expect(rig.write(rig.record("a")) == .stored)
        let gate = files.hold(.open)
        let read = rig.beginRead("a")
        gate.waitForCall()
        #expect(rig.remove("a"))
        gate.open()
        let answer = try #require(read.take())
        #expect(answer?.bodyBytes == nil)
        rig.flush()
        #expect(rig.openFiles == 0 && rig.readAtOnce("a") == nil)
    }

    @Test func `an evicted record closes its file`() throws {
        let rig = try DiskRig(directory, limitBytes: 400_000, fileSystem: files, openFiles: 64)
        for number in 0..<40 {
            _ = rig.write(rig.record("\(number)", bodyBytes: 25_000))
            _ = rig.read("\(number)")
        }
        rig.flush()
        #expect(rig.tier.counters.evictions(.room) > 5)
        #expect(rig.openFiles == rig.tier.counters.objects)
    }

    @Test func `no more files than allowed stay open, and those in use stay`() throws {
        let rig = try rig(["hot"], openFiles: 4)
        let before = Self.descriptors
        for number in 0..<20 {
            #expect(rig.readAtOnce("hot") != nil, "\(number)")
            #expect(rig.write(rig.record("\(number)")) == .stored)
            #expect(rig.read("\(number)") != nil)
            #expect(rig.openFiles <= 4)
        }
        #expect(rig.readAtOnce("19") != nil && rig.readAtOnce("3") == nil)
        #expect(Self.descriptors <= before + 20)  // Tests run beside each other; forty would be a leak for certain.
    }

    @Test func `without a place for open files every read is a worker's`() throws {
        let rig = try rig(openFiles: 0)
        #expect(rig.readAtOnce("a") == nil && rig.openFiles == 0)
        #expect(rig.read("a") != nil)
    }

    /// The descriptors of this process.
    private static var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    // MARK: What others do to the file

    @Test func `a body damaged under an open file is a miss, removed and counted`() throws {
        let rig = try rig()
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: rig.file("a")))
        try handle.seek(toOffset: 15_000)
        handle.write(Data([99]))
        #expect(rig.readAtOnce("a") == nil)
        #expect(rig.read("a") == nil)
        rig.flush()
        #expect(rig.tier.counters.corrupt == 1 && directory.records.isEmpty)
    }

    @Test(arguments: [5000, 0])
    func `an open file that somebody cut is a miss`(length: UInt64) throws {
        let rig = try rig()
        try FileHandle(forWritingTo: URL(fileURLWithPath: rig.file("a"))).truncate(atOffset: length)
        #expect(rig.readAtOnce("a") == nil)
        #expect(rig.read("a") == nil)
        rig.flush()
        #expect(rig.tier.counters.corrupt == 1)
    }

    @Test func `an open file that somebody removed is a miss and no error`() throws {
        let rig = try rig()
        try FileManager.default.removeItem(atPath: rig.file("a"))
        #expect(rig.readAtOnce("a") == nil)
        #expect(rig.read("a") == nil)
        #expect(rig.contains("a") == .no && rig.tier.counters.errors == 0)
    }

    @Test func `an open file that gave way to a directory is a miss`() throws {
        let rig = try rig()
        try FileManager.default.removeItem(atPath: rig.file("a"))
        try FileManager.default.createDirectory(atPath: rig.file("a"), withIntermediateDirectories: false)
        #expect(rig.readAtOnce("a") == nil && rig.read("a") == nil)
    }

    @Test func `of a file that somebody replaced the new one is read`() throws {
        let rig = try rig(["a"])
        let other = DiskDirectory()
        let old = try Data(contentsOf: URL(fileURLWithPath: rig.file("a")))
        try other.put("copy", Array(old))
        try FileManager.default.removeItem(atPath: rig.file("a"))
        try FileManager.default.moveItem(atPath: other.path + "/copy", toPath: rig.file("a"))
        #expect(rig.readAtOnce("a") == nil)
        #expect(rig.read("a") != nil)
        #expect(rig.readAtOnce("a") != nil)
    }

    // MARK: What the file system cannot do

    @Test func `what is not in the kernel's memory is a worker's, by the open file`() throws {
        let rig = try rig()
        files.answerImmediateReads(with: .wouldWait)
        let opens = files.count(.open)
        #expect(rig.readAtOnce("a") == nil)
        #expect(rig.read("a") != nil)
        #expect(files.count(.open) == opens && rig.tier.counters.errors == 0)
        files.answerImmediateReads(with: nil)
        #expect(rig.readAtOnce("a") != nil)
    }

    @Test func `a part that is in the kernel's memory is no body`() throws {
        let rig = try rig()
        files.answerImmediateReads(with: .read(4096))
        #expect(rig.readAtOnce("a") == nil)
        files.answerImmediateReads(with: nil)
        #expect(rig.readAtOnce("a") != nil)
    }

    @Test func `a file system that cannot tell is asked once`() throws {
        let rig = try rig()
        files.answerImmediateReads(with: .unsupported)
        let opens = files.count(.open)
        for _ in 0..<3 {
            #expect(rig.readAtOnce("a") == nil)
            #expect(rig.read("a") != nil)
        }
        #expect(files.immediateReadCount == 1 && files.count(.open) == opens)
    }

    @Test func `an open file that cannot be read any more is a miss and keeps the file`() throws {
        let rig = try rig()
        files.answerImmediateReads(with: .wouldWait)
        files.fail(.read, with: EIO)
        #expect(rig.readAtOnce("a") == nil && rig.read("a") == nil)
        #expect(rig.tier.counters.errors(.read) == 1 && rig.tier.counters.corrupt == 0)
        files.fail(.read, with: nil)
        #expect(rig.read("a") != nil)
    }

    @Test func `large bodies are left to workers`() throws {
        let rig = try rig(bodyBytes: 2 << 20)
        #expect(rig.readAtOnce("a") == nil && files.immediateReadCount == 0)
        #expect(rig.read("a")?.body.count == 2 << 20)
    }

    // MARK: What was made of a record

    @Test func `what was made of a record is kept without its body, until the file changes`() throws {
        let rig = try rig()
        let key = rig.key("a")
        let first = try #require(rig.read("a"))
        #expect(rig.madeOf(key) == nil)
        rig.on { $0.keep(Self.object(key), madeOf: first) }
        #expect(rig.madeOf(key) == 0)
        rig.on { $0.updateTimes(key, RecordTimes(requestTime: 1, responseTime: 1)) }
        rig.flush()
        let second = try #require(rig.read("a"))
        rig.on { $0.keep(Self.object(key), madeOf: first) }
        #expect(rig.madeOf(key) == nil)
        rig.on { $0.keep(Self.object(key), madeOf: second) }
        #expect(rig.madeOf(key) == 0)
        rig.on { $0.forgetObjects() }
        #expect(rig.madeOf(key) == nil && rig.readAtOnce("a") != nil)
    }

    private static func object(_ key: CacheKey) -> CachedObject {
        let now = HTTPDate(secondsSinceEpoch: 0)
        let times = StoredTimes(requestTime: now, responseTime: now, initialAgeSeconds: 0)
        return CachedObject(
            key: key, response: StoredResponse(status: .ok, fields: Fields(), times: times), wireHead: [],
            body: Chunk([1, 2, 3]), expiry: .now())
    }
}

extension DiskRig {
    /// Reads what is there without waiting.
    fileprivate func readAtOnce(_ text: String) -> DiskRecord? {
        let key = key(text)
        return on { $0.readAtOnce(key)?.record } ?? nil
    }

    /// The length of the body of what was made of a record; nil when nothing is kept.
    fileprivate func madeOf(_ key: CacheKey) -> Int? {
        on { $0.object(of: key)?.body.count } ?? nil
    }

    var openFiles: Int { on { $0.openRecords.count } ?? -1 }
}
