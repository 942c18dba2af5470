import CSystem
import Glibc

/// Where large bodies lie: memory that is also a file, so that `sendfile` hands its pages to a socket without a copy.
///
/// A slot is a power of two long. Its pages become resident as they are written, so that what a body does not fill costs
/// address space only. A slot that is given back becomes a hole in the file: pages that a socket has still queued live on
/// in the kernel as they are, and whoever gets the slot next gets new ones.
///
/// Shape: one file in memory, in segments of 1 GB that are mapped as they are needed and kept.
///
/// Any thread. Cost: a lock, and a system call to give back.
// SAFETY: `book` is touched under the lock only; a slot belongs to who took it until it is given back.
@safe
final class BodyArena: @unchecked Sendable {
    /// Room for one body.
    struct Slot: Sendable {
        /// Where it begins in the file.
        let offset: Int
        fileprivate let sizeClass: Int
    }

    /// The arena of the process; nil where the system gives no such memory.
    static let shared = BodyArena()

    /// Smaller bodies are cheaper copied: a file costs an answer one more system call; measured.
    static let smallestBody = 64 * 1024
    /// Larger bodies are left to the heap.
    static let largestBody = 1 << 28

    /// What becomes resident at once, and leaves at once.
    static let pageBytes = 4096

    /// The file, open as long as the process lives.
    let descriptor: Int32
    private let lock = Lock()
    nonisolated(unsafe) private var book: SlotBook

    /// Makes an arena without memory; it is never taken apart.
    init?() {
        let file = unsafe csystem_memory_file("imagestore-bodies")
        guard file >= 0 else { return nil }
        descriptor = file
        unsafe book = SlotBook(descriptor: file)
    }

    /// Takes room for `bytes`, which read as zero.
    ///
    /// - Returns: nil when there is no address space, or for a size that belongs on the heap.
    func take(_ bytes: Int) -> (slot: Slot, base: UnsafeMutableRawPointer)? {
        guard bytes >= Self.smallestBody, bytes <= Self.largestBody else { return nil }
        let sizeClass = Int.bitWidth - (bytes - 1).leadingZeroBitCount
        return unsafe lock.withLock {
            guard let offset = unsafe book.take(sizeClass), let base = unsafe book.address(of: offset) else {
                return nil
            }
            return unsafe (Slot(offset: offset, sizeClass: sizeClass), base)
        }
    }

    /// Gives a slot back that nobody reads through its address any more; its pages are gone when this returns.
    func giveBack(_ slot: Slot) {
        // A slot whose pages did not go must not be handed out: its bytes may be on their way still.
        guard csystem_punch_hole(descriptor, off_t(slot.offset), off_t(1 << slot.sizeClass)) == 0 else { return }
        lock.withLock { unsafe book.giveBack(slot.offset, slot.sizeClass) }
    }
}

/// Which parts of the file are taken.
@safe
private struct SlotBook {
    private static let segmentBytes = 1 << 30

    private let descriptor: Int32
    /// The address at which each segment is mapped.
    private var segments: [UInt] = []
    /// The end of what was ever given out.
    private var end = 0
    /// Offsets of slots that were given back, by size class.
    private var free = [[Int]](repeating: [], count: Int.bitWidth)

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    func address(of offset: Int) -> UnsafeMutableRawPointer? {
        let segment = segments[offset / Self.segmentBytes]
        return unsafe UnsafeMutableRawPointer(bitPattern: segment + UInt(offset % Self.segmentBytes))
    }

    /// Takes the offset of a slot.
    mutating func take(_ sizeClass: Int) -> Int? {
        if let offset = free[sizeClass].popLast() { return offset }
        let bytes = 1 << sizeClass
        // A slot lies within one segment; a rest that is too short is address space lost, not memory.
        let rest = Self.segmentBytes - end % Self.segmentBytes
        let offset = bytes <= rest ? end : end + rest
        if offset / Self.segmentBytes >= segments.count, !addSegment() { return nil }
        end = offset + bytes
        return offset
    }

    mutating func giveBack(_ offset: Int, _ sizeClass: Int) {
        free[sizeClass].append(offset)
    }

    private mutating func addSegment() -> Bool {
        let start = segments.count * Self.segmentBytes
        guard ftruncate(descriptor, off_t(start + Self.segmentBytes)) == 0 else { return false }
        let memory = unsafe mmap(
            nil, Self.segmentBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, off_t(start))
        guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { return false }
        // Holes would be walked page by page for a core dump. Advice only.
        _ = unsafe madvise(memory, Self.segmentBytes, MADV_DONTDUMP)
        segments.append(UInt(bitPattern: memory))
        return true
    }
}
