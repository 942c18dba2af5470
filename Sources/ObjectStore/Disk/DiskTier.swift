import EventLoops

/// The disk tier of a process: the directory and its lock, the workers, the budget, the counters.
///
/// Its shards, one a loop, hold the index and decide; see `DiskShard`. A tier is made before the loops run (making it
/// blocks) and closed after its shards were flushed and closed.
public final class DiskTier: Sendable {
    /// The seed under which keys are hashed for this directory.
    public let hashSeed: UInt64
    /// What the tier counts.
    public let counters: DiskCounters

    let settings: DiskTierSettings
    let budget: DiskBudget
    let health: DiskHealth
    let workers: DiskWorkers
    let files: RecordFiles
    let paths: DiskPaths
    private let overheadBytes: Int
    private let lock: FileLock
    private let roster = ShardRoster()

    /// Takes possession of a directory: makes it, locks it, clears what a crash left half-written.
    ///
    /// - Throws: `StoreError` when another process has it, or when it cannot be made, read or written. A full disk is no
    ///   reason once the directories are there: the tier then begins down to memory.
    public init(settings: DiskTierSettings, fileSystem: any FileSystem = SystemFileSystem()) throws(StoreError) {
        self.settings = settings
        counters = DiskCounters()
        let paths = DiskPaths(root: settings.path)
        self.paths = paths
        files = RecordFiles(paths: paths, fileSystem: fileSystem, counters: counters)
        health = DiskHealth(retryAfter: settings.retryAfter, onWarning: settings.onWarning)
        let start = DiskStart(files: files, paths: paths, fileSystem: fileSystem)
        lock = try start.takeLock()
        overheadBytes = try start.makeDirectories()
        try start.clearTemporary()
        let seed = try start.readOrMakeSeed(health: health, onWarning: settings.onWarning)
        hashSeed = seed
        try start.probe(health: health)
        budget = DiskBudget(
            limitBytes: Self.recordLimit(settings.limitBytes, overheadBytes: overheadBytes),
            stagingLimitBytes: settings.stagingLimitBytes)
        workers = try DiskWorkers(count: settings.workers, queueLimit: settings.queueLimit)
    }

    /// Whether nothing is written at present because the disk refused.
    public var isDegraded: Bool { health.isStopped }

    /// What records may take at present: the limit less the blocks of the directories.
    public var recordLimitBytes: Int { budget.limitBytes }

    /// What records take, promises to writes under way included.
    public var reservedBytes: Int { budget.usedBytes }

    /// Changes the limit; shards then trim, a slice at a time.
    ///
    /// Any thread.
    public func setLimit(_ bytes: Int) {
        budget.limitBytes = Self.recordLimit(bytes, overheadBytes: overheadBytes)
        for shard in roster.shards { shard.limitChanged() }
    }

    /// Lets go of the directory: ends the workers, then the lock.
    ///
    /// Blocks; call after the shards were flushed and closed, never from a worker. Again is harmless.
    public func close() {
        guard roster.close() else { return }
        workers.close()
        lock.release()
    }

    /// Notes a shard; with the last one the scan begins.
    func register(_ shard: any DiskShardMail, index: Int, of count: Int) {
        guard let all = roster.add(shard, index: index, of: count) else { return }
        DiskScan(files: files, seed: hashSeed, workers: workers, counters: counters, shards: all).schedule()
    }

    /// The share of one shard among several.
    func share(of count: Int) -> Int {
        budget.limitBytes / max(count, 1)
    }

    /// Directories take blocks too (1 MB on ext4).
    ///
    /// They count against the limit, but never take more than a quarter of it, else a tiny cache could hold nothing.
    private static func recordLimit(_ limit: Int, overheadBytes: Int) -> Int {
        max(limit - min(overheadBytes, limit / 4), 0)
    }
}

// SAFETY: all state is under the lock.
/// The shards of a tier.
private final class ShardRoster: @unchecked Sendable {
    private let lock = Lock()
    private var members: [Int: any DiskShardMail] = [:]
    private var isClosed = false

    /// The shards in order.
    var shards: [any DiskShardMail] {
        lock.withLock { members.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// Adds a shard, and returns all of them if it was the last that was missing.
    func add(_ shard: any DiskShardMail, index: Int, of count: Int) -> [any DiskShardMail]? {
        lock.withLock {
            precondition(members[index] == nil && index < count, "shard \(index) of \(count) was made before")
            members[index] = shard
            return members.count == count ? members.sorted { $0.key < $1.key }.map(\.value) : nil
        }
    }

    /// Whether this is the first call.
    func close() -> Bool {
        lock.withLock {
            defer { isClosed = true }
            return !isClosed
        }
    }
}
