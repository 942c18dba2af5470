import EventLoops
import Foundation
import Testing

@testable import ObjectStore

/// A tier on a directory with its loops and shards, and calls that wait for their answers.
final class DiskRig {
    let tier: DiskTier
    let warnings: Warnings
    private var members: [Member] = []
    private var isClosed = false

    private struct Member {
        let loop: EventLoop
        let mailbox: Mailbox<@Sendable () -> Void>
        let shard: LoopBound<DiskShard>
    }

    /// Opens a tier.
    ///
    /// Waits for the scan unless told otherwise.
    init(
        _ directory: DiskDirectory, limitBytes: Int = 64 << 20, shards: Int = 1,
        fileSystem: any FileSystem = FaultyFileSystem(), retryAfter: Duration = .seconds(3600),
        stagingLimitBytes: Int = 64 << 20, openFiles: Int = 512, waitsForScan: Bool = true
    ) throws {
        let warnings = Warnings()
        self.warnings = warnings
        tier = try DiskTier(
            settings: DiskTierSettings(
                path: directory.path, limitBytes: limitBytes, workers: 3, stagingLimitBytes: stagingLimitBytes,
                retryAfter: retryAfter, openFiles: openFiles, onWarning: { warnings.add($0) }),
            fileSystem: fileSystem)
        for index in 0..<shards {
            let loop = try EventLoop(index: index)
            let shard = DiskShard(tier: tier, loop: loop, shardIndex: index, shardCount: shards)
            let mailbox = Mailbox<@Sendable () -> Void>(loop: loop) { $0() }
            try loop.start(name: "disk-\(index)")
            members.append(Member(loop: loop, mailbox: mailbox, shard: LoopBound(shard, loop: loop)))
        }
        if waitsForScan { waitForScan() }
    }

    deinit { close() }

    /// Flushes and closes all.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        flush()
        for index in members.indices { on(index) { $0.close() } }
        for member in members {
            member.loop.stop()
            member.loop.join()
        }
        tier.close()
    }

    /// Ends without a flush, as little orderly as a process can see.
    func abandon() {
        guard !isClosed else { return }
        isClosed = true
        for index in members.indices { on(index) { $0.close() } }
        for member in members {
            member.loop.stop()
            member.loop.join()
        }
        tier.close()
    }

    func key(_ text: String) -> CacheKey {
        CacheKey(Array(text.utf8), seed: tier.hashSeed)
    }

    func record(_ text: String, bodyBytes: Int = 1000, fill: UInt8 = 7, times: RecordTimes? = nil) -> DiskRecord {
        DiskRecord(
            key: key(text), head: Array("head of \(text)".utf8),
            times: times ?? RecordTimes(requestTime: 10, responseTime: 11),
            body: Chunk([UInt8](repeating: fill, count: bodyBytes)))
    }

    /// Runs a piece of work on a loop and waits for what it hands to `finish`.
    func wait<Value: Sendable>(
        _ index: Int, _ work: @escaping @Sendable (DiskShard, _ finish: @escaping @Sendable (Value) -> Void) -> Void
    ) -> Value? {
        let box = Box<Value>()
        let member = members[index]
        member.mailbox.post { work(member.shard.value) { box.put($0) } }
        return box.take()
    }

    /// Runs a piece of work on a loop and waits until it has returned.
    @discardableResult
    func on<Value: Sendable>(_ index: Int = 0, _ work: @escaping @Sendable (DiskShard) -> Value) -> Value? {
        wait(index) { shard, finish in finish(work(shard)) }
    }

    private func shard(of key: CacheKey) -> Int { key.hash.shard(of: members.count) }

    func waitForScan() {
        for index in members.indices {
            while on(index, { $0.isIndexComplete }) == false { sched_yield() }
        }
    }

    func write(_ record: DiskRecord) -> DiskWriteOutcome? {
        wait(shard(of: record.key)) { $0.write(record, completion: $1) }
    }

    /// Begins a write; the answer is in the box when it has come.
    func beginWrite(_ record: DiskRecord) -> Box<DiskWriteOutcome> {
        let box = Box<DiskWriteOutcome>()
        on(shard(of: record.key)) { $0.write(record) { box.put($0) } }
        return box
    }

    func read(_ text: String) -> DiskRecord? {
        let key = key(text)
        return wait(shard(of: key)) { $0.read(key, completion: $1) } ?? nil
    }

    func beginRead(_ text: String) -> Box<DiskRecord?> {
        let box = Box<DiskRecord?>()
        let key = key(text)
        on(shard(of: key)) { $0.read(key) { box.put($0) } }
        return box
    }

    func remove(_ text: String) -> Bool {
        let key = key(text)
        return on(shard(of: key)) { $0.remove(key) } ?? false
    }

    func contains(_ text: String) -> DiskPresence? {
        let key = key(text)
        return on(shard(of: key)) { $0.contains(key) }
    }

    func flush() {
        for index in members.indices {
            let _: Bool? = wait(index) { shard, finish in shard.flush { finish(true) } }
        }
    }

    /// The file of a key.
    func file(_ text: String) -> String { tier.files.paths.record(key(text).hash) }
}

/// A value that one thread waits for.
final class Box<Value: Sendable>: @unchecked Sendable {
    // SAFETY: the value is under the lock.
    private let lock = Lock()
    private var value: Value?
    private let filled = DispatchSemaphore(value: 0)

    func put(_ value: Value) {
        lock.withLock { self.value = value }
        filled.signal()
    }

    /// Waits for the value; nil, and a failed test, if none comes.
    func take() -> Value? {
        guard filled.wait(timeout: .now() + 20) == .success else {
            Issue.record("no answer came")
            return nil
        }
        return lock.withLock { value }
    }

    /// The value if it is there.
    var now: Value? { lock.withLock { value } }
}

/// What the tier warned of.
final class Warnings: @unchecked Sendable {
    // SAFETY: the list is under the lock.
    private let lock = Lock()
    private var list: [StoreWarning] = []

    func add(_ warning: StoreWarning) { lock.withLock { list.append(warning) } }
    var all: [StoreWarning] { lock.withLock { list } }
}

/// A directory of its own for one test, removed with the value.
final class DiskDirectory: Sendable {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "/imagestore-disk-" + UUID().uuidString
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file below the directory, whose parents are made.
    func put(_ name: String, _ bytes: [UInt8]) throws {
        let full = path + "/" + name
        try FileManager.default.createDirectory(
            atPath: (full as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: full))
    }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

    /// The names of plain files below the directory.
    var files: [String] {
        let walker = FileManager.default.enumerator(atPath: path)
        return (walker?.allObjects as? [String] ?? []).filter {
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: path + "/" + $0, isDirectory: &isDirectory)
                && !isDirectory.boolValue
        }.sorted()
    }

    /// Records, by their place.
    var records: [String] {
        files.filter { $0.hasPrefix("v1/") && !$0.hasPrefix("v1/tmp") && $0 != "v1/seed" }
    }

    /// The allocated bytes of records and of files being written.
    var allocatedBytes: Int {
        let files = SystemFileSystem()
        return (RecordName.directories + ["tmp"]).reduce(0) { total, directory in
            let place = path + "/v1/" + directory
            return ((try? files.list(place)) ?? []).reduce(total) {
                var facts = stat()
                return stat(place + "/" + $1, &facts) == 0 ? $0 + Int(facts.st_blocks) * 512 : $0
            }
        }
    }
}

extension DiskRecord {
    var bodyBytes: [UInt8] { body.withBytes { span in span.indices.map { span[$0] } } }
}
