import Glibc

// One stripe of the memory tier's index.

/// A lock and the table that it guards.
///
/// The lock lies in place, not behind the reference of a `Lock`, so that a hit finds lock and table in one cache line.
///
/// Shape: 64 bytes, aligned to 64: stripes share no cache line. A bucket is 0 when empty, else the slot plus one in its
/// upper and the lower half of the hash's lower word in its lower 32 bits; the home of a bucket follows from the latter, so
/// that growing and closing gaps need no look at the entries. Linear probing, at most three quarters full.
@safe
struct MemoryStripe: ~Copyable {
    private var mutex = unsafe pthread_mutex_t()
    private var buckets: UnsafeMutablePointer<UInt64>
    private var mask: UInt32
    private var count: UInt32 = 0
    private let padding: UInt64 = 0

    private static let firstCapacity = 16

    /// Makes an empty stripe, whose lock is not ready before it has its final address.
    init() {
        unsafe buckets = Self.makeBuckets(Self.firstCapacity)
        mask = UInt32(Self.firstCapacity - 1)
    }

    deinit {
        unsafe buckets.deallocate()
    }

    // MARK: Lock

    /// Makes the lock of a stripe that lies where it will stay.
    static func prepareLock(_ stripe: UnsafeMutablePointer<MemoryStripe>) {
        let code = unsafe pthread_mutex_init(mutex(stripe), nil)
        precondition(code == 0, "pthread_mutex_init failed with \(code)")
    }

    /// Ends the lock of a stripe that nobody uses any more.
    static func destroyLock(_ stripe: UnsafeMutablePointer<MemoryStripe>) {
        _ = unsafe pthread_mutex_destroy(mutex(stripe))  // fails only while it is held, and nobody is left to hold it
    }

    /// Waits until the lock is free and takes it.
    @inline(__always)
    static func lock(_ stripe: UnsafeMutablePointer<MemoryStripe>) {
        let code = unsafe pthread_mutex_lock(mutex(stripe))
        precondition(code == 0, "pthread_mutex_lock failed with \(code)")
    }

    /// Gives the lock back.
    @inline(__always)
    static func unlock(_ stripe: UnsafeMutablePointer<MemoryStripe>) {
        let code = unsafe pthread_mutex_unlock(mutex(stripe))
        precondition(code == 0, "pthread_mutex_unlock failed with \(code)")
    }

    /// The mutex is the first field, so it has the stripe's address.
    @inline(__always)
    private static func mutex(_ stripe: UnsafeMutablePointer<MemoryStripe>) -> UnsafeMutablePointer<pthread_mutex_t> {
        unsafe UnsafeMutableRawPointer(stripe).assumingMemoryBound(to: pthread_mutex_t.self)
    }

    // MARK: Table; the caller holds the lock

    /// Finds the slot of a hash.
    @inline(__always)
    borrowing func find(_ hash: KeyHash, in slab: EntrySlab) -> UInt32? {
        let tag = UInt32(truncatingIfNeeded: hash.low)
        var place = tag & mask
        while true {
            let bucket = unsafe buckets[Int(place)]
            if bucket == 0 { return nil }
            if UInt32(truncatingIfNeeded: bucket) == tag {
                let slot = Self.slot(bucket)
                if let entry = unsafe slab.entry(slot), unsafe entry.pointee.hash == hash { return slot }
            }
            place = (place + 1) & mask
        }
    }

    /// Adds the slot of a hash that is not in the table.
    ///
    /// Cost: doubles the table when it is three quarters full; with 64 stripes of half a million entries, 8,000 at a time.
    mutating func insert(_ hash: KeyHash, slot: UInt32) {
        if (count + 1) * 4 > (mask + 1) * 3 { grow() }
        put(UInt64(slot + 1) << 32 | UInt64(UInt32(truncatingIfNeeded: hash.low)))
        count += 1
    }

    /// Removes the slot of a hash; nothing when it is not there.
    mutating func remove(_ hash: KeyHash, slot: UInt32) {
        var gap = UInt32(truncatingIfNeeded: hash.low) & mask
        while true {
            let bucket = unsafe buckets[Int(gap)]
            if bucket == 0 { return }
            if Self.slot(bucket) == slot { break }
            gap = (gap + 1) & mask
        }
        closeGap(gap)
        count -= 1
    }

    /// Moves later buckets of the run into the gap, so that no run is cut between a bucket and its home.
    private mutating func closeGap(_ start: UInt32) {
        var gap = start
        var place = gap
        while true {
            place = (place + 1) & mask
            let bucket = unsafe buckets[Int(place)]
            if bucket == 0 { break }
            let home = UInt32(truncatingIfNeeded: bucket) & mask
            if (place &- home) & mask >= (place &- gap) & mask {
                unsafe buckets[Int(gap)] = bucket
                gap = place
            }
        }
        unsafe buckets[Int(gap)] = 0
    }

    private mutating func put(_ bucket: UInt64) {
        var place = UInt32(truncatingIfNeeded: bucket) & mask
        while unsafe buckets[Int(place)] != 0 { place = (place + 1) & mask }
        unsafe buckets[Int(place)] = bucket
    }

    private mutating func grow() {
        let old = unsafe buckets
        let oldCapacity = Int(mask) + 1
        unsafe buckets = Self.makeBuckets(oldCapacity * 2)
        mask = UInt32(oldCapacity * 2 - 1)
        for place in 0..<oldCapacity {
            let bucket = unsafe old[place]
            if bucket != 0 { put(bucket) }
        }
        unsafe old.deallocate()
    }

    @inline(__always)
    private static func slot(_ bucket: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: bucket >> 32) - 1
    }

    private static func makeBuckets(_ capacity: Int) -> UnsafeMutablePointer<UInt64> {
        let buckets = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
        unsafe buckets.initialize(repeating: 0, count: capacity)
        return unsafe buckets
    }
}
