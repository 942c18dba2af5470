import EventLoops
import HTTPCaching
import ObjectStore

/// What a shard knows of purges.
struct ShardPurges {
    /// Purges of which something may still be found.
    var bans: BanList
    /// Those that look at the whole memory tier, by their numbers.
    fileprivate var runs: [UInt64: PurgeRun] = [:]
    /// When files are looked for again.
    fileprivate var retry: Timer?

    /// Begins with what an earlier process left.
    init(_ initial: KeptPurges) {
        bans = BanList(initial.bans, lastNumber: initial.lastNumber)
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
    func takePart(in order: PurgeOrder) {
        guard !isShutDown else { return order.acknowledge(purged: 0, isKept: false) }
        purging.bans.add(order.ban)
        guard case .url(let key) = order.ban.target else {
            tellFlights(of: order.ban)
            negatives.forgetAll()
            return beginRun(order)
        }
        // Before the flights are told, which then forget what they knew.
        let known = knownRecords(of: key)
        tellFlights(of: order.ban)
        negatives.forget(key)
        purgeURL(key, known, order)
    }

    private func tellFlights(of ban: Ban) {
        for flight in flightsByNumber.values where ban.target.matches(flight.key.bytes) {
            flight.purged(softly: ban.isSoft)
        }
    }

    // MARK: One URL

    /// What lies under a URL as far as is known, and what its flights are reading.
    private func knownRecords(of key: CacheKey, besides variants: VariantSet? = nil) -> [CacheKey] {
        let keys = recordKeys(of: key, besides: variants)
        return keys + Set((flights[key] ?? []).compactMap(\.record)).subtracting(keys)
    }

    private func purgeURL(_ key: CacheKey, _ known: [CacheKey], _ order: PurgeOrder) {
        // A marker may be on disk alone: what it lists is read before it goes.
        guard core.memory.peek(key) == nil, let disk, disk.contains(key) == .maybe else {
            return purgeRecords(known, order)
        }
        disk.read(key) { [self] record in
            let listed = knownRecords(of: key, besides: record.flatMap(RecordMapping.variants))
            purgeRecords(listed + Set(known).subtracting(listed), order)
        }
    }

    private func purgeRecords(_ keys: [CacheKey], _ order: PurgeOrder) {
        var remaining = keys.count
        var purged = 0
        var isKept = true
        for key in keys {
            // The first of several is a marker, which is no image.
            let isImage = keys.count == 1 || key != keys[0]
            purgeRecord(key, order.ban) { [self] wasThere, isSafe in
                remaining -= 1
                purged += wasThere && isImage ? 1 : 0
                isKept = isKept && isSafe
                guard remaining == 0 else { return }
                if isKept { purging.bans.remove([order.ban.number]) }
                order.acknowledge(purged: purged, isKept: isKept)
            }
        }
    }

    /// Removes or marks what both tiers hold under a key, and calls back, later or now, when that has come to its end.
    ///
    /// - Parameter completion: hears whether there was something, and whether it is so for good.
    private func purgeRecord(
        _ key: CacheKey, _ ban: Ban, completion: @escaping (_ wasThere: Bool, _ isSafe: Bool) -> Void
    ) {
        guard ban.isSoft else {
            let wasInMemory = core.memory.remove(key)
            guard let disk else { return completion(wasInMemory, true) }
            return disk.remove(key) { completion(wasInMemory || $0, $1) }
        }
        let wasInMemory = judgeInMemory(key)
        guard disk != nil else { return completion(wasInMemory, true) }
        settleOnDisk(key) { [self] record, settlement in
            // A read of before may have landed in memory meanwhile.
            _ = judgeInMemory(key)
            completion(wasInMemory || record != nil || settlement == .removed, settlement != .failed)
        }
    }

    private func judgeInMemory(_ key: CacheKey) -> Bool {
        guard let object = core.memory.peek(key) else { return false }
        _ = judged(object)
        return true
    }

    /// Reads a record, which judges it, and calls back when it is marked or gone; a newer record of the key stays.
    private func settleOnDisk(_ key: CacheKey, completion: @escaping (DiskRecord?, DiskSettlement) -> Void) {
        guard let disk else { return }
        let settle: (DiskRecord?) -> Void = { record in
            // What cannot be read cannot be marked either, and the index may not know of it.
            if record == nil, disk.staged(key) == nil { _ = disk.remove(key) }
            disk.whenSettled(key) { completion(record, $0) }
        }
        disk.contains(key) == .maybe ? readDisk(key, completion: settle) : settle(nil)
    }

    // MARK: By rule

    private func beginRun(_ order: PurgeOrder) {
        let ban = order.ban
        let staged = disk?.stagedKeys.filter { ban.target.matches($0.bytes) } ?? []
        purging.runs[ban.number] = PurgeRun(order: order, unsettled: staged.count)
        for key in staged {
            let isImage = disk?.staged(key).flatMap(RecordMapping.variants) == nil
            purgeRecord(key, ban) { [self] wasThere, _ in
                purging.runs[ban.number]?.unsettled -= 1
                purging.runs[ban.number]?.purged += wasThere && isImage ? 1 : 0
                endRunIfDone(ban.number)
            }
        }
        core.ports.shards[index].post(.purgeSlice(ban.number))
    }

    /// Looks at the next slots of the memory tier, one slice a turn.
    func purgeNextSlice(_ number: UInt64) {
        guard var run = purging.runs[number] else { return }
        var listings: [MemoryListing] = []
        let hasMore = core.memory.list(&run.cursor, into: &listings)
        for listing in listings { run.purged += purgeListed(listing.object, run.order.ban) ? 1 : 0 }
        run.isWalked = !hasMore
        if !hasMore { run.purged += purgeWholeDisk(run.order.ban) }
        purging.runs[number] = run
        hasMore ? core.ports.shards[index].post(.purgeSlice(number)) : endRunIfDone(number)
    }

    /// Removes or marks an object of the memory tier, if it is this shard's and was there before the purge.
    ///
    /// - Returns: whether it counts: a marker is no image.
    private func purgeListed(_ object: CachedObject, _ ban: Ban) -> Bool {
        let key = object.key
        guard key.hash.shard(of: core.loopCount) == index, object.response.times.purgeNumber < ban.number,
            ban.target.matches(key.bytes)
        else { return false }
        let isImage = object.variants == nil
        if ban.isSoft {
            _ = judged(object)
            return isImage
        }
        guard core.memory.remove(object) else { return false }
        // The index counts what it knows itself when everything goes.
        if ban.target == .all { return isImage && disk?.contains(key) != .maybe }
        _ = disk?.remove(key)
        return isImage
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

    /// The end has begun: nobody waits for what is not done.
    func endRuns() {
        let runs = purging.runs
        purging.runs = [:]
        for run in runs.values { run.order.acknowledge(purged: run.purged, isKept: false) }
    }

    // MARK: Files

    /// Takes files off the disk, or marks them, that a walk found to be purged; a newer record of the key stays.
    func judgeFiles(_ keys: [CacheKey], _ batch: PurgeBatch) {
        for key in keys {
            guard !isShutDown else { return }
            // A disk that closes leaves it to the next start: the batch is never done, and the purge not forgotten.
            settleOnDisk(key) { [self] _, settlement in
                if !isShutDown { batch.done(isSafe: settlement != .failed) }
            }
        }
    }

    /// Has files looked for again after a while.
    func walkLater(_ delay: Duration) {
        let timer = Timer(loop: loop) { [core] in core.purges.retryWalk() }
        timer.schedule(after: delay)
        purging.retry = timer
    }

    /// Reads a record and judges it by the purges since it was fetched; all reads go through here.
    func readDisk(_ key: CacheKey, completion: @escaping (DiskRecord?) -> Void) {
        guard let disk else { return completion(nil) }
        disk.read(key) { [self] record in completion(record.flatMap { judgedRecord($0, disk) }) }
    }

    /// Judges a record by the purges since it was fetched.
    func judgedRecord(_ record: DiskRecord, _ disk: DiskShard) -> DiskRecord? {
        // A newer record may have been staged after this one was read: it is judged by its own number.
        let latest = disk.staged(record.key) ?? record
        switch verdict(latest) {
        case .keep: break
        case .drop: _ = disk.remove(record.key)
        case .soften: disk.mark(record.key, staleRecord(latest).times)
        }
        switch verdict(record) {
        case .keep: return record
        case .drop: return nil
        case .soften: return staleRecord(record)
        }
    }

    private func verdict(_ record: DiskRecord) -> BanList.Verdict {
        purging.bans.verdict(record.key.bytes, seen: record.times.mark)
    }

    /// The same record, marked stale; no purge up to now may say that it is gone.
    private func staleRecord(_ record: DiskRecord) -> DiskRecord {
        var record = record
        record.times.flags |= RecordMapping.softPurged
        record.times.mark = purging.bans.lastNumber
        return record
    }

    // MARK: Memory

    /// Judges an object of the memory tier that a purge under way may not have come to yet.
    func judged(_ object: CachedObject) -> CachedObject? {
        guard let now = rejudged(object) else {
            _ = core.memory.remove(object)
            return nil
        }
        if now !== object { _ = core.memory.store(now) }
        return now
    }

    /// Judges an object wherever it is held: nil when it is gone, another one when it is to be stale.
    func rejudged(_ object: CachedObject) -> CachedObject? {
        switch purging.bans.verdict(object.key.bytes, seen: object.response.times.purgeNumber) {
        case .keep: object
        case .drop: nil
        case .soften: staleObject(object)
        }
    }

    /// The same object, marked stale; no purge up to now may say that it is gone.
    private func staleObject(_ object: CachedObject) -> CachedObject {
        var response = object.response
        response.times.purgeNumber = purging.bans.lastNumber
        if let variants = object.variants {
            // A marker is no response: what it lists is marked.
            return CachedObject(markerOf: object.key, variants: variants, times: response.times, now: loop.now)
        }
        response.times.isSoftPurged = true
        return ObjectMaker.object(
            key: object.key, response: response, variantKey: object.variantKey, body: object.body, snapshot: snapshot,
            now: loop.now, wallNow: WallClock.seconds(), epoch: object.epoch)
    }
}
