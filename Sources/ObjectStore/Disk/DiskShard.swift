import EventLoops

/// The disk tier of one loop: the index of its keys, what is staged, what its workers do.
///
/// Keys belong to the shard `hash.shard(of: shardCount)`. A call never blocks and never calls back before it returns.
/// Every read answers with a record that was checked to the last byte, or with nothing; a disk that fails costs the
/// cache, never a request.
///
/// | phase | lookups | stores |
/// | --- | --- | --- |
/// | scan runs | known ones read, unknown ones tried | staged, written when the scan has ended |
/// | over its share | as below | staged until the surplus has left the index |
/// | ready | by the index | admitted by the policy, written when the budget has room |
/// | disk refuses writes | by the index | refused, but one each period that tries |
/// | closed | nothing | refused |
///
/// Owner: its loop.
public final class DiskShard {
    /// The tier that it is a part of.
    let tier: DiskTier
    /// Its owner.
    let loop: EventLoop
    /// How many shards share the tier.
    let shardCount: Int
    /// What it knows of its files.
    var index: DiskIndex
    /// The names with work, or with someone waiting.
    var works: [KeyHash: NameWork] = [:]
    /// Names of admitted records that wait for room, in order.
    var roomQueue: [KeyHash] = []
    /// Whether the budget will tell when there is room.
    var awaitsRoom = false
    /// Whether the scan has ended.
    public internal(set) var isIndexComplete = false
    /// Files removed while the scan ran; it may have seen them before.
    var removedWhileScanning: Set<KeyHash> = []
    /// Whether everything was purged while the scan ran: what it finds is then purged too.
    var isPurgedWhileScanning = false
    /// Whether files that must leave are taken out slice by slice.
    var isSlicing = false
    /// Whether entries that were purged all at once are still in the index.
    var isSweeping = false
    /// How many files are being removed.
    var removals = 0
    /// Who waits until the work on a name is done.
    var settleWaiters: [KeyHash: [(DiskSettlement) -> Void]] = [:]
    /// The records whose files stay open.
    var openRecords: OpenRecords
    /// Whether the file system can read what is in the kernel's memory and no more, as far as is known.
    var readsAtOnce = true
    /// Whether the system can say what of a file is in the kernel's memory, as far as is known.
    var sendsFiles = true
    /// Whether nothing new is begun.
    var isClosed = false

    private var deliveries: [() -> Void] = []
    private var flushWaiters: [() -> Void] = []
    private var mailbox: Mailbox<DiskMessage>?

    /// Makes a shard; with the last of `shardCount` the scan begins.
    ///
    /// On its loop, or before the loop runs.
    public init(tier: DiskTier, loop: EventLoop, shardIndex: Int, shardCount: Int) {
        loop.preconditionCurrent()
        self.tier = tier
        self.loop = loop
        self.shardCount = shardCount
        index = DiskIndex(
            capacityBytes: tier.share(of: shardCount),
            admitsSecondRequestOnly: tier.settings.admitsSecondRequestOnly)
        openRecords = OpenRecords(limit: tier.settings.openFiles / max(shardCount, 1))
        let mailbox = Mailbox<DiskMessage>(loop: loop) { [weak self] message in self?.handle(message) }
        self.mailbox = mailbox
        tier.register(ShardMail(mailbox: mailbox), index: shardIndex, of: shardCount)
    }

    // MARK: Asking

    /// Says what is known of a key without touching the disk.
    public func contains(_ key: CacheKey) -> DiskPresence {
        loop.assertCurrent()
        guard !isClosed else { return .no }
        switch works[key.hash]?.view {
        case .record(let record)?: return record.key == key ? .maybe : .no
        case .absent?: return .no
        case .file?, nil: return mayBeOnDisk(key.hash) ? .maybe : .no
        }
    }

