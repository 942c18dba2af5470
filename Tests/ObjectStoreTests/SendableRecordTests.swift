import Foundation
import HTTPCaching
import HTTPMessages
import Testing

@testable import EventLoops
@testable import ObjectStore

/// Bodies that are sent as they lie on disk: small ones read, large ones from their file.
@Suite struct SendableRecordTests {
    private let directory = DiskDirectory()
    private let files = FaultyFileSystem()

    /// A tier with one record that was read once, and of which an object was made.
    private func rig(bodyBytes: Int = 20_000) throws -> DiskRig {
        let rig = try DiskRig(directory, fileSystem: files, openFiles: 8)
        #expect(rig.write(rig.record("a", bodyBytes: bodyBytes)) == .stored)
        try makeKnown(rig)
        return rig
    }

    private func makeKnown(_ rig: DiskRig) throws {
        let record = try #require(rig.read("a"))
        rig.on { $0.keep(Self.object(record.key), madeOf: record) }
    }

    @Test(arguments: [1, 6144, 6145, 20_000, 3 << 20])
    func `a body is found without a read by a worker`(bodyBytes: Int) throws {
        let rig = try rig(bodyBytes: bodyBytes)
        let (opens, reads) = (files.count(.open), files.count(.read))
        for _ in 0..<3 { #expect(rig.findSendable()?.count == bodyBytes) }
        #expect(files.count(.open) == opens && files.count(.read) == reads)
        if case .file? = rig.findSendable() { #expect(bodyBytes > 6144) } else { #expect(bodyBytes <= 6144) }
    }

    @Test func `nothing is counted before the body is sent`() throws {
        let rig = try rig()
        #expect(rig.findSendable() != nil)
        #expect(rig.tier.counters.hits == 1)
        let key = rig.key("a")
        rig.on { $0.used(key.hash) }
        #expect(rig.tier.counters.hits == 2)
    }

    @Test func `what cannot be the answer is not looked at`() throws {
        let rig = try rig()
        #expect(rig.findSendable { _ in false } == nil)
        #expect(files.residenceCount == 0 && files.immediateReadCount == 0)
    }

    @Test func `a record of which nothing was made is not found, nor an empty body`() throws {
        let rig = try rig(bodyBytes: 0)
        #expect(rig.findSendable() == nil)
        rig.on { $0.forgetObjects() }
        #expect(rig.write(rig.record("a")) == .stored && rig.read("a") != nil)
        #expect(rig.findSendable() == nil)
    }

    @Test(arguments: [1000, 20_000])
    func `what is not in the kernel's memory is a worker's, once`(bodyBytes: Int) throws {
        let rig = try rig(bodyBytes: bodyBytes)
        files.answerResidence(with: .partial)
        files.answerImmediateReads(with: .wouldWait)
        #expect(rig.findSendable() == nil && rig.read("a") != nil)
        files.answerResidence(with: nil)
        files.answerImmediateReads(with: nil)
        #expect(rig.findSendable() != nil)
    }

    @Test func `a system that cannot tell is asked once`() throws {
        let rig = try rig()
        files.answerResidence(with: .unknown)
        for _ in 0..<3 { #expect(rig.findSendable() == nil) }
        #expect(files.residenceCount == 1)
        let key = rig.key("a")
        #expect(rig.on { $0.readAtOnce(key) != nil } == true)
    }

    // MARK: Changes

    @Test func `while a record is replaced its file is not sent, and then the new one`() throws {
        let rig = try rig()
        let gate = files.hold(.create)
        let written = rig.beginWrite(rig.record("a", bodyBytes: 9000, fill: 9))
        gate.waitForCall()
        #expect(rig.findSendable() == nil)
        gate.open()
        #expect(written.take() == .stored)
        #expect(rig.findSendable() == nil)
        try makeKnown(rig)
        #expect(rig.findSendable()?.count == 9000)
    }

    @Test func `a purged record is not sent, one or all`() throws {
        let rig = try rig()
        rig.on { $0.removeAll() }
        #expect(rig.findSendable() == nil)
        rig.flush()
        #expect(rig.write(rig.record("a")) == .stored)
        try makeKnown(rig)
        #expect(rig.remove("a") && rig.findSendable() == nil)
    }

    @Test func `a body that is on its way keeps its file open`() throws {
        let rig = try rig()
        let body = rig.findSendable()
        #expect(rig.remove("a"))
        rig.flush()
        #expect(directory.records.isEmpty && rig.openFiles == 0)
        guard case .file(let region)? = body else { throw Missing() }
        #expect(region.count == 20_000)
        #expect(Self.bytes(of: region) == [UInt8](repeating: 7, count: 20_000))
    }

    @Test(arguments: [1000, 20_000])
    func `a file that somebody wrote to is a worker's, who sees the damage`(bodyBytes: Int) throws {
        let rig = try rig(bodyBytes: bodyBytes)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: rig.file("a")))
        let length = try handle.seekToEnd()
        try handle.seek(toOffset: length - 1)
        handle.write(Data([99]))
        #expect(rig.findSendable() == nil && rig.read("a") == nil)
        rig.flush()
        #expect(rig.tier.counters.corrupt == 1 && directory.records.isEmpty)
    }

    @Test func `a file that somebody cut or removed is not sent`() throws {
        let rig = try rig()
        try FileHandle(forWritingTo: URL(fileURLWithPath: rig.file("a"))).truncate(atOffset: 9000)
        #expect(rig.findSendable() == nil && rig.read("a") == nil)
        rig.flush()
        #expect(rig.write(rig.record("a", bodyBytes: 20_000)) == .stored)
        try makeKnown(rig)
        #expect(rig.findSendable() != nil)
        try FileManager.default.removeItem(atPath: rig.file("a"))
        #expect(rig.findSendable() == nil && rig.read("a") == nil)
    }

    private static func object(_ key: CacheKey) -> CachedObject {
        let now = HTTPDate(secondsSinceEpoch: 0)
        let times = StoredTimes(requestTime: now, responseTime: now, initialAgeSeconds: 0)
        return CachedObject(
            key: key, response: StoredResponse(status: .ok, fields: Fields(), times: times), wireHead: [],
            body: Chunk([1, 2, 3]), expiry: .now())
    }

    /// What a region holds, by way of its file.
    private static func bytes(of region: FileRegion) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: region.count) { space, filled in
            filled = max(0, pread(region.descriptor, space.baseAddress, region.count, off_t(region.offset)))
        }
    }
}

private struct Missing: Error {}

extension DiskRig {
    /// Finds the body of `a`, ready to be sent.
    fileprivate func findSendable(
        where isUsable: @escaping @Sendable (CachedObject) -> Bool = { _ in true }
    ) -> DiskBody? {
        let key = key("a")
        return on { $0.findSendable(key.hash, key.bytes.span, where: isUsable)?.body } ?? nil
    }
}
