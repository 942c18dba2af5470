import EventLoops

/// A record that was there without waiting.
public struct ReadyRecord: Sendable {
    /// The record, checked to the last byte.
    public let record: DiskRecord
    /// What the owner made of it when it was read before, without the body; nil if that is not known any more.
    public let object: CachedObject?
}

/// A body that was on disk, ready to be sent.
public enum DiskBody: Sendable {
    /// It was small and has been read.
    case chunk(Chunk)
    /// It leaves from its file.
    case file(FileRegion)

    /// Its length.
    public var count: Int {
        switch self {
        case .chunk(let chunk): chunk.count
        case .file(let region): region.count
        }
    }
}

/// A record whose body can be sent without waiting.
public struct SendableRecord: Sendable {
    /// What the owner made of it when it was read, without the body.
    public let object: CachedObject
    /// Its body, which was checked when the file was opened.
    public let body: DiskBody
    /// The last purge that was known when it was stored.
    public let mark: UInt64
}

// Reads that need no worker: of what is staged, and of files that are open and in the kernel's memory.

extension DiskShard {
    /// Reads a record if that needs no wait.
    ///
    /// - Returns: nil when only `read` can tell; a record is counted as a hit, nil is not counted.
    public func readAtOnce(_ key: CacheKey) -> ReadyRecord? {
        loop.assertCurrent()
        guard !isClosed else { return nil }
        if let work = works[key.hash] {
            guard case .record(let record) = work.view, record.key == key else { return nil }
            return hit(record, nil)
        }
        guard readsAtOnce, let open = openRecords.find(key), mayBeOnDisk(key.hash) else { return nil }
        switch tier.files.readAtOnce(open) {
        case .found(let record): return hit(record, openRecords.object(of: key))
        case .wouldWait: break
        case .unsupported: readsAtOnce = false
        case .doubtful: openRecords.remove(key.hash)
        }
        return nil
    }

    /// Finds a record whose body can be sent as it is.
    ///
    /// Nothing is counted: call `used` when it is sent.
    ///
    /// - Parameters:
    ///   - hash: the hash of the key.
    ///   - keyBytes: the key.
    ///   - isUsable: whether what was made of the record can be the answer.
    /// - Returns: nil when `readAtOnce` or `read` has to be asked.
    public func findSendable(
        _ hash: KeyHash, _ keyBytes: Span<UInt8>, where isUsable: (CachedObject) -> Bool
    ) -> SendableRecord? {
        loop.assertCurrent()
        guard sendsFiles, !isClosed, let (open, object) = openRecords.findKnown(hash, keyBytes),
            works[hash] == nil, mayBeOnDisk(hash), isUsable(object)
        else { return nil }
        switch tier.files.prepare(open) {
        case .ready(let body): return SendableRecord(object: object, body: body, mark: open.prefix.slot.times.mark)
        case .wouldWait: break
        case .unsupported: sendsFiles = false
        case .doubtful: openRecords.remove(hash)
        }
        return nil
    }

    /// Counts a record that is sent from its file as a hit.
    public func used(_ hash: KeyHash) {
        loop.assertCurrent()
        index.use(hash)
        tier.counters.countHit()
    }

    /// What was made of a record whose file is open and unchanged, without the body.
    public func object(of key: CacheKey) -> CachedObject? {
        loop.assertCurrent()
        return openRecords.object(of: key)
    }

    /// Keeps what was made of a record beside its open file, until the file changes or `forgetObjects` is called.
    ///
    /// The body is not kept. Nothing is when the record is not as it was read: a purge may have made it stale.
    public func keep(_ object: CachedObject, madeOf record: DiskRecord) {
        loop.assertCurrent()
        openRecords.keep(object, madeOf: record)
    }

    /// Forgets what was made of records, because it would be made otherwise now.
    public func forgetObjects() {
        loop.assertCurrent()
        openRecords.forgetObjects()
    }

    private func hit(_ record: DiskRecord, _ object: CachedObject?) -> ReadyRecord {
        index.use(record.key.hash)
        tier.counters.countHit()
        return ReadyRecord(record: record, object: object)
    }
}
