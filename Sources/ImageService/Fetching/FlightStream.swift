import EventLoops
import HTTPCaching
import HTTPMessages

/// A response whose body is on its way, as the loops that follow it see it.
///
/// Immutable.
final class FlightStream: Sendable {
    /// The flight that brings it.
    let id: FlightID
    /// The head as it may be stored: what conditions and ranges are judged by.
    let response: StoredResponse
    /// How old the response is already, and how long it lives.
    let freshness: Freshness
    /// Status line and fields, without a length and without the end of the head.
    let wireHead: [UInt8]
    /// The declared length; nil when the body ends when it ends.
    let length: Int?
    /// Why the origin was asked, for `Cache-Status`.
    let reason: CacheStatus.ForwardReason
    /// Whether it will be stored when it is whole, for `Cache-Status`.
    let isStored: Bool
    /// Returned when the last follower lets go.
    let lease: Lease?

    /// Gathers what is known once the head was accepted.
    init(
        id: FlightID, response: StoredResponse, freshness: Freshness, wireHead: [UInt8],
        length: Int?, reason: CacheStatus.ForwardReason, isStored: Bool, lease: Lease?
    ) {
        self.id = id
        self.response = response
        self.freshness = freshness
        self.wireHead = wireHead
        self.length = length
        self.reason = reason
        self.isStored = isStored
        self.lease = lease
    }
}

/// How far a body has come.
struct BodyProgress: Sendable {
    /// Chunks that the receiver has not been told of yet, in order.
    var newChunks: [Chunk]
    /// Bytes that may be read now.
    var available: Int
    /// How it ended; nil while more may come.
    var end: End?

    /// How a body ends.
    enum End: Hashable, Sendable {
        /// All of it is there.
        case complete
        /// The rest will not come.
        case failed(Failure)
    }
}

/// Bytes as they arrive: copied once, into chunks that followers share.
struct FlightBody {
    /// The pieces, in order; all are full but the last.
    private(set) var chunks: [Chunk] = []
    /// Bytes received.
    private(set) var count = 0

    /// Starts a body.
    ///
    /// - Parameter declaredLength: what the origin announced; the whole body then lies in one chunk.
    init(declaredLength: Int?) {
        if let declaredLength { chunks = [Chunk(capacity: declaredLength)] }
    }

    /// Copies bytes behind those that are there.
    ///
    /// Cost: copies; allocates when a chunk is full.
    mutating func append(_ bytes: Span<UInt8>) {
        var position = 0
        while position < bytes.count {
            if let last = chunks.last, last.free > 0 {
                position += last.append(bytes.extracting(position..<bytes.count))
            } else {
                chunks.append(Chunk(capacity: nextCapacity))
            }
        }
        count += bytes.count
    }

    /// The first bytes, for the sniffer; they lie in one piece.
    var beginning: Chunk? { chunks.first }

    /// The whole body in one piece.
    ///
    /// Cost: copies unless the length was declared.
    func joined() -> Chunk {
        if chunks.count == 1, let only = chunks.first, only.count == only.capacity { return only }
        let whole = Chunk(capacity: count)
        for chunk in chunks { _ = whole.append(chunk.bytes) }
        return whole
    }

    /// 16 KB holds most thumbnails; then ever larger, so that a body of the size limit has few pieces.
    private var nextCapacity: Int {
        min(16 * 1024 << min(chunks.count, 4), 256 * 1024)
    }
}

/// A body as a follower on another loop knows it.
struct FollowedBody {
    /// The pieces this loop was told of, in order.
    private(set) var chunks: [Chunk] = []
    /// Bytes that may be read.
    private(set) var available = 0
    /// How the body ended; nil while more may come.
    private(set) var end: BodyProgress.End?

    /// Takes news in; an end that was told stays.
    mutating func advance(_ progress: BodyProgress) {
        chunks.append(contentsOf: progress.newChunks)
        available = progress.available
        end = progress.end ?? end
    }

    /// Finds the piece that begins at `offset`: its chunk and the range in it that may be read, up to `limit`.
    func piece(at offset: Int, limit: Int) -> (chunk: Chunk, range: Range<Int>)? {
        let upper = min(available, limit)
        guard offset < upper else { return nil }
        var start = 0
        for chunk in chunks {
            let end = start + chunk.capacity
            if offset < end { return (chunk, (offset - start)..<(min(upper, end) - start)) }
            start = end
        }
        return nil
    }

    /// The whole body in one piece; it is complete.
    ///
    /// Cost: copies unless it lies in one chunk.
    func joined() -> Chunk {
        if chunks.count == 1, let only = chunks.first, available == only.capacity { return only }
        let whole = Chunk(capacity: available)
        for chunk in chunks {
            chunk.withBytes(0..<min(chunk.capacity, available - whole.count)) { _ = whole.append($0) }
        }
        return whole
    }
}
