import EventLoops
import HTTPMessages
import ObjectStore

/// Failures remembered for a while, so that a broken image does not cost a fetch for every request.
///
/// What an origin says may depend on the request fields that it was sent; each failure knows for whom it counts.
///
/// Bounded: when it is full the oldest memory goes, which costs a fetch and nothing else. Keys are kept by their 128-bit
/// hash under the secret seed: a URL may be 8 KB long, and what two colliding ones could share is a failure.
struct NegativeMemory {
    private struct Entry {
        let failure: Failure
        let scope: FailureScope
        let expiry: Instant
        let sequence: UInt64
    }

    /// About 200 bytes each.
    private static let limit = 50_000
    /// Of one URL; clients choose the fields.
    private static let limitOfKey = 16

    private var entries: [KeyHash: [Entry]] = [:]
    private var order: [(key: KeyHash, sequence: UInt64)] = []
    private var head = 0
    private var sequence: UInt64 = 0

    /// Failures held, those included that are over and not yet dropped.
    private(set) var count = 0

    /// The failure of a key that counts for a request, and the seconds for which it is still remembered.
    ///
    /// - Parameter request: the fields as they would be sent to the origin.
    mutating func recall(_ key: CacheKey, for request: Fields, now: Instant) -> (failure: Failure, seconds: Int64)? {
        guard entries[key.hash] != nil else { return nil }
        remove(key.hash) { $0.expiry <= now }
        guard let entry = entries[key.hash]?.last(where: { $0.scope.covers(request) }) else { return nil }
        return (entry.failure, max(1, (entry.expiry - now).wholeSeconds))
    }

    /// Remembers a failure instead of an older one of the key and the same scope; 0 seconds remember nothing.
    mutating func remember(
        _ failure: Failure, for key: CacheKey, scope: FailureScope = .everyone, seconds: Int64, now: Instant
    ) {
        guard seconds > 0 else { return }
        sequence += 1
        remove(key.hash) { $0.scope == scope }
        if let oldest = entries[key.hash], oldest.count >= Self.limitOfKey {
            remove(key.hash) { $0.sequence == oldest[0].sequence }
        }
        let entry = Entry(failure: failure, scope: scope, expiry: now + .seconds(seconds), sequence: sequence)
        entries[key.hash, default: []].append(entry)
        count += 1
        order.append((key.hash, sequence))
        forgetOldest(now: now)
    }

    /// Forgets all failures of a key.
    mutating func forget(_ key: CacheKey) {
        remove(key.hash) { _ in true }
    }

    /// Forgets what a fetch with these fields has disproved.
    mutating func forget(_ key: CacheKey, for request: Fields) {
        remove(key.hash) { $0.scope.covers(request) }
    }

    /// Forgets all of them, for a purge of more than one key.
    mutating func forgetAll() {
        entries = [:]
        count = 0
        order = []
        head = 0
    }

    private mutating func remove(_ key: KeyHash, where isGone: (Entry) -> Bool) {
        guard var kept = entries[key] else { return }
        count -= kept.count
        kept.removeAll(where: isGone)
        count += kept.count
        entries[key] = kept.isEmpty ? nil : kept
    }

    /// Drops from the front what is over, replaced or too much.
    private mutating func forgetOldest(now: Instant) {
        while head < order.count {
            let oldest = order[head]
            let entry = entries[oldest.key]?.first { $0.sequence == oldest.sequence }
            let isOver = entry.map { $0.expiry <= now } ?? true
            guard isOver || count > Self.limit || order.count - head > 2 * Self.limit else { break }
            head += 1
            if entry != nil { remove(oldest.key) { $0.sequence == oldest.sequence } }
        }
        if head > 1024, head * 2 > order.count {
            order.removeFirst(head)
            head = 0
        }
    }
}
