import EventLoops

/// A stored response as it lies on disk: who it is, its head, its times, its bytes.
public struct DiskRecord: Sendable {
    /// The full key; the file is named by its hash, and the bytes are compared on every read.
    public let key: CacheKey
    /// The stored head, opaque to the store.
    public let head: [UInt8]
    /// When it was fetched and how often it was used.
    public var times: RecordTimes
    /// The body, whole.
    public let body: Chunk

    /// A record whose body is complete.
    public init(key: CacheKey, head: [UInt8], times: RecordTimes, body: Chunk) {
        self.key = key
        self.head = head
        self.times = times
        self.body = body
    }

    /// The length of its file.
    var fileBytes: Int {
        RecordHeader.bodyOffset(keyLength: key.bytes.count, headLength: head.count) + body.count
    }

    /// The room that its file takes, as known before it is written: whole blocks.
    var allocationBytes: Int {
        RecordLayout.allocation(of: fileBytes)
    }
}
