import EventLoops
import Synchronization

/// What a purge did.
public struct PurgeReport: Hashable, Sendable {
    /// Images that were removed or marked stale and were known; one in both tiers counts once.
    ///
    /// When everything goes, what the disk index knows is counted, lists of variants included.
    public let purged: Int
    /// Names the work that goes on with the files in the background; nil when none is left.
    ///
    /// The purge is in force without it.
    public let job: String?
}

/// How a purge ended.
typealias PurgeOutcome = Result<PurgeReport, Failure>

/// One purge on its way through the shards; the last one to have done its part completes it.
final class PurgeOrder: Sendable {
    /// What the shards do and remember.
    let ban: Ban
    private let remaining: Atomic<Int>
    private let purged = Atomic<Int>(0)
    private let isUnkept = Atomic<Bool>(false)
    private let completion: @Sendable (_ purged: Int, _ isKept: Bool) -> Void

    /// Makes an order that so many have a part in.
    init(_ ban: Ban, parts: Int, completion: @escaping @Sendable (_ purged: Int, _ isKept: Bool) -> Void) {
        self.ban = ban
        remaining = Atomic(parts)
        self.completion = completion
    }

    /// One part is done.
    ///
    /// - Parameters:
    ///   - purged: how much was removed or marked.
    ///   - isKept: whether a restart would find it so, too.
    func acknowledge(purged count: Int, isKept: Bool = true) {
        if !isKept { isUnkept.store(true, ordering: .relaxed) }
        purged.wrappingAdd(count, ordering: .relaxed)
        guard remaining.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        completion(purged.load(ordering: .relaxed), !isUnkept.load(ordering: .relaxed))
    }
}

/// One walk over all files for the purges that waited for it.
final class PurgeWalk: Sendable {
    /// What it looks for.
    let bans: [Ban]
    /// The same, as records are judged by it.
    let list: BanList
    /// Whether it takes away files that do not say what they are: an earlier walk could not read them either.
    let removesUnreadable: Bool
    private let hasFailed = Atomic<Bool>(false)

    /// Makes a walk.
    init(for bans: [Ban], lastNumber: UInt64, removesUnreadable: Bool) {
        self.bans = bans
        list = BanList(bans, lastNumber: lastNumber)
        self.removesUnreadable = removesUnreadable
    }

    /// Whether every file it found was removed or marked.
    var isSafe: Bool { !hasFailed.load(ordering: .acquiring) }

    /// A file is as it was.
    func failed() { hasFailed.store(true, ordering: .releasing) }
}

/// A few files that shards look at; the last one done lets the walk go on.
final class PurgeBatch: Sendable {
    private let walk: PurgeWalk
    private let remaining: Atomic<Int>
    private let next: @Sendable () -> Void

    /// Makes a batch of so many files.
    init(of walk: PurgeWalk, count: Int, next: @escaping @Sendable () -> Void) {
        self.walk = walk
        remaining = Atomic(count)
        self.next = next
    }

    /// One file is done.
    ///
    /// - Parameter isSafe: whether a restart would find it so, too.
    func done(isSafe: Bool) {
        if !isSafe { walk.failed() }
        if remaining.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { next() }
    }
}

// SAFETY: all state is under the lock.
/// Those who wait to hear of a purge: each is told once, whatever becomes of the loops.
final class OpenPurges: @unchecked Sendable {
    private let lock = Lock()
    private var completions: [UInt64: @Sendable (PurgeOutcome) -> Void] = [:]
    private var lastTicket: UInt64 = 0
    private var isEnded = false

    /// Takes somebody in.
    ///
    /// - Returns: what to take it out by; nil after the end.
    func add(_ completion: @escaping @Sendable (PurgeOutcome) -> Void) -> UInt64? {
        lock.withLock {
            guard !isEnded else { return nil }
            lastTicket += 1
            completions[lastTicket] = completion
            return lastTicket
        }
    }

    /// Takes somebody out, to be told; nil for those who were told.
    func take(_ ticket: UInt64) -> (@Sendable (PurgeOutcome) -> Void)? {
        lock.withLock { completions.removeValue(forKey: ticket) }
    }

    /// Tells all who are left that the service ends, on the calling thread.
    func end() {
        let left = lock.withLock {
            isEnded = true
            defer { completions = [:] }
            return completions
        }
        for completion in left.values { completion(.failure(.draining)) }
    }
}
