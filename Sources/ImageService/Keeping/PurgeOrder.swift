import Synchronization

/// What a purge did.
public struct PurgeReport: Hashable, Sendable {
    /// Images that were removed or marked stale and were known; one in both tiers counts once.
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

/// A few files that shards look at; the last one done lets the walk go on.
final class PurgeBatch: Sendable {
    private let remaining: Atomic<Int>
    private let next: @Sendable () -> Void

    /// Makes a batch of so many files.
    init(count: Int, next: @escaping @Sendable () -> Void) {
        remaining = Atomic(count)
        self.next = next
    }

    /// One file is done.
    func done() {
        if remaining.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { next() }
    }
}
