import Synchronization

// The changes of the memory tier, one at a time.

/// The policy of the memory tier together with its counters.
///
/// Owner: the policy's lock of `MemoryStore`. Objects that leave are handed to the caller, who lets go of them when the lock
/// is free: giving back a large body takes longer than everything here.
struct MemoryLedger {
    private let index: MemoryIndex
    private var policy: EvictionPolicy
    private var statistics = MemoryStatistics()
    private var victims: [EvictionPolicy.Victim] = []

    /// Makes the ledger of an empty index.
    init(index: MemoryIndex, capacityBytes: Int) {
        self.index = index
        policy = EvictionPolicy(capacityBytes: capacityBytes, divisor: .bytes)
    }

    /// The counters as they stand.
    var snapshot: MemoryStatistics {
        var snapshot = statistics
        snapshot.capacityBytes = policy.capacityBytes
        snapshot.usedBytes = policy.usedBytes
        snapshot.queueNodes = policy.queueCount
        return snapshot
    }

    // MARK: Storing

    /// Stores an object, or refuses it; in both cases an earlier object of the key is gone afterwards.
    mutating func store(_ object: CachedObject, released: inout [CachedObject]) -> MemoryStoreOutcome {
        let former = withdraw(object.key)
        let verdict =
            policy.capacityBytes == 0
            ? .refused
            : policy.admit(
                .init(bytes: object.costBytes, hash: object.key.hash.low, earlierUses: former?.uses),
                entries: index, victims: &victims)
        index.age.store(policy.age, ordering: .relaxed)
        statistics.evictedForRoom += victims.count
        removeVictims(&released)
        guard case .admitted(let mark) = verdict,
            let handle = put(object, into: former?.handle, mark: mark, released: &released)
        else {
            statistics.refused += 1
            if let former { discard(former.handle, &released) }
            return verdict == .tooLarge ? .tooLarge : .refused
        }
        policy.place(handle, bytes: object.costBytes, mark: mark)
        statistics.stored += 1
        return .stored(slot: handle.slot, generation: handle.generation)
    }

    /// Judges an object that is not there yet; a refusal counts.
    ///
    /// What there is of the key, or of one with the same hash, is for `store` to deal with.
    mutating func wouldStore(_ hash: KeyHash, costBytes: Int) -> Bool {
        guard index.find(hash) == nil else { return true }
        let arrival = EvictionPolicy.Arrival(bytes: costBytes, hash: hash.low, earlierUses: nil)
        if policy.capacityBytes > 0 {
            if policy.wouldAdmit(arrival, entries: index, victims: &victims) { return true }
            index.age.store(policy.age, ordering: .relaxed)
        }
        statistics.refused += 1
        return false
    }

    /// Takes the earlier entry of a key out of the policy, while lookups still find it.
    ///
    /// - Returns: its new handle, and its uses if it is of the same key and not of one with the same hash.
    private mutating func withdraw(_ key: CacheKey) -> (handle: EntryHandle, uses: UInt64?)? {
        guard let found = index.find(key.hash), let entry = index.evictionEntry(found) else { return nil }
        let isSameKey = index.object(found)?.key == key
        // The node of the old handle is dead now, so the policy cannot choose the entry to make room for its successor.
        let handle = index.renew(found)
        policy.forget(bytes: entry.bytes, entries: index)
        return (handle, isSameKey ? entry.mark.uses : nil)
    }

    private mutating func put(
        _ object: CachedObject, into handle: EntryHandle?, mark: UseMark, released: inout [CachedObject]
    ) -> EntryHandle? {
        guard let handle else {
            let handle = index.insert(object, bytes: object.costBytes, mark: mark)
            if handle != nil { statistics.objects += 1 }
            return handle
        }
        let (renewed, former) = index.replace(handle, with: object, bytes: object.costBytes, mark: mark)
        if let former { released.append(former) }
        statistics.replaced += 1
        return renewed
    }

    private mutating func removeVictims(_ released: inout [CachedObject]) {
        for victim in victims { discard(victim.handle, &released) }
        victims.removeAll(keepingCapacity: victims.count <= 1_024)
    }

    /// Removes an entry that the policy has forgotten already.
    private mutating func discard(_ handle: EntryHandle, _ released: inout [CachedObject]) {
        guard let object = index.remove(handle) else { return }
        released.append(object)
        statistics.objects -= 1
    }

    // MARK: Removing

    /// Removes the entry of a key when its object is the one that is meant.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - object: the only object to remove, or nil for any.
    ///   - released: receives the object.
    mutating func remove(_ key: CacheKey, only object: CachedObject?, released: inout [CachedObject]) -> Bool {
        guard let handle = index.find(key.hash), let present = index.object(handle), present.key == key else {
            return false
        }
        if let object, present !== object { return false }
        remove(handle, released: &released)
        return true
    }

    /// Removes the entries of the next slots.
    ///
    /// - Returns: whether there are slots left.
    mutating func removeNext(
        _ cursor: inout MemoryCursor, maximumSlots: UInt32, maximumBytes: Int, released: inout [CachedObject]
    ) -> Bool {
        let lastBytes = max(0, policy.usedBytes - maximumBytes)
        let end = min(index.slotCount, cursor.nextSlot + maximumSlots)
        while cursor.nextSlot < end, policy.usedBytes > lastBytes {
            if let handle = index.handle(ofSlot: cursor.nextSlot) { remove(handle, released: &released) }
            cursor.nextSlot += 1
        }
        return policy.usedBytes > 0 && cursor.nextSlot < index.slotCount
    }

    private mutating func remove(_ handle: EntryHandle, released: inout [CachedObject]) {
        guard let entry = index.evictionEntry(handle) else { return }
        discard(handle, &released)
        policy.forget(bytes: entry.bytes, entries: index)
        statistics.removed += 1
    }

    // MARK: Budget and walk

    /// Changes the budget; nothing leaves yet.
    mutating func setCapacity(_ bytes: Int) {
        policy.setCapacity(bytes)
    }

    /// Evicts until the budget is met or the slice is full.
    ///
    /// - Returns: whether there is more to do.
    mutating func shrink(maximumObjects: Int, maximumBytes: Int, released: inout [CachedObject]) -> Bool {
        let hasMore = policy.shrink(
            maximumVictims: maximumObjects, maximumBytes: maximumBytes, entries: index, victims: &victims)
        index.age.store(policy.age, ordering: .relaxed)
        statistics.evictedByBudget += victims.count
        removeVictims(&released)
        return hasMore
    }

    /// Lists the objects of the next slots.
    ///
    /// - Returns: whether there are slots left.
    func list(_ cursor: inout MemoryCursor, maximumSlots: UInt32, into objects: inout [MemoryListing]) -> Bool {
        let end = min(index.slotCount, cursor.nextSlot + maximumSlots)
        while cursor.nextSlot < end {
            if let handle = index.handle(ofSlot: cursor.nextSlot), let object = index.object(handle),
                let entry = index.evictionEntry(handle)
            {
                objects.append(MemoryListing(object: object, uses: Int(entry.mark.uses)))
            }
            cursor.nextSlot += 1
        }
        return cursor.nextSlot < index.slotCount
    }
}
