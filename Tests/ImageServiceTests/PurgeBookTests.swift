import EventLoops
import Foundation
import ObjectStore
import TestSupport
import Testing

@testable import ImageService

@Suite struct PurgeBookTests {
    private func bans(_ count: Int) -> [Ban] {
        (1...count).map { number in
            Ban(number: UInt64(number), target: .prefix(Array("http://o.test/\(number)".utf8)), isSoft: false)
        }
    }

    @Test func `a purge is there after a restart until its walk has ended`() throws {
        // Given a directory in which a process left a purge
        let left = bans(1)
        try withDirectory(leaving: left) { path in
            // When another one begins
            try withBook(path) { book, shard in
                // Then it goes on with that, and has not forgotten it
                #expect(book.initial.bans == left)
                #expect(kept(in: path) == left)
                // Until its walk has ended
                book.start()
                #expect(shard.waitForForgotten() == [1])
                #expect(eventually { kept(in: path) == [] })
            }
            try withBook(path) { book, _ in #expect(book.initial.bans == []) }
        }
    }

    @Test func `a walk that cannot look everywhere is tried again`() throws {
        // Given a purge, and a directory of records that cannot be listed
        try withDirectory(leaving: bans(1)) { path in
            try withBook(path) { book, shard in
                let place = path + "/v1/ab"
                try FileManager.default.removeItem(atPath: place)
                #expect(FileManager.default.createFile(atPath: place, contents: nil))
                // When the book walks
                book.start()
                // Then it keeps the purge for another walk
                #expect(shard.waitForDelay() == .seconds(1))
                #expect(kept(in: path) == bans(1))
                // And that one ends it
                try FileManager.default.removeItem(atPath: place)
                book.retryWalk()
                #expect(shard.waitForForgotten() == [1])
                #expect(eventually { kept(in: path) == [] })
            }
        }
    }

    @Test func `a file that stays keeps the purge, and the pauses grow`() throws {
        // Given a purge and a record that a shard cannot be rid of
        try withDirectory(leaving: [everything], records: 1) { path in
            try withBook(path, isSafe: false) { book, shard in
                book.start()
                #expect(shard.waitForDelay() == .seconds(1))
                book.retryWalk()
                #expect(shard.waitForDelay() == .seconds(2))
                book.retryWalk()
                #expect(shard.waitForDelay() == .seconds(4))
                #expect(kept(in: path) == [everything])
            }
        }
    }

    @Test func `a purge that comes during a walk is walked for, though that one was not complete`() throws {
        // Given a walk that has come to a record
        try withDirectory(leaving: [everything], records: 1) { path in
            try withBook(path, isSafe: false, holdsBatch: true) { book, shard in
                book.start()
                let batch = shard.heldBatch()
                // When another purge comes, and then the walk turns out not to be complete
                let told = Waiting()
                book.order(.prefix(Array("http://o.test/9".utf8)), isSoft: false, loop: 0) { told.tell($0) }
                #expect(told.purged == 3)
                shard.isSafe = true
                batch?.done(isSafe: false)
                // Then the next walk begins at once, for both, and nobody waits
                shard.heldBatch()?.done(isSafe: true)
                #expect(shard.waitForForgotten()?.count == 2)
                #expect(eventually { kept(in: path) == [] })
                #expect(shard.delays.isEmpty)
            }
        }
    }

    @Test func `numbers go on where the last process stopped, though the clock went back`() throws {
        try withDirectory(leaving: []) { path in
            var first: UInt64 = 0
            try withBook(path, wallSeconds: 2_000) { book, _ in first = book.initial.lastNumber }
            try withBook(path, wallSeconds: 1_000) { book, _ in #expect(book.initial.lastNumber > first) }
        }
    }

    @Test func `a purge that is subsumed is forgotten`() throws {
        try withDirectory(leaving: bans(5)) { path in
            try withBook(path) { book, _ in
                let told = Waiting()
                book.order(.all, isSoft: false, loop: 0) { told.tell($0) }
                #expect(told.purged == 3)
                #expect(eventually { kept(in: path) == [] })
            }
        }
    }

    @Test func `whoever waits at the end is told, and who comes later, too`() throws {
        try withDirectory(leaving: []) { path in
            let waiting = Waiting()
            let late = Waiting()
            try withBook(path, acknowledges: false) { book, _ in
                book.order(.url(Fixtures.key()), isSoft: false, loop: 0) { waiting.tell($0) }
                book.end()
                book.order(.url(Fixtures.key()), isSoft: false, loop: 0) { late.tell($0) }
            }
            #expect(waiting.outcome == .failure(.draining) && late.outcome == .failure(.draining))
            #expect(waiting.count == 1)
        }
    }

    @Test func `more purges by rule than can be kept are refused, those of one image are not`() throws {
        // Given as many as can be kept
        try withDirectory(leaving: bans(PurgeBook.limit)) { path in
            try withBook(path) { book, shard in
                // When one more comes
                let refused = Waiting()
                book.order(.prefix([1]), isSoft: true, loop: 0) { refused.tell($0) }
                // Then it is refused with a reason, and no shard hears of it
                guard case .failure(let failure)? = refused.outcome else {
                    Issue.record("it was not refused")
                    return
                }
                #expect(failure.answer.status == 503 && failure.answer.detail.contains("Too many purges"))
                #expect(shard.count == 0)
                let taken = Waiting()
                book.order(.url(Fixtures.key()), isSoft: false, loop: 0) { taken.tell($0) }
                let report = try taken.outcome?.get()
                #expect(report == PurgeReport(purged: 3, job: nil))
                #expect(shard.count == 1)
            }
        }
    }

    @Test func `an order is done with its last part`() {
        let done = EventLoops.Gate(count: 1)
        let order = PurgeOrder(bans(1)[0], parts: 3) { purged, isKept in
            #expect(purged == 5 && !isKept)
            done.open()
        }
        order.acknowledge(purged: 2)
        order.acknowledge(purged: 0, isKept: false)
        #expect(!done.wait(atMost: .zero))
        order.acknowledge(purged: 3)
        #expect(done.wait(atMost: .seconds(20)))
    }

    // MARK: Parts

    private var everything: Ban { Ban(number: 1, target: .all, isSoft: false) }

    /// What the ban file says.
    private func kept(in path: String) -> [Ban]? {
        guard let bytes = FileManager.default.contents(atPath: path + "/v1/bans") else { return nil }
        return BanCoding.decode(Array(bytes.dropFirst(8).dropLast(8)))?.bans
    }

    /// Makes a directory with purges and so many records.
    private func withDirectory(leaving bans: [Ban], records: Int = 0, _ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "/imagestore-bans-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let tier = try DiskTier(settings: DiskTierSettings(path: path, limitBytes: 1_000_000))
        #expect(tier.keepBans(BanCoding.encode(KeptPurges(lastNumber: 5_000, bans: bans))))
        for number in 0..<records { try store("http://o.test/\(number + 1)", tier) }
        tier.close()
        try body(path)
    }

    /// Puts a record into a tier.
    private func store(_ url: String, _ tier: DiskTier) throws {
        let loop = try EventLoop(index: 0)
        let shard = LoopBound(DiskShard(tier: tier, loop: loop, shardIndex: 0, shardCount: 1), loop: loop)
        let mailbox = Mailbox<@Sendable () -> Void>(loop: loop) { $0() }
        try loop.start(name: "store")
        let key = CacheKey(Array(url.utf8), seed: tier.hashSeed)
        let record = DiskRecord(
            key: key, head: [0, 0, 0, 0], times: RecordTimes(requestTime: 1, responseTime: 1), body: Chunk([1]))
        let written = EventLoops.Gate(count: 1)
        mailbox.post { shard.value.write(record) { _ in written.open() } }
        #expect(written.wait(atMost: .seconds(20)))
        loop.stop()
        loop.join()
        shard.value.abandon()
    }

    /// A book with one loop, whose shard acknowledges whatever comes.
    private func withBook(
        _ path: String, isSafe: Bool = true, holdsBatch: Bool = false, acknowledges: Bool = true,
        wallSeconds: Int64 = 2_000, _ body: (PurgeBook, FakeShard) throws -> Void
    ) throws {
        let tier = try DiskTier(settings: DiskTierSettings(path: path, limitBytes: 1_000_000))
        let loop = try EventLoop(index: 0)
        let fake = FakeShard(isSafe: isSafe, holdsBatch: holdsBatch, acknowledges: acknowledges)
        let serving = Mailbox<ServingMessage>(loop: loop) { message in
            if case .purged(let outcome, let completion) = message { completion(outcome) }
        }
        let shard = Mailbox<ShardMessage>(loop: loop) { fake.receive($0) }
        let ports = ServicePorts(serving: [serving], shards: [shard], downloads: Mailbox(loop: loop) { _ in })
        try loop.start(name: "book")
        defer {
            loop.stop()
            loop.join()
            tier.close()
        }
        let log = try Log(level: .error) { (_: [UInt8]) in }
        try body(PurgeBook(disk: tier, ports: ports, log: log, wallSeconds: wallSeconds), fake)
    }
}

/// What a shard is told, and what it answers.
private final class FakeShard: @unchecked Sendable {
    // SAFETY: everything that changes is under the lock.
    private let lock = Lock()
    private let holdsBatch: Bool
    private let acknowledges: Bool
    private var safe: Bool
    private var orders = 0
    private var batches: [PurgeBatch] = []
    private var allDelays: [Duration] = []
    private var forgotten: Set<UInt64> = []
    private let wasTold = DispatchSemaphore(value: 0)

    init(isSafe: Bool, holdsBatch: Bool, acknowledges: Bool) {
        safe = isSafe
        self.holdsBatch = holdsBatch
        self.acknowledges = acknowledges
    }

    var isSafe: Bool {
        get { lock.withLock { safe } }
        set { lock.withLock { safe = newValue } }
    }
    var count: Int { lock.withLock { orders } }
    var delays: [Duration] { lock.withLock { allDelays } }

    func receive(_ message: ShardMessage) {
        switch message {
        case .purge(let order):
            lock.withLock { orders += 1 }
            if acknowledges { order.acknowledge(purged: 3) }
        case .judgeFiles(let keys, let batch):
            if holdsBatch { return tell { $0.batches.append(batch) } }
            for _ in keys { batch.done(isSafe: isSafe) }
        case .walkLater(let delay): tell { $0.allDelays.append(delay) }
        case .forgetBans(let numbers): tell { $0.forgotten.formUnion(numbers) }
        default: break
        }
    }

    private func tell(_ change: (FakeShard) -> Void) {
        lock.withLock { change(self) }
        wasTold.signal()
    }

    private func wait<Value>(for value: () -> Value?) -> Value? {
        guard wasTold.wait(timeout: .now() + 20) == .success else { return nil }
        return lock.withLock { value() }
    }

    /// Waits for the news that purges may be forgotten.
    func waitForForgotten() -> Set<UInt64>? { wait { forgotten } }
    /// Waits for the next pause that is asked for.
    func waitForDelay() -> Duration? { wait { allDelays.last } }
    /// Waits for files to judge.
    func heldBatch() -> PurgeBatch? { wait { batches.last } }
}

/// The outcome of a purge that one thread waits for.
private final class Waiting: @unchecked Sendable {
    // SAFETY: the outcome is under the lock.
    private let lock = Lock()
    private let told = EventLoops.Gate(count: 1)
    private var values: [PurgeOutcome] = []

    func tell(_ outcome: PurgeOutcome) {
        lock.withLock { values.append(outcome) }
        told.open()
    }

    /// Waits for the outcome; nil if none comes.
    var outcome: PurgeOutcome? { told.wait(atMost: .seconds(20)) ? lock.withLock { values.last } : nil }
    /// Waits for the count of a purge that is in force.
    var purged: Int? {
        guard case .success(let report)? = outcome else { return nil }
        return report.purged
    }
    var count: Int { lock.withLock { values.count } }
}
