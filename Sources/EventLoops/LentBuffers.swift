import CSystem
import Glibc

/// Buffers that a loop lends to the one connection it is serving, so that an idle connection owns none.
@safe
final class LentBuffers {
    /// Room for one `recv` and what was kept of the one before.
    ///
    /// A request head always fits: at most 64 KB of fields and three times 32 KB of percent-encoded URL.
    static let inputBytes = 256 * 1024
    /// Room for heads and small answers gathered for one `sendmsg`.
    static let scratchBytes = 64 * 1024
    /// Pieces a `sendmsg` takes (`IOV_MAX` is 1024).
    static let maximumPieces = 256

    /// Where a `recv` puts its bytes, behind those kept of the one before; `inputBytes` long.
    let input: UnsafeMutableRawBufferPointer
    /// Where heads and small answers are gathered; `scratchBytes` long.
    let scratch: UnsafeMutableRawPointer
    /// The pieces of the next `sendmsg`, in order; room for `maximumPieces`.
    let vectors: UnsafeMutablePointer<iovec>
    /// Who keeps the bytes of each piece alive; nil for scratch.
    ///
    /// Parallel to `vectors`.
    var owners: ContiguousArray<AnyObject?> = []
    /// Bytes of the scratch that are taken.
    var scratchUsed = 0
    /// Bytes in all pieces.
    private(set) var bytes = 0

    /// Allocates everything at once, so that serving a connection allocates nothing.
    ///
    /// Cost: 324 KB a loop, for its life.
    init() {
        unsafe input = .allocate(byteCount: Self.inputBytes, alignment: 64)
        unsafe scratch = .allocate(byteCount: Self.scratchBytes, alignment: 64)
        unsafe vectors = .allocate(capacity: Self.maximumPieces)
        owners.reserveCapacity(Self.maximumPieces)
    }

    deinit {
        unsafe input.deallocate()
        unsafe scratch.deallocate()
        unsafe vectors.deallocate()
    }

    /// Pieces gathered.
    var pieces: Int { owners.count }

    /// Whether one more piece, and `bytes` of scratch, fit.
    @inline(__always)
    func hasRoom(scratch bytes: Int) -> Bool {
        pieces < Self.maximumPieces && scratchUsed + bytes <= Self.scratchBytes
    }

    /// Adds `count` bytes at `base`, which `owner` keeps alive.
    @inline(__always)
    func append(_ base: UnsafeMutableRawPointer, count: Int, owner: consuming AnyObject?) {
        unsafe vectors[pieces] = iovec(iov_base: base, iov_len: count)
        owners.append(owner)
        bytes += count
    }

    /// Counts `bytes` just written at the end of the scratch; they join the piece before when that is scratch too.
    @inline(__always)
    func commitScratch(_ bytes: Int) {
        let start = unsafe scratch + scratchUsed
        scratchUsed += bytes
        if let last = owners.indices.last, owners[last] == nil {
            unsafe vectors[last].iov_len += bytes
            self.bytes += bytes
        } else {
            unsafe append(start, count: bytes, owner: nil)
        }
    }

    /// Sends the pieces by one call, or of many bytes the first `limit`.
    ///
    /// - Parameter hasMore: whether more follows at once.
    @inline(__always)
    func send(to socket: Int32, atMost limit: Int, hasMore: Bool) -> SystemCalls.Outcome {
        guard bytes > limit else { return unsafe SystemCalls.send(socket, vectors, count: pieces, hasMore: hasMore) }
        return sendFirst(limit, to: socket)
    }

    private func sendFirst(_ limit: Int, to socket: Int32) -> SystemCalls.Outcome {
        var left = limit
        var count = 0
        while unsafe vectors[count].iov_len < left {
            left -= unsafe vectors[count].iov_len
            count += 1
        }
        let whole = unsafe vectors[count].iov_len
        unsafe vectors[count].iov_len = left
        defer { unsafe vectors[count].iov_len = whole }
        return unsafe SystemCalls.send(socket, vectors, count: count + 1, hasMore: true)
    }

    /// Makes room again once the pieces are with the kernel or in a backlog; lets their owners go.
    func reset() {
        owners.removeAll(keepingCapacity: true)
        scratchUsed = 0
        bytes = 0
    }
}
