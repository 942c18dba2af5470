import EventLoops
import HTTPCaching
import ObjectStore

/// What a shard knows of purges.
struct ShardPurges {
    /// Purges of which something may still be found.
    var bans: BanList
    /// Those that look at the whole memory tier, by their numbers.
    fileprivate var runs: [UInt64: PurgeRun] = [:]

    /// Begins with what an earlier process left.
    init(bans: [Ban]) {
        self.bans = BanList(bans)
    }
}

/// A purge by rule under way in one shard.
private struct PurgeRun {
    let order: PurgeOrder
    var cursor = MemoryCursor()
    var isWalked = false
    /// Records without a file that are being removed.
    var unsettled = 0
    var purged = 0
}

/// Purging: nobody but the home loop of a key changes what is stored under it, so the steps of one purge cannot be
/// overtaken by a fetch, a promotion or a confirmation.
///
/// 1. The ban joins the list: from now on what is found in memory or on disk is judged by it. 2. Flights that run are
/// told. 3. Failures are forgotten. 4. The records go: of one URL by name; by rule those in memory, slice by slice, and
/// those that wait to be written. 5. The order is acknowledged.
extension Shard {
    /// Takes its part in a purge.
    func purge(_ order: PurgeOrder) {
        guard !isShutDown else { return order.acknowledge(purged: 0, isKept: false) }
        purging.bans.add(order.ban)
        for flight in flightsByNumber.values where order.ban.target.matches(flight.key.bytes) {
            flight.purged(softly: order.ban.isSoft)
        }
        if case .url(let key) = order.ban.target {
            negatives.forget(key)
            purgeRecords(of: key, order)
        } else {
            negatives.forgetAll()
            beginRun(order)
        }
    }

    // MARK: One URL

    private func purgeRecords(of key: CacheKey, _ order: PurgeOrder) {
        // A marker may be on disk alone: what it lists is read before it goes.
        guard core.memory.peek(key) == nil, let disk, disk.contains(key) == .maybe else {
            return purgeRecords(recordKeys(of: key), order)
        }
        disk.read(key) { [self] record in
            purgeRecords(recordKeys(of: key, besides: record.flatMap(RecordMapping.variants)), order)
        }
    }

    private func purgeRecords(_ keys: [CacheKey], _ order: PurgeOrder) {
        var remaining = keys.count
        var purged = 0
        let errors = core.disk?.counters.errors
        for key in keys {
            // The first of several is a marker, which is no image.
            let isImage = keys.count == 1 || key != keys[0]
            purgeRecord(key, order.ban) { [self] wasThere in
                remaining -= 1
                purged += wasThere && isImage ? 1 : 0
                guard remaining == 0 else { return }
                purging.bans.remove([order.ban.number])
                // Whatever failed meanwhile may have been the removal.
                order.acknowledge(purged: purged, isKept: core.disk?.counters.errors == errors)
            }
        }
    }

    /// Removes or marks what both tiers hold under a key, and calls back, later or now, when it is so for good.
    private func purgeRecord(_ key: CacheKey, _ ban: Ban, completion: @escaping (_ wasThere: Bool) -> Void) {
        guard ban.isSoft else {
            let wasInMemory = core.memory.remove(key)
            guard let disk else { return completion(wasInMemory) }
            return disk.remove(key) { completion(wasInMemory || $0) }
        }
        let wasInMemory = core.memory.peek(key).map { soften($0, ban) } != nil
        guard let disk, disk.contains(key) == .maybe else { return completion(wasInMemory) }
        readDisk(key) { [self] record in
            // A read of before may have landed in memory meanwhile.
            if let object = core.memory.peek(key) { soften(object, ban) }
            disk.whenSettled(key) { _ in completion(wasInMemory || record != nil) }
        }
    }

    // MARK: By rule

    private func beginRun(_ order: PurgeOrder) {
        let ban = order.ban
        let staged = disk?.stagedKeys.filter { ban.target.matches($0.bytes) } ?? []
        purging.runs[ban.number] = PurgeRun(order: order, unsettled: staged.count)
        for key in staged {
            purgeRecord(key, ban) { [self] wasThere in
                purging.runs[ban.number]?.unsettled -= 1
                purging.runs[ban.number]?.purged += wasThere ? 1 : 0
                endRunIfDone(ban.number)
            }
        }
        core.ports.shards[index].post(.purgeSlice(ban.number))
    }

    /// Looks at the next slots of the memory tier, one slice a turn.
    func purgeSlice(_ number: UInt64) {
        guard var run = purging.runs[number] else { return }
        var listings: [MemoryListing] = []
        let hasMore = core.memory.list(&run.cursor, into: &listings)
        for listing in listings { run.purged += purge(listing.object, run.order.ban) ? 1 : 0 }
        run.isWalked = !hasMore
        if !hasMore { run.purged += purgeWholeDisk(run.order.ban) }
        purging.runs[number] = run
        hasMore ? core.ports.shards[index].post(.purgeSlice(number)) : endRunIfDone(number)
    }

