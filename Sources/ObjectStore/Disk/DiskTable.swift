/// What a shard keeps in memory of one record.
///
/// Shape: 32 bytes. With 4 to 11 bytes of the table and 16 of the policy's queue an object costs at most 59.
struct DiskEntry: Equatable, Sendable {
    /// The hash of the key, which is the file's name.
    ///
    /// The key itself is only in the file.
    var hash: KeyHash
    /// Its use, as the policy counts it.
    var mark: UseMark
    /// The blocks of 4,096 bytes that the file is charged with, in the lower 31 bits; the top bit marks a doomed entry.
    private var blocks: UInt32
    /// Which content of the slot this is; 0 marks a free slot.
    var generation: UInt32

    /// The entry of a file.
    init(hash: KeyHash, bytes: Int, mark: UseMark, generation: UInt32, isDoomed: Bool = false) {
        self.hash = hash
        self.mark = mark
        self.generation = generation
        blocks = UInt32(clamping: min((bytes + 4095) / 4096, 0x7fff_ffff)) | (isDoomed ? 0x8000_0000 : 0)
    }

    /// What the file is charged with.
    var bytes: Int { Int(blocks & 0x7fff_ffff) * 4096 }

    /// Whether the file is only there because it has not been removed yet: never an answer, but still charged.
    var isDoomed: Bool { blocks & 0x8000_0000 != 0 }
}

/// Entries by hash: the table of one shard.
///
/// Pages and segments grow one at a time, so that no insertion pauses the loop for long however many objects there are.
///
/// Cost: one probe, mostly, and one page access a lookup.
struct DiskTable: EvictionEntries, Sendable {
    private static let pageBits = 12
    private static let pageMask = (1 << pageBits) - 1

    private var pages: [[DiskEntry]] = []
    private var freeSlots: [UInt32] = []
    private var usedSlots: UInt32 = 0
    private var segments: [Segment] = Array(repeating: Segment(), count: 256)
    private var lastGeneration: UInt32 = 0

    /// How many entries there are.
    private(set) var count = 0

    /// An empty table.
    init() {}

    /// How many slots were ever used; a sweep goes through `0..<slotCount`.
    var slotCount: UInt32 { usedSlots }

    /// The generation that the next entry gets.
    var nextGeneration: UInt32 { lastGeneration == .max ? 1 : lastGeneration + 1 }

    /// Finds the slot of a hash.
    func slot(of hash: KeyHash) -> UInt32? {
        segments[Self.segment(of: hash)].find(hash) { self[$0].hash }
    }

    /// The entry in a slot; generation 0 if the slot is free.
    subscript(slot: UInt32) -> DiskEntry {
        get { pages[Int(slot) >> Self.pageBits][Int(slot) & Self.pageMask] }
        set { pages[Int(slot) >> Self.pageBits][Int(slot) & Self.pageMask] = newValue }
    }

    /// Adds an entry for a hash that has none.
    mutating func insert(_ hash: KeyHash, bytes: Int, mark: UseMark, isDoomed: Bool) -> EntryHandle {
        lastGeneration = nextGeneration
        let slot = freeSlots.popLast() ?? newSlot()
        self[slot] = DiskEntry(hash: hash, bytes: bytes, mark: mark, generation: lastGeneration, isDoomed: isDoomed)
        let index = Self.segment(of: hash)
        segments[index].reserveOne { Self.hash(of: $0, in: pages) }
        segments[index].insert(hash, slot: slot)
        count += 1
        return EntryHandle(slot: slot, generation: lastGeneration)
    }

    /// Removes the entry in a slot.
    mutating func remove(slot: UInt32) {
        let hash = self[slot].hash
        segments[Self.segment(of: hash)].remove(hash, slot: slot) { Self.hash(of: $0, in: pages) }
        self[slot].generation = 0
        freeSlots.append(slot)
        count -= 1
    }

    func evictionEntry(_ handle: EntryHandle) -> EvictionEntry? {
        let entry = self[handle.slot]
        guard entry.generation == handle.generation else { return nil }
        return EvictionEntry(bytes: entry.bytes, mark: entry.mark, hash: entry.hash.low)
    }

    private mutating func newSlot() -> UInt32 {
        if Int(usedSlots) >> Self.pageBits == pages.count {
            let free = DiskEntry(
                hash: KeyHash(high: 0, low: 0), bytes: 0, mark: UseMark(uses: 1, stamp: 0), generation: 0)
            pages.append(Array(repeating: free, count: 1 << Self.pageBits))
        }
        usedSlots += 1
        return usedSlots - 1
    }

    private static func segment(of hash: KeyHash) -> Int {
        Int(hash.low >> 56)
    }

    private static func hash(of slot: UInt32, in pages: [[DiskEntry]]) -> KeyHash {
        pages[Int(slot) >> pageBits][Int(slot) & pageMask].hash
    }
}

/// One 256th of the table: slots by linear probing, at most three quarters full.
private struct Segment: Sendable {
    /// Slot plus 1; 0 is empty.
    private var places: [UInt32] = []
    private var count = 0

    func find(_ hash: KeyHash, _ hashOf: (UInt32) -> KeyHash) -> UInt32? {
        guard !places.isEmpty else { return nil }
        var place = home(of: hash)
        while places[place] != 0 {
            let slot = places[place] - 1
            if hashOf(slot) == hash { return slot }
            place = (place + 1) & (places.count - 1)
        }
        return nil
    }

    mutating func insert(_ hash: KeyHash, slot: UInt32) {
        var place = home(of: hash)
        while places[place] != 0 { place = (place + 1) & (places.count - 1) }
        places[place] = slot + 1
        count += 1
    }

    /// Makes sure that one more fits.
    mutating func reserveOne(_ hashOf: (UInt32) -> KeyHash) {
        guard (count + 1) * 4 > places.count * 3 else { return }
        let old = places
        places = Array(repeating: 0, count: max(4, old.count * 2))
        count = 0
        for place in old where place != 0 { insert(hashOf(place - 1), slot: place - 1) }
    }

    /// Removes a slot and moves later ones of its run up, so that no probe stops early.
    mutating func remove(_ hash: KeyHash, slot: UInt32, _ hashOf: (UInt32) -> KeyHash) {
        let mask = places.count - 1
        var hole = home(of: hash)
        while places[hole] != slot + 1 { hole = (hole + 1) & mask }
        var next = (hole + 1) & mask
        while places[next] != 0 {
            let wanted = home(of: hashOf(places[next] - 1))
            if (next - wanted) & mask >= (next - hole) & mask {
                places[hole] = places[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        places[hole] = 0
        count -= 1
    }

    private func home(of hash: KeyHash) -> Int {
        Int(truncatingIfNeeded: hash.low) & (places.count - 1)
    }
}
