import Glibc

/// Bytes that are written once by one owner and then shared by everyone without a copy.
///
/// A chunk has room for `capacity` bytes. Its writer appends; a reader is told by message how many bytes it may read,
/// and those never change. The message, or the lock that published the object, orders the writes before the reads.
///
/// ```
///  0              told to a reader      count             capacity
///  |---- immutable, shared ----|-- written, not told --|---- free ----|
/// ```
@safe
public final class Chunk: @unchecked Sendable {
    // SAFETY: the pointer never changes; bytes below a published count are never written again, bytes above it are
    // touched by the one writer only; `count` is read by other threads only after a message or lock published it.
    private let storage: UnsafeMutableRawPointer
    /// Where the bytes lie in the arena of large bodies; nil on the heap.
    private let slot: BodyArena.Slot?
    /// Bytes written so far.
    ///
    /// Owner: the writer, until it hands the finished chunk over.
    public private(set) var count: Int
    /// Bytes that fit.
    public let capacity: Int

    /// Makes an empty chunk.
    ///
    /// Cost: one allocation; pages that are never written are never resident.
    public init(capacity: Int) {
        precondition(capacity >= 0, "a chunk cannot hold \(capacity) bytes")
        if let arena = BodyArena.shared, let (slot, base) = unsafe arena.take(capacity) {
            self.slot = slot
            unsafe storage = base
        } else {
            slot = nil
            unsafe storage = .allocate(byteCount: max(capacity, 1), alignment: 16)
        }
        self.capacity = capacity
        count = 0
    }

    /// Makes a full chunk from `bytes`.
    ///
    /// Cost: copies.
    public convenience init(_ bytes: [UInt8]) {
        self.init(capacity: bytes.count)
        _ = append(bytes.span)
    }

    deinit {
        if let slot {
            BodyArena.shared?.giveBack(slot)
        } else {
            unsafe storage.deallocate()
        }
    }

    /// What the bytes take of memory: whole pages in the arena.
    public var footprintBytes: Int {
        slot == nil ? count : (count + BodyArena.pageBytes - 1) / BodyArena.pageBytes * BodyArena.pageBytes
    }

    /// The bytes as a part of a file, which `owner` keeps as they are; nil for bytes on the heap.
    func region(owner: any AnyObject & Sendable) -> FileRegion? {
        guard let slot, let arena = BodyArena.shared else { return nil }
        return FileRegion(descriptor: arena.descriptor, offset: slot.offset, count: capacity, owner: owner)
    }

    /// The room left.
    public var free: Int { capacity - count }

    /// Appends as much of `bytes` as fits and returns how many bytes that was.
    public func append(_ bytes: Span<UInt8>) -> Int {
        let accepted = min(bytes.count, free)
        guard accepted > 0 else { return 0 }
        unsafe bytes.withUnsafeBytes { source in
            if let base = source.baseAddress {
                unsafe (storage + count).copyMemory(from: base, byteCount: accepted)
            }
        }
        count += accepted
        return accepted
    }

    /// Lends the free room to `body`, which returns how many bytes it wrote: a system call reads straight into it.
    public func withMutableSpace(_ body: (UnsafeMutableRawBufferPointer) -> Int) {
        let written = unsafe body(UnsafeMutableRawBufferPointer(start: storage + count, count: free))
        precondition(written >= 0 && written <= free, "\(written) bytes written into room for \(free)")
        count += written
    }

    /// All bytes written so far.
    public var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let start = unsafe storage.assumingMemoryBound(to: UInt8.self)
            let span = unsafe Span(_unsafeStart: start, count: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Runs `body` on all bytes written so far.
    public func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(bytes)
    }

    /// Runs `body` on the bytes in `range`, which lie below the count that the caller was told.
    public func withBytes<Result, Failure: Error>(
        _ range: Range<Int>, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(range.lowerBound >= 0 && range.upperBound <= capacity, "\(range) is outside of \(capacity) bytes")
        let start = unsafe (storage + range.lowerBound).assumingMemoryBound(to: UInt8.self)
        return try unsafe body(Span(_unsafeStart: start, count: range.count))
    }

    /// A pointer to the byte at `offset`, for an `iovec` whose owner keeps this chunk alive.
    @unsafe
    func pointer(at offset: Int) -> UnsafeMutableRawPointer {
        assert(offset <= capacity, "\(offset) is outside of \(capacity) bytes")
        return unsafe storage + offset
    }
}
