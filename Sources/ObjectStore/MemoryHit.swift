// What the memory tier answers.

/// An object found in the memory tier.
public struct MemoryHit: Sendable {
    /// The object; it stays whole however long it is held, evicted or not.
    public let object: CachedObject
    /// The place of the entry, for `lookup(slot:generation:hash:)`.
    public let slot: UInt32
    /// The content of the slot that was found.
    public let generation: UInt32
}

/// What became of an object that was offered to the memory tier.
public enum MemoryStoreOutcome: Equatable, Sendable {
    /// It is in the tier, in this entry.
    case stored(slot: UInt32, generation: UInt32)
    /// It is worth less than what would have to leave, or the tier is off.
    case refused
    /// It is larger than the whole budget.
    case tooLarge
}

/// How the memory tier stands; counters run from its creation.
public struct MemoryStatistics: Equatable, Sendable {
    /// The budget.
    public internal(set) var capacityBytes = 0
    /// The cost of all entries.
    public internal(set) var usedBytes = 0
    /// Entries.
    public internal(set) var objects = 0
    /// Objects stored, replacements included.
    public internal(set) var stored = 0
    /// Objects stored in place of an earlier one of the same key.
    public internal(set) var replaced = 0
    /// Objects refused, those too large included.
    public internal(set) var refused = 0
    /// Entries that left to make room for others.
    public internal(set) var evictedForRoom = 0
    /// Entries that left because the budget shrank.
    public internal(set) var evictedByBudget = 0
    /// Entries removed on request.
    public internal(set) var removed = 0
    /// Nodes in the eviction queue, those included whose entry is gone.
    public internal(set) var queueNodes = 0
}

/// A place in the walk over all entries.
///
/// A walk sees every entry that was there when it began and still is; it may or may not see those that came later.
public struct MemoryCursor: Equatable, Sendable {
    var nextSlot: UInt32 = 0

    /// Begins a walk.
    public init() {}
}

/// One entry as a listing shows it.
public struct MemoryListing: Sendable {
    /// The object.
    public let object: CachedObject
    /// How often it was used, storing it included; counted up to 63.
    public let uses: Int
}
