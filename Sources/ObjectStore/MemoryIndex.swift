import Synchronization

// The shared table of the memory tier.

/// The entries of the memory tier and the striped table that finds them.
///
/// Lookups take one stripe's lock. Changes are made by whoever holds the policy's lock (`MemoryStore`), and take the
/// stripe's lock inside of it: the order is policy, then stripe, never two stripes.
// SAFETY: the stripes never move; each is touched under its own lock; entries follow the table in EntrySlab.
@safe
final class MemoryIndex: EvictionEntries, @unchecked Sendable {
    private static let stripeBits: UInt64 = 6
    private static let stripeCount = 1 << Int(stripeBits)

    private let slab: EntrySlab
    private let stripes: UnsafeMutablePointer<MemoryStripe>
    /// The age of the policy as hits see it; written under the policy's lock.
    let age = Atomic<UInt64>(0)

    /// Makes an empty index.
    init() {
        precondition(MemoryLayout<SlabEntry>.stride == 64 && MemoryLayout<MemoryStripe>.stride == 64)
        slab = EntrySlab()
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: Self.stripeCount * MemoryLayout<MemoryStripe>.stride, alignment: 64)
        unsafe stripes = memory.bindMemory(to: MemoryStripe.self, capacity: Self.stripeCount)
        for number in 0..<Self.stripeCount {
            unsafe (stripes + number).initialize(to: MemoryStripe())
            unsafe MemoryStripe.prepareLock(stripes + number)
        }
    }

    deinit {
        for number in 0..<Self.stripeCount { unsafe MemoryStripe.destroyLock(stripes + number) }
        unsafe stripes.deinitialize(count: Self.stripeCount)
        unsafe UnsafeMutableRawPointer(stripes).deallocate()
    }

    // MARK: Lookup; any thread

    /// Finds the entry of a key and marks the use.
    ///
    /// The key is compared after the lock was given back: two keys of one hash share an entry, so there is no other to try.
    ///
    /// - Parameters:
    ///   - hash: the hash of the key.
    ///   - keyBytes: the key.
    ///   - isUse: whether to mark the entry as used.
    ///
    /// Cost: one lock, one retain, one comparison.
    @inline(__always)
    func lookup(_ hash: KeyHash, keyBytes: Span<UInt8>, isUse: Bool) -> MemoryHit? {
        let stripe = unsafe stripe(of: hash)
        unsafe MemoryStripe.lock(stripe)
        guard let slot = unsafe stripe.pointee.find(hash, in: slab), let entry = unsafe slab.entry(slot) else {
            unsafe MemoryStripe.unlock(stripe)
            return nil
        }
        let generation = unsafe entry.pointee.generation.load(ordering: .relaxed)
        let object = unsafe take(entry, isUse: isUse)
        unsafe MemoryStripe.unlock(stripe)
        guard let object = unsafe object?.takeRetainedValue(), object.isStored(under: keyBytes) else { return nil }
        return MemoryHit(object: object, slot: slot, generation: generation)
    }

    /// Finds an entry by its handle and marks the use.
    ///
    /// - Parameters:
    ///   - handle: what an earlier lookup or store of this hash gave.
    ///   - hash: the hash of the key; it says which lock guards the entry.
    ///
    /// Cost: one lock, one retain.
    @inline(__always)
    func lookup(_ handle: EntryHandle, hash: KeyHash) -> CachedObject? {
        guard let entry = unsafe slab.entry(handle.slot) else { return nil }
        let stripe = unsafe stripe(of: hash)
        unsafe MemoryStripe.lock(stripe)
        // Another stripe may own the slot by now. Then the generation differs, and the other fields are left alone.
        guard
            unsafe entry.pointee.generation.load(ordering: .relaxed) == handle.generation,
            unsafe entry.pointee.hash == hash
        else {
            unsafe MemoryStripe.unlock(stripe)
            return nil
        }
        let object = unsafe take(entry, isUse: true)
        unsafe MemoryStripe.unlock(stripe)
        return unsafe object?.takeRetainedValue()
    }

    /// Marks the use and retains the object, so that it outlives the lock.
    @inline(__always)
    private func take(_ entry: UnsafeMutablePointer<SlabEntry>, isUse: Bool) -> Unmanaged<CachedObject>? {
        if isUse {
            let mark = unsafe UseMark(bits: entry.pointee.mark.load(ordering: .relaxed))
            let used = mark.used(at: age.load(ordering: .relaxed))
            // A hot entry of a quiet policy is saturated: not writing keeps its cache line shared between loops.
            if used != mark { unsafe entry.pointee.mark.store(used.bits, ordering: .relaxed) }
        }
        return unsafe entry.pointee.object?.retain()
    }

    @inline(__always)
    private func stripe(of hash: KeyHash) -> UnsafeMutablePointer<MemoryStripe> {
        // The upper bits; the table of the stripe uses the lower ones.
        unsafe stripes + Int(truncatingIfNeeded: hash.low &>> (64 - Self.stripeBits))
    }

    // MARK: Changes; the caller holds the policy's lock

    /// How many slots were ever used.
    var slotCount: UInt32 { slab.count }

    /// Finds the entry of a hash without marking a use.
    func find(_ hash: KeyHash) -> EntryHandle? {
        let stripe = unsafe stripe(of: hash)
        unsafe MemoryStripe.lock(stripe)
        defer { unsafe MemoryStripe.unlock(stripe) }
        guard let slot = unsafe stripe.pointee.find(hash, in: slab) else { return nil }
        return handle(ofSlot: slot)
    }

    /// The present handle of a slot; nil when it is free.
    func handle(ofSlot slot: UInt32) -> EntryHandle? {
        guard let entry = unsafe slab.entry(slot), unsafe entry.pointee.object != nil else { return nil }
        return unsafe EntryHandle(slot: slot, generation: entry.pointee.generation.load(ordering: .relaxed))
    }

    /// The object of an entry.
    func object(_ handle: EntryHandle) -> CachedObject? {
        guard let entry = unsafe liveEntry(handle) else { return nil }
        return unsafe entry.pointee.object?.takeUnretainedValue()
    }

    /// What the policy asks of an entry.
    func evictionEntry(_ handle: EntryHandle) -> EvictionEntry? {
        guard let entry = unsafe liveEntry(handle) else { return nil }
        return unsafe EvictionEntry(
            bytes: entry.pointee.bytes,
            mark: UseMark(bits: entry.pointee.mark.load(ordering: .relaxed)),
            hash: entry.pointee.hash.low)
    }

    /// Stores an object whose hash is not in the index.
    ///
    /// - Returns: nil when there is no slot left.
    func insert(_ object: CachedObject, bytes: Int, mark: UseMark) -> EntryHandle? {
        guard let slot = slab.take(), let entry = unsafe slab.entry(slot) else { return nil }
        let hash = object.key.hash
        unsafe entry.pointee.hash = hash
        unsafe entry.pointee.bytes = bytes
        unsafe entry.pointee.object = Unmanaged.passRetained(object)
        unsafe entry.pointee.mark.store(mark.bits, ordering: .relaxed)
        let stripe = unsafe stripe(of: hash)
        unsafe MemoryStripe.lock(stripe)
        unsafe stripe.pointee.insert(hash, slot: slot)
        unsafe MemoryStripe.unlock(stripe)
        return handle(ofSlot: slot)
    }

    /// Makes older handles of an entry void; the entry stays and is still found by its hash.
    func renew(_ handle: EntryHandle) -> EntryHandle {
        guard let entry = unsafe liveEntry(handle) else { return handle }
        let stripe = unsafe stripe(of: entry.pointee.hash)
        unsafe MemoryStripe.lock(stripe)
        defer { unsafe MemoryStripe.unlock(stripe) }
        return EntryHandle(slot: handle.slot, generation: unsafe raiseGeneration(entry))
    }

    /// Puts another object of the same hash into an entry.
    ///
    /// - Returns: the new handle, and the former object for the caller to let go of without locks.
    func replace(
        _ handle: EntryHandle, with object: CachedObject, bytes: Int, mark: UseMark
    ) -> (handle: EntryHandle, former: CachedObject?) {
        guard let entry = unsafe liveEntry(handle) else { return (handle, nil) }
        let stripe = unsafe stripe(of: entry.pointee.hash)
        unsafe MemoryStripe.lock(stripe)
        defer { unsafe MemoryStripe.unlock(stripe) }
        let former = unsafe entry.pointee.object
        unsafe entry.pointee.object = Unmanaged.passRetained(object)
        unsafe entry.pointee.bytes = bytes
        unsafe entry.pointee.mark.store(mark.bits, ordering: .relaxed)
        let generation = unsafe raiseGeneration(entry)
        return (EntryHandle(slot: handle.slot, generation: generation), unsafe former?.takeRetainedValue())
    }

    /// Removes an entry.
    ///
    /// - Returns: its object, for the caller to let go of without locks.
    func remove(_ handle: EntryHandle) -> CachedObject? {
        guard let entry = unsafe liveEntry(handle) else { return nil }
        let hash = unsafe entry.pointee.hash
        let stripe = unsafe stripe(of: hash)
        unsafe MemoryStripe.lock(stripe)
        unsafe stripe.pointee.remove(hash, slot: handle.slot)
        _ = unsafe raiseGeneration(entry)
        let object = unsafe entry.pointee.object
        unsafe entry.pointee.object = nil
        unsafe MemoryStripe.unlock(stripe)
        slab.giveBack(handle.slot)
        return unsafe object?.takeRetainedValue()
    }

    private func liveEntry(_ handle: EntryHandle) -> UnsafeMutablePointer<SlabEntry>? {
        guard
            let entry = unsafe slab.entry(handle.slot), unsafe entry.pointee.object != nil,
            unsafe entry.pointee.generation.load(ordering: .relaxed) == handle.generation
        else { return nil }
        return unsafe entry
    }

    private func raiseGeneration(_ entry: UnsafeMutablePointer<SlabEntry>) -> UInt32 {
        let generation = unsafe entry.pointee.generation.load(ordering: .relaxed) &+ 1
        unsafe entry.pointee.generation.store(generation, ordering: .relaxed)
        return generation
    }
}
