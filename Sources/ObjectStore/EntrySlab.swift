import Glibc
import Synchronization

// Where the entries of the memory tier live: plain memory at stable addresses, so that a hit reaches its entry without a
// retain and marks it without a lock of the policy.
//
// Who may touch what of an entry in use:
//
// | field               | read under                    | written under                                  |
// | generation          | any stripe's lock             | the policy's lock and its own stripe's lock    |
// | mark                | own stripe's or policy's lock | own stripe's lock                              |
// | hash, bytes, object | own stripe's or policy's lock | the policy's lock and its own stripe's lock    |
//
// "Own stripe" is that of the entry's hash. A slot that is free, or not yet in the index, belongs to the policy's lock.

/// One entry of the memory tier.
///
/// Shape: 64 bytes, one cache line, so that loops marking neighbours do not disturb each other.
@safe
struct SlabEntry: ~Copyable {
    /// Bits of a `UseMark`.
    let mark = Atomic<UInt64>(0)
    /// Raised whenever the content of the slot changes; starts at 1, so that a handle of zeros names nothing.
    let generation = Atomic<UInt32>(1)
    /// The next free slot, while this one is free.
    var nextFree: UInt32 = EntrySlab.noSlot
    /// The hash of the key.
    var hash = KeyHash(high: 0, low: 0)
    /// What the entry costs of the budget.
    var bytes = 0
    /// The content, holding one reference; nil while the slot is free.
    var object: Unmanaged<CachedObject>?
    private let padding: (UInt64, UInt64) = (0, 0)
}

/// The slots of the memory tier.
///
/// Slots are numbered from 0 and given out again after their entry left. Memory is taken in blocks and kept.
// SAFETY: the directory is allocated once; a block's address is written once, under the policy's lock, and read atomically:
// whoever looks a slot up by number holds only its own stripe's lock. Access to the entries follows the table above.
@safe
final class EntrySlab: @unchecked Sendable {
    /// Stands for "none".
    static let noSlot = UInt32.max
    private static let blockSlots = 1_024
    private static let maximumBlocks = 16_384

    /// Addresses of blocks, 0 where there is none yet.
    private let directory: UnsafeMutablePointer<Atomic<UInt>>
    /// Slots that were ever used; under the policy's lock.
    private(set) var count: UInt32 = 0
    private var firstFree = EntrySlab.noSlot

    /// Makes a slab without slots.
    ///
    /// Cost: 128 KB of address space, of which pages become resident as blocks are taken.
    init() {
        guard let memory = unsafe calloc(Self.maximumBlocks, MemoryLayout<UnsafeMutableRawPointer>.stride) else {
            fatalError("no memory for the directory of the memory tier")
        }
        // Zeroed memory is what an atomic 0 looks like.
        unsafe directory = memory.bindMemory(to: Atomic<UInt>.self, capacity: Self.maximumBlocks)
    }

    deinit {
        for slot in 0..<count {
            guard let entry = unsafe entry(slot) else { continue }
            if let object = unsafe entry.pointee.object { unsafe object.release() }
            unsafe entry.deinitialize(count: 1)
        }
        for block in 0..<Self.maximumBlocks {
            guard let entries = unsafe self.block(block) else { break }
            unsafe UnsafeMutableRawPointer(entries).deallocate()
        }
        unsafe free(directory)
    }

    /// The entry of a slot; nil when there never was such a slot.
    @inline(__always)
    func entry(_ slot: UInt32) -> UnsafeMutablePointer<SlabEntry>? {
        let block = Int(slot) / Self.blockSlots
        guard block < Self.maximumBlocks, let entries = unsafe self.block(block) else { return nil }
        return unsafe entries + Int(slot) % Self.blockSlots
    }

    @inline(__always)
    private func block(_ number: Int) -> UnsafeMutablePointer<SlabEntry>? {
        let address = unsafe directory[number].load(ordering: .acquiring)
        return unsafe UnsafeMutablePointer(bitPattern: address)
    }

    /// Takes a free slot; nil when 16 million are in use.
    ///
    /// The caller holds the policy's lock. Cost: allocates 64 KB every 1,024 new slots.
    func take() -> UInt32? {
        if firstFree != Self.noSlot, let entry = unsafe entry(firstFree) {
            let slot = firstFree
            firstFree = unsafe entry.pointee.nextFree
            return slot
        }
        let block = Int(count) / Self.blockSlots
        guard block < Self.maximumBlocks else { return nil }
        if unsafe self.block(block) == nil {
            let bytes = Self.blockSlots * MemoryLayout<SlabEntry>.stride
            let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
            unsafe memory.bindMemory(to: SlabEntry.self, capacity: Self.blockSlots)
            unsafe directory[block].store(UInt(bitPattern: memory), ordering: .releasing)
        }
        let slot = count
        guard let entry = unsafe entry(slot) else { return nil }
        unsafe entry.initialize(to: SlabEntry())
        count += 1
        return slot
    }

    /// Gives a slot back whose entry has left the index.
    ///
    /// The caller holds the policy's lock.
    func giveBack(_ slot: UInt32) {
        guard let entry = unsafe entry(slot) else { return }
        unsafe entry.pointee.nextFree = firstFree
        firstFree = slot
    }
}
