import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore

/// A stored response that was on disk and needed no wait.
enum DiskHit {
    /// Whole, for the memory tier may have it now.
    case object(CachedObject)
    /// With its body apart, which is sent and forgotten.
    case record(CachedObject, DiskBody)
}

/// What passes between the tiers: hits on disk that need no wait, records to be written, uses that memory has counted.
///
/// A hit needs no wait when the file is open and in the kernel's memory. What was made of a record is kept beside its open
/// file, so that such a hit reads the body and nothing else; and not even that when the memory tier does not want it: the
/// body was checked when the file was opened, and goes from the file to the client.
extension Shard {
    /// Takes a stored object from disk if that needs no wait, and offers it to the memory tier.
    ///
    /// - Parameter epoch: the configuration under which the URL was admitted; it may be behind ours, or ahead.
    func takeFromDisk(_ key: CacheKey, admittedUnder epoch: UInt64) -> CachedObject? {
        guard let disk, let ready = disk.readAtOnce(key), let record = judgedRecord(ready.record, disk) else {
            return nil
        }
        let isAsRead = record.times == ready.record.times
        let object: CachedObject
        if let known = ready.object, isAsRead, known.epoch == min(epoch, snapshot.epoch) {
            object = CachedObject(known, body: record.body)
        } else {
            let made = RecordMapping.object(
                of: record, snapshot: snapshot, now: loop.now, wallNow: WallClock.seconds(), epoch: epoch)
            guard let made else { return nil }
            disk.keep(made, madeOf: record)
            object = made
        }
        _ = core.memory.store(object)
        return object
    }

    /// Takes a stored response from disk for a client of this loop, without a message, a flight or a wait.
    ///
    /// - Parameters:
    ///   - epoch: the configuration under which the URL was admitted.
    ///   - isUsable: whether an object, whose body may not be there yet, can be the answer as it is.
    func takeAtOnce(
        _ key: CacheKey, admittedUnder epoch: UInt64, where isUsable: (CachedObject) -> Bool
    ) -> DiskHit? {
        let current = min(epoch, snapshot.epoch)
        let sendable = takeSendable(key.hash, key.bytes.span) {
            $0.variants == nil && $0.epoch == current && isUsable($0)
        }
        if let sendable { return .record(sendable.object, sendable.body) }
        guard !isShutDown, let known = disk?.object(of: key), known.variants == nil, isUsable(known),
            let object = takeFromDisk(key, admittedUnder: epoch), isUsable(object)  // A purge may have made it stale.
        else { return nil }
        return .object(object)
    }

    /// Takes a record whose body is sent and forgotten: no purge concerns it, and the memory tier does not want it.
    ///
    /// - Parameters:
    ///   - hash: the hash of the key.
    ///   - keyBytes: the key.
    ///   - isUsable: whether an object, whose body is not there, can be the answer as it is.
    func takeSendable(
        _ hash: KeyHash, _ keyBytes: Span<UInt8>, where isUsable: (CachedObject) -> Bool
    ) -> SendableRecord? {
        guard !isShutDown, let disk, let record = disk.findSendable(hash, keyBytes, where: isUsable),
            purging.bans.verdict(record.object.key.bytes, seen: record.mark) == .keep,
            !core.memory.wouldStore(hash, costBytes: record.object.costBytes + record.body.count)
        else { return nil }
        disk.used(hash)
        return record
    }

    /// Queues the record of an object; what becomes of it is counted by the tier.
    func writeToDisk(_ object: CachedObject) {
        guard let disk else { return }
        disk.write(RecordMapping.record(of: object)) { _ in }
        foldUses(into: disk)
    }

    /// Memory slots looked at for each record written.
    ///
    /// Before as many records were written as there are objects in memory, each of them was looked at some thirty times.
    private static let slotsPerWrite = 32

    /// Tells the disk tier of the next few objects how often memory has seen them used.
    ///
    /// What is hot in memory is not read from disk, and would be the first to leave it. Uses matter only where something
    /// else wants the room, so the walk goes as fast as records are written.
    private func foldUses(into disk: DiskShard) {
        guard disk.isFilling else { return }
        var listings: [MemoryListing] = []
        if !core.memory.list(&usesCursor, into: &listings, maximum: Self.slotsPerWrite) { usesCursor = MemoryCursor() }
        for listing in listings where listing.uses > 1 && listing.object.key.hash.shard(of: core.loopCount) == index {
            disk.noteUses(listing.object.key, atLeast: UInt32(listing.uses))
        }
    }
}