    /// Reads a record.
    ///
    /// The completion gets nil when there is none, when it is damaged, or when the disk fails; it is called once,
    /// later, on this loop.
    public func read(_ key: CacheKey, completion: @escaping (DiskRecord?) -> Void) {
        loop.assertCurrent()
        guard !isClosed else { return answer(completion, nil) }
        switch works[key.hash]?.view {
        case .record(let record)? where record.key == key:
            index.use(key.hash)
            answer(completion, record)
        case .record?, .absent?:
            answer(completion, nil)
        case .file?, nil:
            guard mayBeOnDisk(key.hash) else { return answer(completion, nil) }
            edit(key.hash) { $0.readers.append(.init(key: key, completion: completion)) }
            advance(key.hash)
        }
    }

    // MARK: Changing

    /// Stores a record in place of what the key had.
    ///
    /// From now on reads get the new record, or nothing; never the old one, whatever becomes of the write. The
    /// completion is called once, later, on this loop.
    public func write(_ record: DiskRecord, completion: @escaping (DiskWriteOutcome) -> Void) {
        loop.assertCurrent()
        if let refusal = refusal(of: record) {
            deliver { completion(refusal) }
            if !isClosed { discard(record.key.hash, reason: nil) }
            return
        }
        let hash = record.key.hash
        answerReaders(of: hash, record)
        cancelWish(hash, .superseded)
        edit(hash) {
            $0.wish = .write(record)
            $0.wishedWriter = completion
        }
        advance(hash)
    }

    /// Gives a record new times, after its origin confirmed it.
    ///
    /// A record that is not there is left alone.
    ///
    /// - Returns: false when the record keeps the times it has, since the disk refuses writes.
    @discardableResult
    public func updateTimes(_ key: CacheKey, _ times: RecordTimes) -> Bool {
        loop.assertCurrent()
        guard !isClosed else { return false }
        index.use(key.hash, atLeast: max(times.uses, 1))
        switch works[key.hash]?.view {
        case .record(var record)? where record.key == key:
            record.times = times
            edit(key.hash) { $0.wish = $0.wishedRecord == nil ? .times(key, times) : .write(record) }
        case .record?, .absent?:
            break
        case .file?, nil:
            guard mayBeOnDisk(key.hash) else { return true }
            guard !tier.health.refuses(loop.now) else { return false }
            edit(key.hash) { $0.wish = .times(key, times) }
            advance(key.hash)
        }
        return true
    }

    /// Tells how often another tier has seen the key used, so that what is hot there is not evicted here.
    public func noteUses(_ key: CacheKey, atLeast uses: UInt32) {
        loop.assertCurrent()
        index.fold(key.hash, uses: UInt64(uses))
    }

    /// Removes a key, in force at once: a queued write and a running read come to nothing.
    ///
    /// The file itself is gone when `flush` completes.
    ///
    /// - Returns: whether there was something, as far as is known.
    public func remove(_ key: CacheKey) -> Bool {
        loop.assertCurrent()
        guard !isClosed else { return false }
        let isKnown = contains(key) == .maybe
        answerReaders(of: key.hash, nil)
        discard(key.hash, reason: .purge)
        return isKnown
    }

    /// Removes everything, in force at once; the files leave slice by slice, and are gone when `flush` completes.
    public func removeAll() {
        loop.assertCurrent()
        guard !isClosed else { return }
        for hash in Array(works.keys) {
            answerReaders(of: hash, nil)
            discard(hash, reason: .purge)
        }
        index.purgeAll()
        isSweeping = true
        if isIndexComplete { startSlices() } else { isPurgedWhileScanning = true }
    }

    // MARK: Ending

    /// Calls back, later, on this loop, once every change that was asked for is on disk, or has failed.
    public func flush(completion: @escaping () -> Void) {
        loop.assertCurrent()
        flushWaiters.append(completion)
        completeFlushes()
    }

    /// Ends the shard.
    ///
    /// What has not begun is given up and its completions are called; flush first to keep it.
    public func close() {
        loop.preconditionCurrent()
        guard !isClosed else { return }
        for hash in Array(works.keys) {
            answerReaders(of: hash, nil)
            cancelWish(hash, .closed)
        }
        isClosed = true
        openRecords.removeAll()
        isSlicing = false
        isSweeping = false
        for hash in Array(settleWaiters.keys) { settle(hash, .failed) }
        completeFlushes()
    }

