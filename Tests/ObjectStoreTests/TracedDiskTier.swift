import Dispatch
import EventLoops
import Glibc

@testable import ObjectStore

/// The real disk tier over a file system that keeps sizes alone, asked for one object after the other.
final class TracedDiskTier {
    private let tier: DiskTier
    private let loop: EventLoop
    private let shard: LoopBound<DiskShard>
    private let mailbox: Mailbox<@Sendable () -> Void>

    /// What an object of so many bytes is charged with: files take whole blocks.
    static func chargedBytes(_ bytes: Int) -> Int { RecordLayout.allocation(of: bytes) }

    init(capacityBytes: Int) throws {
        let settings = DiskTierSettings(path: "/traced", limitBytes: capacityBytes, workers: 1)
        tier = try DiskTier(settings: settings, fileSystem: SizesOnlyFileSystem())
        let loop = try EventLoop(index: 0)
        self.loop = loop
        let shard = DiskShard(tier: tier, loop: loop, shardIndex: 0, shardCount: 1)
        self.shard = LoopBound(shard, loop: loop)
        mailbox = Mailbox(loop: loop) { $0() }
        try loop.start(name: "traced")
        // The scan of nothing ends at once; until then nothing is admitted.
        while !onLoop({ $0.isIndexComplete }) { sched_yield() }
    }

    /// Ends the tier.
    func close() {
        onLoop { $0.close() }
        loop.stop()
        loop.join()
        tier.close()
    }

    /// Asks for an object and, on a miss, stores it; returns whether it was there.
    func request(_ number: UInt64, bytes: Int) -> Bool {
        let key = key(number)
        return wait { shard, finish in
            if shard.readAtOnce(key) != nil { return finish(true) }
            shard.read(key) { found in
                if found != nil { return finish(true) }
                shard.write(Self.record(key, bytes: bytes)) { _ in finish(false) }
            }
        }
    }

    /// What the files are charged with.
    var usedBytes: Int { onLoop { $0.index.usedBytes } }

    /// A record whose file has the length of the object: its header counts as a part of it.
    private static func record(_ key: CacheKey, bytes: Int) -> DiskRecord {
        let header = RecordHeader.bodyOffset(keyLength: key.bytes.count, headLength: 0)
        let body = Chunk(capacity: max(1, chargedBytes(bytes) - header))
        body.appendZeros(body.capacity)
        return DiskRecord(key: key, head: [], times: RecordTimes(requestTime: 1, responseTime: 1), body: body)
    }

    @discardableResult
    private func onLoop<Value: Sendable>(_ work: @escaping @Sendable (DiskShard) -> Value) -> Value {
        wait { shard, finish in finish(work(shard)) }
    }

    private func wait<Value: Sendable>(
        _ work: @escaping @Sendable (DiskShard, _ finish: @escaping @Sendable (Value) -> Void) -> Void
    ) -> Value {
        let answer = Answer<Value>()
        let shard = shard
        mailbox.post { work(shard.value) { answer.give($0) } }
        return answer.take()
    }
}

/// A value on its way from a loop.
private final class Answer<Value: Sendable>: @unchecked Sendable {
    // SAFETY: the semaphore orders the one write before the one read.
    private var value: Value?
    private let given = DispatchSemaphore(value: 0)

    func give(_ value: Value) {
        self.value = value
        given.signal()
    }

    func take() -> Value {
        given.wait()
        guard let value else { preconditionFailure("signalled without a value") }
        return value
    }
}
