import CSystem
import Glibc

/// What a connection has still to send: pieces of shared bytes, never copies of bodies.
@safe
struct OutputBacklog {
    @safe private struct Piece {
        var base: UnsafeMutableRawPointer
        var count: Int
        let owner: AnyObject
    }

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

    /// Fills `vectors` with the next pieces and returns how many.
    func gather(into vectors: UnsafeMutablePointer<iovec>, limit: Int) -> Int {
        let count = min(limit, pieces.count - first)
        for index in 0..<count {
            let piece = pieces[first + index]
            unsafe vectors[index] = iovec(iov_base: piece.base, iov_len: piece.count)
        }
        return count
    }

    /// Forgets `sent` bytes from the front.
    mutating func drop(_ sent: Int) {
        bytes -= sent
        var left = sent
        while left > 0 {
            let count = pieces[first].count
            if count > left {
                unsafe pieces[first].base += left
                pieces[first].count -= left
                break
            }
            left -= count
            first += 1
        }
        compact()
    }

    private mutating func compact() {
        if first == pieces.count {
            pieces = []
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
