import EventLoops
import ObjectStore

/// Failures remembered for a while, so that a broken image does not cost a fetch for every request.
///
/// Bounded: when it is full the oldest memory goes, which costs a fetch and nothing else. Keys are kept by their 128-bit
/// hash under the secret seed: a URL may be 8 KB long, and what two colliding ones could share is a failure.
struct NegativeMemory {
    private struct Entry {
        let failure: Failure
        let expiry: Instant
        let sequence: UInt64
    }

    /// About 150 bytes each.
    private static let limit = 50_000

    private var entries: [KeyHash: Entry] = [:]
    private var order: [(key: KeyHash, sequence: UInt64)] = []
    private var head = 0
    private var sequence: UInt64 = 0

    /// Failures held, those included that are over and not yet dropped.
    var count: Int { entries.count }

    /// The failure of a key, and the seconds for which it is still remembered.
    mutating func recall(_ key: CacheKey, now: Instant) -> (failure: Failure, seconds: Int64)? {
        guard let entry = entries[key.hash] else { return nil }
        guard entry.expiry > now else {
            entries[key.hash] = nil
            return nil
        }
        return (entry.failure, max(1, (entry.expiry - now).wholeSeconds))
    }

    /// Remembers a failure instead of an older one of the key; 0 seconds remember nothing.
    mutating func remember(_ failure: Failure, for key: CacheKey, seconds: Int64, now: Instant) {
        guard seconds > 0 else { return }
        sequence += 1
        entries[key.hash] = Entry(failure: failure, expiry: now + .seconds(seconds), sequence: sequence)
        order.append((key.hash, sequence))
        forgetOldest(now: now)
    }

    /// Forgets the failure of a key: it has been fetched.
    mutating func forget(_ key: CacheKey) {
        entries[key.hash] = nil
    }

    /// Forgets all of them, for a purge of more than one key.
    mutating func forgetAll() {
        entries = [:]
        order = []
        head = 0
    }

    /// Drops from the front what is over, replaced or too much.
    private mutating func forgetOldest(now: Instant) {
        while head < order.count {
            let oldest = order[head]
            let entry = entries[oldest.key]
            let isCurrent = entry?.sequence == oldest.sequence
            let isOver = !isCurrent || (entry.map { $0.expiry <= now } ?? true)
            guard isOver || entries.count > Self.limit || order.count - head > 2 * Self.limit else { break }
            head += 1
            if isCurrent { entries[oldest.key] = nil }
        }
        if head > 1024, head * 2 > order.count {
            order.removeFirst(head)
            head = 0
        }
    }
}
