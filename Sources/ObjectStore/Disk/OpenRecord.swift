import EventLoops

/// A record whose file is open: all of it but the body, read and judged.
///
/// The body was read and judged too, once. Immutable. It tells the truth as long as this process leaves the file alone. What others do to the file is noticed when
/// it is used: a removed or replaced file has no name any more, one that was written to has another time of change.
final class OpenRecord: Sendable {
    /// Larger heads are not kept, so that a thousand of these take a few megabytes at most.
    private static let longestPrefix = 16 * 1024

    /// The file.
    let file: OpenFile
    /// Whose record it is.
    let key: CacheKey
    /// Everything before the body.
    let prefix: RecordPrefix
    /// When the file was last changed, as known before the body was judged.
    let modified: Int64

    /// Takes over a file whose prefix is that of the key, and whose body has its checksum.
    init(file: consuming OpenFile, key: CacheKey, prefix: RecordPrefix, modified: Int64) {
        self.file = file
        self.key = key
        self.prefix = prefix
        self.modified = modified
    }

    /// Its body, to be sent from the file.
    var region: FileRegion {
        file.region(at: prefix.header.bodyOffset, count: prefix.header.bodyLength, owner: self)
    }

    /// Whether it is small enough to be kept.
    var isWorthKeeping: Bool { prefix.header.bodyOffset <= Self.longestPrefix }

    /// The record with a body that was read and checked.
    func record(_ body: Chunk) -> DiskRecord {
        DiskRecord(key: key, head: prefix.head, times: prefix.slot.times, body: body)
    }
}

/// The records of a shard whose files stay open, a bounded number: what is asked for again costs one `preadv2`.
///
/// When all places are taken, one goes that was not used since the hand passed it last ("second chance"). Letting go of
/// a record closes its file, unless a worker reads it just now.
///
/// Owner: the loop of its shard.
struct OpenRecords {
    private struct Place {
        let record: OpenRecord
        var object: CachedObject?
        var isUsed = false
    }

    private let limit: Int
    private var numbers: [KeyHash: Int] = [:]
    private var places: [Place?] = []
    private var free: [Int] = []
    private var hand = 0

    /// No open records.
    ///
    /// - Parameter limit: how many there may be; 0 keeps none.
    init(limit: Int) {
        self.limit = max(limit, 0)
    }

    /// How many files are open.
    var count: Int { numbers.count }

    /// Finds a record and marks the use.
    mutating func find(_ key: CacheKey) -> OpenRecord? {
        guard let number = numbers[key.hash], let record = places[number]?.record, record.key == key else { return nil }
        places[number]?.isUsed = true
        return record
    }

    /// Finds a record of which is known what was made of it, and marks the use.
    mutating func findKnown(
        _ hash: KeyHash, _ keyBytes: Span<UInt8>
    ) -> (record: OpenRecord, object: CachedObject)? {
        guard let number = numbers[hash], let place = places[number], let object = place.object,
            object.key.hasBytes(keyBytes)
        else { return nil }
        places[number]?.isUsed = true
        return (place.record, object)
    }

    /// Keeps a record in place of what its name had.
    mutating func insert(_ record: OpenRecord) {
        if let number = numbers[record.key.hash], places[number]?.record === record { return }
        remove(record.key.hash)
        guard limit > 0, record.isWorthKeeping else { return }
        let number = freePlace()
        places[number] = Place(record: record)
        numbers[record.key.hash] = number
    }

    /// Lets go of a name, because its file changes or is not to be trusted.
    mutating func remove(_ hash: KeyHash) {
        guard let number = numbers.removeValue(forKey: hash) else { return }
        places[number] = nil
        free.append(number)
    }

    /// Lets go of all.
    mutating func removeAll() {
        self = OpenRecords(limit: limit)
    }

    // MARK: What was made of a record

    /// What the owner of the shard made of a record, as `keep` was told.
    func object(of key: CacheKey) -> CachedObject? {
        guard let number = numbers[key.hash], let object = places[number]?.object, object.key == key else { return nil }
        return object
    }

    /// Keeps what was made of a record, without the body, if that is the one whose file is open.
    mutating func keep(_ object: CachedObject, madeOf record: DiskRecord) {
        guard let number = numbers[object.key.hash], let open = places[number]?.record, open.key == object.key,
            open.prefix.slot.times == record.times
        else { return }
        places[number]?.object = CachedObject(object, body: Chunk(capacity: 0))
    }

    /// Forgets everything that was made of records; the files stay open.
    mutating func forgetObjects() {
        for number in places.indices { places[number]?.object = nil }
    }

    // MARK: Places

    private mutating func freePlace() -> Int {
        if let number = free.popLast() { return number }
        if places.count < limit {
            places.append(nil)
            return places.count - 1
        }
        while places[hand]?.isUsed == true {
            places[hand]?.isUsed = false
            hand = (hand + 1) % limit
        }
        let number = hand
        hand = (hand + 1) % limit
        if let leaver = places[number] { numbers[leaver.record.key.hash] = nil }
        return number
    }
}
