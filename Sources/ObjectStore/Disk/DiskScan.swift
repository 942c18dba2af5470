/// Rebuilds the indexes after a start: goes through the directories on one worker, a few files at a time so that reads
/// are not held up, and sends each shard what is its own.
struct DiskScan: Sendable {
    /// Files looked at before the worker is free for others.
    private static let filesPerJob = 64

    private let files: RecordFiles
    private let seed: UInt64
    private let workers: DiskWorkers
    private let counters: DiskCounters
    private let shards: [any DiskShardMail]

    private var cursor: DirectoryCursor

    /// A scan that has not begun.
    init(
        files: RecordFiles, seed: UInt64, workers: DiskWorkers, counters: DiskCounters, shards: [any DiskShardMail]
    ) {
        self.files = files
        self.seed = seed
        self.workers = workers
        self.counters = counters
        self.shards = shards
        cursor = DirectoryCursor(files: files)
    }

    /// Begins, or goes on.
    func schedule() {
        _ = workers.submit(.background, always: true) { [self] in
            var scan = self
            scan.step()
        }
    }

    private mutating func step() {
        var found: [[ScannedRecord]] = Array(repeating: [], count: shards.count)
        var cursor = cursor
        cursor.step(files: Self.filesPerJob) { hash in
            guard let record = files.examine(hash, seed: seed) else { return }
            found[hash.shard(of: shards.count)].append(record)
        } failed: {
            counters.count($0)
        }
        self.cursor = cursor
        for (shard, records) in zip(shards, found) where !records.isEmpty { shard.scanned(records) }
        if cursor.hasMore { schedule() } else { for shard in shards { shard.scanEnded() } }
    }
}

/// How the scan and the tier reach a shard.
///
/// Any thread.
protocol DiskShardMail: Sendable {
    /// Records that the scan found.
    func scanned(_ records: [ScannedRecord])
    /// Nothing more will be found.
    func scanEnded()
    /// The limit has changed.
    func limitChanged()
}
