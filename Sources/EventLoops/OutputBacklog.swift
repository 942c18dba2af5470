import CSystem
import Glibc

/// What a connection has still to send: pieces of shared bytes and of files, never copies of bodies.
@safe
struct OutputBacklog {
    @safe private struct Piece {
        /// Where the bytes are; nil for those of a file.
        var base: UnsafeMutableRawPointer?
        var count: Int
        var file: (descriptor: Int32, offset: Int) = (-1, 0)
        let owner: AnyObject
    }

    private static let keptCapacity = 8

    private var pieces: [Piece] = []
    private var first = 0
    /// Bytes that wait, in all pieces.
    private(set) var bytes = 0

    /// Whether everything has left.
    var isEmpty: Bool { first == pieces.count }

    /// Adds bytes that `owner` keeps alive.
    mutating func append(_ base: UnsafeMutableRawPointer, count: Int, owner: AnyObject) {
        guard count > 0 else { return }
        unsafe pieces.append(Piece(base: base, count: count, owner: owner))
        bytes += count
    }

    /// Adds a part of a region.
    mutating func append(_ region: FileRegion, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        let file = (region.descriptor, region.offset + range.lowerBound)
        unsafe pieces.append(Piece(base: nil, count: range.count, file: file, owner: region.owner))
        bytes += range.count
    }

    /// Adds a copy of bytes that live nowhere else.
    mutating func append(copying source: UnsafeRawBufferPointer) {
        guard source.count > 0 else { return }
        let chunk = Chunk(capacity: source.count)
        unsafe chunk.withMutableSpace { space in
            unsafe space.copyMemory(from: source)
            return source.count
        }
        unsafe append(chunk.pointer(at: 0), count: source.count, owner: chunk)
    }

    // MARK: Sending

    /// Sends from the front until the kernel has enough, or `limit` bytes have gone.
    ///
    /// - Parameter lent: whose vectors are free just now.
    /// - Returns: false when the socket has failed, or a file that has become shorter or cannot be read.
    mutating func send(to socket: Int32, atMost limit: Int, by lent: LentBuffers) -> Bool {
        var left = limit
        while left > 0, !isEmpty {
            let (outcome, asked) = unsafe sendNext(to: socket, atMost: left, lent.vectors)
            switch outcome {
            case .done(0), .failed: return false
            case .wouldBlock: return true
            case .done(let sent):
                drop(sent)
                left = sent < asked ? 0 : left - sent
            }
        }
        return true
    }

    /// One call: for a part of a file, or for the pieces in memory before the next one.
    private func sendNext(
        to socket: Int32, atMost limit: Int, _ vectors: UnsafeMutablePointer<iovec>
    ) -> (SystemCalls.Outcome, asked: Int) {
        let piece = pieces[first]
        guard unsafe piece.base == nil else {
            let (count, asked) = unsafe gather(into: vectors, byteLimit: limit)
            return (unsafe SystemCalls.send(socket, vectors, count: count, hasMore: asked < bytes), asked)
        }
        let asked = min(piece.count, limit)
        return (SystemCalls.sendFile(socket, piece.file.descriptor, at: piece.file.offset, count: asked), asked)
    }

    /// Fills `vectors` with the next pieces in memory, and returns how many there are and the bytes in them.
    private func gather(into vectors: UnsafeMutablePointer<iovec>, byteLimit: Int) -> (count: Int, bytes: Int) {
        var count = 0
        var gathered = 0
        for piece in pieces[first...].prefix(LentBuffers.maximumPieces) where gathered < byteLimit {
            guard let base = unsafe piece.base else { break }
            let length = min(piece.count, byteLimit - gathered)
            unsafe vectors[count] = iovec(iov_base: base, iov_len: length)
            gathered += length
            count += 1
        }
        return (count, gathered)
    }

    /// Forgets `sent` bytes from the front.
    private mutating func drop(_ sent: Int) {
        bytes -= sent
        var left = sent
        while left > 0 {
            let count = pieces[first].count
            if count > left {
                shortenFirst(by: left)
                break
            }
            left -= count
            first += 1
        }
        compact()
    }

    private mutating func shortenFirst(by sent: Int) {
        pieces[first].count -= sent
        if let base = unsafe pieces[first].base {
            unsafe pieces[first].base = base + sent
        } else {
            pieces[first].file.offset += sent
        }
    }

    private mutating func compact() {
        if first == pieces.count {
            // Room for a few is kept, so that an answer from a file allocates nothing.
            pieces.removeAll(keepingCapacity: pieces.capacity <= Self.keptCapacity)
            first = 0
        } else if first >= 64 {
            pieces.removeFirst(first)
            first = 0
        }
    }

    /// Forgets everything, for a connection that has ended; the owners are let go.
    mutating func removeAll() {
        pieces = []
        first = 0
        bytes = 0
    }
}
