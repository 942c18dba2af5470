// LAGD, a lazy adaptive greedy-dual policy: which objects are kept when not all fit.
//
// Each entry has a key: the age of the policy when the entry was used last, plus its worth (EvictionValue). The entry with
// the smallest key leaves, and the age rises to that key, so that what is not used falls behind. A hit only marks the entry
// (UseMark); the queue learns of it when the entry comes up. An object that is worth less than what would have to leave for
// it is refused. Objects dropped lately are remembered by hash: one that returns starts with two uses, and its class
// teaches the credit of a first use.
//
// The policy knows sizes and hashes, no keys and no bodies. Its owner keeps the entries and says, through
// `EvictionEntries`, what the policy needs to know of one; the memory tier and the disk tier are such owners.

/// What the policy asks of an entry.
struct EvictionEntry: Equatable, Sendable {
    /// What the entry costs of the budget.
    var bytes: Int
    /// Its use.
    var mark: UseMark
    /// The lower word of its key hash.
    var hash: UInt64
}

/// The owner's table of entries, as the policy sees it.
protocol EvictionEntries {
    /// Finds an entry; nil when the slot holds another content than the handle names.
    func evictionEntry(_ handle: EntryHandle) -> EvictionEntry?
}

/// The replacement policy of one tier, or of one shard of a tier.
///
/// Not thread-safe: the owner guards it. Bytes are counted here, so that `usedBytes` never exceeds `capacityBytes` but
/// while a smaller capacity is being put into force.
struct EvictionPolicy: Sendable {
    /// An entry that the owner must remove now; the policy has forgotten it already.
    struct Victim: Equatable, Sendable {
        /// The entry.
        let handle: EntryHandle
        /// What it was.
        let entry: EvictionEntry
        fileprivate let key: UInt64
    }

    /// An object that asks for room.
    struct Arrival: Sendable {
        /// What it will cost of the budget.
        var bytes: Int
        /// The lower word of its key hash.
        var hash: UInt64
        /// The uses it had in the entry that it replaces, or in an earlier life of the process; nil for a new object.
        var earlierUses: UInt64?
    }

    /// What is to become of an arrival.
    enum Verdict: Equatable, Sendable {
        /// Remove the victims, then store it with this mark and say `place`.
        case admitted(UseMark)
        /// It is worth less than what would have to leave.
        case refused
        /// It will never fit.
        case tooLarge
    }

    /// Who may enter a full tier.
    enum Admission: Equatable, Sendable {
        /// Whoever is worth more than what would leave.
        case always
        /// Only who also was dropped or turned away lately; saves writes.
        case secondRequest
    }

    /// The most that may be in the tier.
    private(set) var capacityBytes: Int
    /// What is in the tier.
    private(set) var usedBytes = 0
    /// The age, "L": the largest key that ever left; a hit stamps its entry with it.
    private(set) var age: UInt64 = 0
    /// Who may enter a full tier.
    var admission: Admission

    /// The worth of entries, with what was learned.
    private(set) var worth: EvictionValue
    private var queue = EvictionQueue()
    private var deadNodes = 0
    private var dropped: RecentlyDropped

    /// Nodes looked at for each node that dies: a pass over the queue ends before a quarter of it has died.
    private static let sweepSteps = 4
    /// An arrival that needs more victims than this is refused, so that no single store becomes a pause.
    private static let maximumVictims = 8_192

    /// Makes the policy of an empty tier.
    ///
    /// - Parameters:
    ///   - capacityBytes: the budget; 0 refuses everything.
    ///   - divisor: what worth is divided by.
    ///   - admission: who may enter when the tier is full.
    init(capacityBytes: Int, divisor: EvictionDivisor, admission: Admission = .always) {
        self.capacityBytes = capacityBytes
        self.admission = admission
        worth = EvictionValue(divisor: divisor)
        dropped = RecentlyDropped(capacityBytes: capacityBytes)
    }

    /// Nodes in the queue, dead ones included.
    var queueCount: Int { queue.count }
    /// Nodes in the queue whose entry is gone.
    var deadCount: Int { deadNodes }

    // MARK: Storing

    /// Judges an object that asks for room, and makes the room when it is admitted.
    ///
    /// - Parameters:
    ///   - arrival: the object.
    ///   - entries: the owner's table.
    ///   - victims: receives the entries that the owner must remove, in the order in which they leave.
    mutating func admit(
        _ arrival: Arrival, entries: some EvictionEntries, victims: inout [Victim]
    ) -> Verdict {
        judge(arrival, entries: entries, victims: &victims, isTrial: false)
    }

    /// Judges an object whose bytes are not there yet.
    ///
    /// A refusal is as good as one of `admit`. Of an admission nothing is kept: `admit` judges again and makes the room.
    ///
    /// - Parameter victims: an empty array to work with; empty again afterwards.
    mutating func wouldAdmit(
        _ arrival: Arrival, entries: some EvictionEntries, victims: inout [Victim]
    ) -> Bool {
        let learned = worth
        let verdict = judge(arrival, entries: entries, victims: &victims, isTrial: true)
        guard case .admitted = verdict else { return false }
        worth = learned
        for victim in victims { queue.push(.init(key: victim.key, handle: victim.handle)) }
        victims.removeAll(keepingCapacity: true)
        return true
    }

