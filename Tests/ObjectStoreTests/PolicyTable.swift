@testable import ObjectStore

/// An owner of the policy that keeps sizes alone.
struct PolicyTable: EvictionEntries {
    private var entries: [EvictionEntry?] = []
    private var generations: [UInt32] = []
    private var free: [UInt32] = []
    private var handles: [UInt64: EntryHandle] = [:]

    var count: Int { handles.count }

    func evictionEntry(_ handle: EntryHandle) -> EvictionEntry? {
        guard generations[Int(handle.slot)] == handle.generation else { return nil }
        return entries[Int(handle.slot)]
    }

    func handle(of hash: UInt64) -> EntryHandle? { handles[hash] }

    mutating func use(_ handle: EntryHandle, age: UInt64) {
        guard var entry = entries[Int(handle.slot)] else { return }
        entry.mark = entry.mark.used(at: age)
        entries[Int(handle.slot)] = entry
    }

    mutating func insert(_ entry: EvictionEntry) -> EntryHandle {
        let slot: UInt32
        if let last = free.popLast() {
            slot = last
        } else {
            slot = UInt32(entries.count)
            entries.append(nil)
            generations.append(0)
        }
        entries[Int(slot)] = entry
        let handle = EntryHandle(slot: slot, generation: generations[Int(slot)])
        handles[entry.hash] = handle
        return handle
    }

    mutating func remove(_ handle: EntryHandle) {
        guard let entry = entries[Int(handle.slot)] else { return }
        handles[entry.hash] = nil
        entries[Int(handle.slot)] = nil
        generations[Int(handle.slot)] += 1
        free.append(handle.slot)
    }
}

/// A cache of sizes under the policy.
struct PolicyCache {
    var policy: EvictionPolicy
    var table = PolicyTable()

    init(capacityBytes: Int, divisor: EvictionDivisor = .bytes, admission: EvictionPolicy.Admission = .always) {
        policy = EvictionPolicy(capacityBytes: capacityBytes, divisor: divisor, admission: admission)
    }

    /// Asks for an object and, on a miss, offers it.
    mutating func request(_ hash: UInt64, bytes: Int) -> Bool {
        if let handle = table.handle(of: hash) {
            table.use(handle, age: policy.age)
            return true
        }
        _ = store(hash, bytes: bytes)
        return false
    }

    @discardableResult
    mutating func store(_ hash: UInt64, bytes: Int, earlierUses: UInt64? = nil) -> EvictionPolicy.Verdict {
        var victims: [EvictionPolicy.Victim] = []
        let verdict = policy.admit(
            .init(bytes: bytes, hash: hash, earlierUses: earlierUses), entries: table, victims: &victims)
        for victim in victims { table.remove(victim.handle) }
        if case .admitted(let mark) = verdict {
            let handle = table.insert(EvictionEntry(bytes: bytes, mark: mark, hash: hash))
            policy.place(handle, bytes: bytes, mark: mark)
        }
        return verdict
    }

    /// Asks before the bytes are there, then stores what is wanted.
    mutating func storeIfWanted(_ hash: UInt64, bytes: Int) {
        var victims: [EvictionPolicy.Victim] = []
        let arrival = EvictionPolicy.Arrival(bytes: bytes, hash: hash, earlierUses: nil)
        if policy.wouldAdmit(arrival, entries: table, victims: &victims) { store(hash, bytes: bytes) }
    }

    mutating func remove(_ hash: UInt64) {
        guard let handle = table.handle(of: hash), let entry = table.evictionEntry(handle) else { return }
        table.remove(handle)
        policy.forget(bytes: entry.bytes, entries: table)
    }
}