    /// Removes or marks an object of the memory tier, if it is this shard's and was there before the purge.
    ///
    /// - Returns: whether it counts.
    private func purge(_ object: CachedObject, _ ban: Ban) -> Bool {
        let key = object.key
        guard key.hash.shard(of: core.loopCount) == index, object.response.times.purgeNumber < ban.number,
            ban.target.matches(key.bytes)
        else { return false }
        if ban.isSoft {
            soften(object, ban)
            return true
        }
        guard core.memory.remove(object) else { return false }
        // The index counts what it knows itself when everything goes.
        if ban.target == .all { return disk?.contains(key) != .maybe }
        _ = disk?.remove(key)
        return true
    }

    /// When everything goes, the index goes at once.
    private func purgeWholeDisk(_ ban: Ban) -> Int {
        guard let disk, ban.target == .all, !ban.isSoft else { return 0 }
        defer { disk.removeAll() }
        return disk.objectCount
    }

    private func endRunIfDone(_ number: UInt64) {
        guard let run = purging.runs[number], run.isWalked, run.unsettled == 0 else { return }
        purging.runs[number] = nil
        // With a disk tier the ban stays until the files were walked over.
        if disk == nil { purging.bans.remove([number]) }
        run.order.acknowledge(purged: run.purged)
    }

    // MARK: Files

    /// Takes files off the disk, or marks them, that a walk found to be purged; a newer record of the key stays.
    func judgeFiles(_ keys: [CacheKey], _ batch: PurgeBatch) {
        for key in keys {
            guard let disk, !isShutDown else { return }
            readDisk(key) { [self] record in
                // What cannot be read cannot be marked either, and the index may have let go of it already.
                if record == nil, disk.staged(key) == nil { _ = disk.remove(key) }
                // A disk that closes leaves it to the next start: the batch is never done, and the purge not forgotten.
                disk.whenSettled(key) { [self] _ in if !isShutDown { batch.done() } }
            }
        }
    }

    /// Reads a record and judges it by the purges since it was fetched; all reads go through here.
    func readDisk(_ key: CacheKey, completion: @escaping (DiskRecord?) -> Void) {
        guard let disk else { return completion(nil) }
        disk.read(key) { [self] record in completion(record.flatMap { judged($0, disk) }) }
    }

    private func judged(_ record: DiskRecord, _ disk: DiskShard) -> DiskRecord? {
        // A newer record may have been staged after this one was read: it is judged by its own number.
        let latest = disk.staged(record.key) ?? record
        switch verdict(latest) {
        case .keep: break
        case .drop: _ = disk.remove(record.key)
        case .soften: disk.updateTimes(record.key, softened(latest).times)
        }
        switch verdict(record) {
        case .keep: return record
        case .drop: return nil
        case .soften: return softened(record)
        }
    }

    private func verdict(_ record: DiskRecord) -> BanList.Verdict {
        purging.bans.verdict(record.key.bytes, seen: record.times.mark)
    }

    private func softened(_ record: DiskRecord) -> DiskRecord {
        var record = record
        record.times.flags |= RecordMapping.softPurged
        record.times.mark = purging.bans.lastNumber
        return record
    }

    // MARK: Memory

    /// Judges an object of the memory tier that a purge under way may not have come to yet.
    func judged(_ object: CachedObject) -> CachedObject? {
        switch purging.bans.verdict(object.key.bytes, seen: object.response.times.purgeNumber) {
        case .keep: return object
        case .drop:
            _ = core.memory.remove(object)
            return nil
        case .soften:
            let stale = softened(object)
            _ = core.memory.store(stale)
            return stale
        }
    }

    /// Puts an object in place that is stale and otherwise the same; one that was fetched after the purge stays.
    private func soften(_ object: CachedObject, _ ban: Ban) {
        guard object.response.times.purgeNumber < ban.number else { return }
        _ = core.memory.store(softened(object))
    }

    /// The same object, marked stale.
    func softened(_ object: CachedObject) -> CachedObject {
        var response = object.response
        response.times.purgeNumber = purging.bans.lastNumber
        if let variants = object.variants {
            // A marker is no response: what it lists is marked.
            return CachedObject(markerOf: object.key, variants: variants, times: response.times, now: loop.now)
        }
        response.times.isSoftPurged = true
        return ObjectMaker.object(
            key: object.key, response: response, variantKey: object.variantKey, body: object.body, snapshot: snapshot,
            now: loop.now, wallNow: WallClock.seconds())
    }
}
