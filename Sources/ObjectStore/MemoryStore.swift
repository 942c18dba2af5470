import EventLoops

// The memory tier: whole responses, shared by all loops.

/// Responses in memory, within a budget of bytes.
///
/// Any thread may call anything. A lookup takes one of 64 stripe locks for some tens of nanoseconds and neither allocates
/// nor copies; changes take the policy's lock and, inside of it, stripe locks. Long work comes in slices, of which the
/// caller runs one per turn, so that neither its loop nor a waiting one stands still for more than 10 ms.
///
/// Which objects stay is decided by `EvictionPolicy`, by worth per byte. Bodies that requests still send live on after
/// their entry left; the budget no longer counts them.
public final class MemoryStore: Sendable {
    /// A slice of removal ends after this many entries or bytes, whichever comes first: unmapping costs about 20 µs a
    /// megabyte, an entry below a microsecond.
    private static let sliceObjects = 1_024
    private static let sliceBytes = 64 << 20

    private let index: MemoryIndex
    private let lock = Lock()
    // SAFETY: touched inside `withLedger` only, which holds the lock.
    nonisolated(unsafe) private var ledger: MemoryLedger

    /// Makes an empty store.
    ///
    /// - Parameter capacityBytes: the budget; 0 turns the tier off.
    public init(capacityBytes: Int) {
        index = MemoryIndex()
        unsafe ledger = MemoryLedger(index: index, capacityBytes: max(0, capacityBytes))
    }

    // MARK: Lookup

    /// Finds the object of a key and counts the use.
    public func lookup(_ key: CacheKey) -> MemoryHit? {
        lookup(hash: key.hash, keyBytes: key.bytes.span)
    }

    /// Finds the object of a key and counts the use.
    ///
    /// - Parameters:
    ///   - hash: the hash of the key.
    ///   - keyBytes: the key.
    ///
    /// Cost: one lock, one retain, one comparison of the key.
    public func lookup(hash: KeyHash, keyBytes: Span<UInt8>) -> MemoryHit? {
        index.lookup(hash, keyBytes: keyBytes, isUse: true)
    }

    /// Finds an object again and counts the use.
    ///
    /// - Parameters:
    ///   - slot: the slot that an earlier hit or store of the key named.
    ///   - generation: the generation that it named; any change of the entry since makes this a miss.
    ///   - hash: the hash of the key.
    ///
    /// Cost: one lock, one retain; the key is not compared.
    public func lookup(slot: UInt32, generation: UInt32, hash: KeyHash) -> CachedObject? {
        index.lookup(EntryHandle(slot: slot, generation: generation), hash: hash)
    }

    /// Finds the object of a key without counting a use: to explain, to list, to revalidate.
    public func peek(_ key: CacheKey) -> CachedObject? {
        index.lookup(key.hash, keyBytes: key.bytes.span, isUse: false)?.object
    }

    // MARK: Change

    /// Offers an object.
    ///
    /// An earlier object of the key is gone afterwards, whatever the outcome; its uses count for the new one. Others may
    /// have to leave.
    public func store(_ object: CachedObject) -> MemoryStoreOutcome {
        withLedger { ledger, released in ledger.store(object, released: &released) }
    }

    /// Asks whether an object would be stored, before its body is read.
    ///
    /// A no counts as a refusal and is remembered as one; after a yes, offer the object by `store`, which judges again.
    ///
    /// Cost: the policy's lock, as for `store`.
    public func wouldStore(_ hash: KeyHash, costBytes: Int) -> Bool {
        withLedger { ledger, _ in ledger.wouldStore(hash, costBytes: costBytes) }
    }

    /// Removes the object of a key.
    ///
    /// - Returns: whether there was one.
    public func remove(_ key: CacheKey) -> Bool {
        withLedger { ledger, released in ledger.remove(key, only: nil, released: &released) }
    }

    /// Removes this object, unless its key holds another one by now.
    ///
    /// - Returns: whether it was there.
    public func remove(_ object: CachedObject) -> Bool {
        withLedger { ledger, released in ledger.remove(object.key, only: object, released: &released) }
    }

    /// Removes what is there, one slice a call.
    ///
    /// - Parameter cursor: a new one to begin with, then the same.
    /// - Returns: whether there is more to do.
    public func removeAll(_ cursor: inout MemoryCursor) -> Bool {
        withLedger { ledger, released in
            ledger.removeNext(
                &cursor, maximumSlots: UInt32(Self.sliceObjects), maximumBytes: Self.sliceBytes, released: &released)
        }
    }

    /// Removes what is there.
    ///
    /// Cost: holds up the caller for as long as it takes, other threads for one slice at a time.
    public func removeAll() {
        var cursor = MemoryCursor()
        while removeAll(&cursor) {}
    }

    // MARK: Budget

    /// Changes the budget and removes what no longer fits, as far as one slice goes.
    ///
    /// Until the budget is met new objects are refused.
    ///
    /// - Returns: whether there is more to do, by `shrink`.
    public func setBudget(_ capacityBytes: Int) -> Bool {
        withLedger { ledger, _ in ledger.setCapacity(max(0, capacityBytes)) }
        return shrink()
    }

    /// Removes the next slice of what is over the budget.
    ///
    /// - Returns: whether there is more to do.
    public func shrink() -> Bool {
        withLedger { ledger, released in
            ledger.shrink(maximumObjects: Self.sliceObjects, maximumBytes: Self.sliceBytes, released: &released)
        }
    }

    // MARK: View

    /// How the tier stands.
    public var statistics: MemoryStatistics {
        withLedger { ledger, _ in ledger.snapshot }
    }

    /// Lists the objects of the next slots, in no order of meaning.
    ///
    /// - Parameters:
    ///   - cursor: a new one to begin with, then the same.
    ///   - objects: receives what was found, at most a thousand a call.
    ///   - maximum: the most that is listed in one call; nil for a slice that holds nobody up.
    /// - Returns: whether there is more to see.
    public func list(
        _ cursor: inout MemoryCursor, into objects: inout [MemoryListing], maximum: Int? = nil
    ) -> Bool {
        let slots = min(max(maximum ?? Self.sliceObjects, 1), Self.sliceObjects)
        return withLedger { ledger, _ in
            ledger.list(&cursor, maximumSlots: UInt32(slots), into: &objects)
        }
    }

    /// Runs one change, and lets go of what left when the lock is free.
    private func withLedger<Result>(_ body: (inout MemoryLedger, inout [CachedObject]) -> Result) -> Result {
        var released: [CachedObject] = []
        let result = lock.withLock { unsafe body(&ledger, &released) }
        released.removeAll()
        return result
    }
}