    /// Lets go of everyone who is still to be called: their loop does not run any more.
    ///
    /// They may own this shard, which would then never go.
    public func abandon() {
        loop.preconditionCurrent()
        isClosed = true
        deliveries = []
        flushWaiters = []
        settleWaiters = [:]
        works = [:]
    }

    // MARK: Facts for tests and gauges

    /// How many files the index knows.
    public var objectCount: Int { index.count }

    /// Whether more than half of the room is taken, so that files may soon have to leave.
    public var isFilling: Bool { index.usedBytes > index.capacityBytes / 2 }

    // MARK: Machinery shared by the parts of the shard

    /// Whether a file may be there and be an answer.
    func mayBeOnDisk(_ hash: KeyHash) -> Bool {
        if index.find(hash) != nil { return true }
        guard !isIndexComplete, !isPurgedWhileScanning else { return false }
        return !removedWhileScanning.contains(hash)
    }

    /// Changes the work on a name, begun if there is none.
    func edit(_ hash: KeyHash, _ change: (inout NameWork) -> Void) {
        change(&works[hash, default: NameWork(diskBytes: index.findCharged(hash)?.bytes ?? 0)])
    }

    /// Counts a read as hit or miss, and answers it later.
    func answer(_ completion: @escaping (DiskRecord?) -> Void, _ record: DiskRecord?) {
        if record == nil { tier.counters.countMiss() } else { tier.counters.countHit() }
        deliver { completion(record) }
    }

    /// Calls back later in this turn or the next, never from inside the call that asked.
    func deliver(_ call: @escaping () -> Void) {
        deliveries.append(call)
        if deliveries.count == 1 { post(.deliver) }
    }

    /// Sends a message to this shard.
    func post(_ message: DiskMessage) {
        mailbox?.post(message)
    }

    /// What tells this shard, from any thread, that there is room.
    func roomMessage() -> @Sendable () -> Void {
        let mailbox = mailbox
        return { mailbox?.post(.roomMade) }
    }

    /// Hands a job to the workers; its result comes back as a message.
    func submit(
        _ lane: WorkQueue.Lane, always: Bool, _ job: @escaping @Sendable (RecordFiles) -> DiskMessage
    ) -> Bool {
        guard let mailbox else { return false }
        let files = tier.files
        return tier.workers.submit(lane, always: always) { mailbox.post(job(files)) }
    }

    /// Tells those who wait for a flush, if all is done.
    func completeFlushes() {
        guard works.isEmpty, !isSlicing, !isSweeping || isClosed, !flushWaiters.isEmpty else { return }
        let waiters = flushWaiters
        flushWaiters = []
        for waiter in waiters { deliver(waiter) }
    }

    private func handle(_ message: DiskMessage) {
        switch message {
        case .deliver:
            let calls = deliveries
            deliveries = []
            for call in calls { call() }
        case .read(let hash, let outcome): readEnded(hash, outcome)
        case .changed(let hash, let outcome): changeEnded(hash, outcome)
        case .scanned(let records): scanned(records)
        case .scanEnded: scanEnded()
        case .roomMade: roomMade()
        case .limitChanged: limitChanged()
        case .slice: slice()
        }
    }
}

@available(*, unavailable, message: "a shard belongs to its loop")
extension DiskShard: Sendable {}

/// Everything that reaches a shard from elsewhere, or from itself for later.
enum DiskMessage: Sendable {
    /// Call back those who asked.
    case deliver
    /// A read has ended.
    case read(KeyHash, RecordFiles.ReadOutcome)
    /// A write, a removal or an update of times has ended.
    case changed(KeyHash, RecordFiles.ChangeOutcome)
    /// The scan found records.
    case scanned([ScannedRecord])
    /// The scan has ended.
    case scanEnded
    /// Bytes of the budget were given back.
    case roomMade
    /// The tier has another limit.
    case limitChanged
    /// Take the next few files out that must leave.
    case slice
}

/// How the scan and the tier reach a shard.
private struct ShardMail: DiskShardMail {
    let mailbox: Mailbox<DiskMessage>

    func scanned(_ records: [ScannedRecord]) { mailbox.post(.scanned(records)) }
    func scanEnded() { mailbox.post(.scanEnded) }
    func limitChanged() { mailbox.post(.limitChanged) }
}