    private mutating func judge(
        _ arrival: Arrival, entries: some EvictionEntries, victims: inout [Victim], isTrial: Bool
    ) -> Verdict {
        guard arrival.bytes <= capacityBytes else { return .tooLarge }
        // While a smaller capacity comes into force, room is made by `shrink` and its bounded slices alone.
        guard usedBytes <= capacityBytes else { return .refused }
        let wasDropped = learn(from: arrival)
        let uses = arrival.earlierUses ?? (wasDropped ? 2 : 1)
        let isFull = usedBytes + arrival.bytes > capacityBytes
        if isFull, admission == .secondRequest, arrival.earlierUses == nil, !wasDropped {
            remember(hash: arrival.hash, uses: uses, bytes: arrival.bytes)
            return .refused
        }
        let key = age + worth.value(uses: uses, bytes: arrival.bytes)
        let isAdmitted = findRoom(for: arrival.bytes, key: key, entries: entries, victims: &victims)
        guard isAdmitted else {
            remember(hash: arrival.hash, uses: uses, bytes: arrival.bytes)
            return .refused
        }
        if !isTrial { for victim in victims { drop(victim) } }
        return .admitted(UseMark(uses: uses, stamp: age))
    }

    /// Notes that an admitted object is in the tier.
    mutating func place(_ handle: EntryHandle, bytes: Int, mark: UseMark) {
        usedBytes += bytes
        queue.push(.init(key: mark.stamp + worth.value(uses: mark.uses, bytes: bytes), handle: handle))
    }

    /// Notes that an entry left by another way than as a victim: purged, replaced, expired.
    ///
    /// Call it when the table no longer knows the handle.
    mutating func forget(bytes: Int, entries: some EvictionEntries) {
        usedBytes -= bytes
        deadNodes += 1
        deadNodes -= queue.sweep(steps: Self.sweepSteps, entries: entries)
    }

    // MARK: Capacity

    /// Changes the budget; nothing leaves before `shrink` is called.
    mutating func setCapacity(_ bytes: Int) {
        if bytes != capacityBytes { dropped = RecentlyDropped(capacityBytes: bytes) }
        capacityBytes = bytes
    }

    /// Picks the next victims until the tier is within its capacity again.
    ///
    /// - Parameters:
    ///   - maximumVictims: ends the slice.
    ///   - maximumBytes: ends the slice, since giving memory back costs time by the byte.
    ///   - entries: the owner's table.
    ///   - victims: receives the entries that the owner must remove.
    /// - Returns: whether there is more to do.
    mutating func shrink(
        maximumVictims: Int, maximumBytes: Int, entries: some EvictionEntries,
        victims: inout [Victim]
    ) -> Bool {
        var bytes = 0
        var count = 0
        while usedBytes > capacityBytes, count < maximumVictims, bytes < maximumBytes {
            guard let victim = popMinimum(entries) else { break }
            drop(victim)
            victims.append(victim)
            bytes += victim.entry.bytes
            count += 1
        }
        return usedBytes > capacityBytes && queue.count > 0
    }

    // MARK: Victims

    /// Picks victims until the bytes fit, or puts them back when one of them is worth more than the arrival.
    private mutating func findRoom(
        for bytes: Int, key: UInt64, entries: some EvictionEntries, victims: inout [Victim]
    ) -> Bool {
        var freed = 0
        while usedBytes - freed + bytes > capacityBytes {
            guard let victim = popMinimum(entries) else { break }
            victims.append(victim)
            freed += victim.entry.bytes
            if victim.key > key || victims.count > Self.maximumVictims {
                putBack(&victims, key: key)
                return false
            }
        }
        return true
    }

    private mutating func putBack(_ victims: inout [Victim], key: UInt64) {
        for victim in victims { queue.push(.init(key: victim.key, handle: victim.handle)) }
        age = max(age, min(key, victims[0].key))
        victims.removeAll(keepingCapacity: true)
    }

    /// Takes the entry with the smallest true key out of the queue.
    private mutating func popMinimum(_ entries: some EvictionEntries) -> Victim? {
        while let node = queue.minimum {
            guard let entry = entries.evictionEntry(node.handle) else {
                queue.removeMinimum()
                deadNodes -= 1
                continue
            }
            if entry.mark.uses > 1 {
                let key = entry.mark.stamp + worth.value(uses: entry.mark.uses, bytes: entry.bytes)
                if key > node.key {
                    queue.raiseMinimum(to: key)
                    continue
                }
            }
            queue.removeMinimum()
            return Victim(handle: node.handle, entry: entry, key: node.key)
        }
        return nil
    }

    private mutating func drop(_ victim: Victim) {
        age = max(age, victim.key)
        usedBytes -= victim.entry.bytes
        remember(hash: victim.entry.hash, uses: victim.entry.mark.uses, bytes: victim.entry.bytes)
    }

    // MARK: Memory of the dropped

    /// Says whether a new object was dropped lately, and learns from its return.
    private mutating func learn(from arrival: Arrival) -> Bool {
        guard arrival.earlierUses == nil, let former = dropped.find(arrival.hash) else { return false }
        switch former {
        case .usedOnce: worth.objectDroppedOnceReturned()
        case .usedOften: worth.objectDroppedOftenReturned()
        }
        return true
    }

    private mutating func remember(hash: UInt64, uses: UInt64, bytes: Int) {
        worth.dropped(uses: uses, bytes: bytes)
        if dropped.add(hash, uses: uses, bytes: bytes) { worth.forgetHalf() }
    }
}
