/// Rebuilds the indexes after a start: goes through the directories on one worker, a few files at a time so that reads
/// are not held up, and sends each shard what is its own.
struct DiskScan: Sendable {
    /// Files looked at before the worker is free for others.
    private static let filesPerJob = 64
    /// Directories listed before the worker is free for others.
    private static let directoriesPerJob = 32

    private let files: RecordFiles
    private let seed: UInt64
    private let workers: DiskWorkers
    private let counters: DiskCounters
    private let shards: [any DiskShardMail]

    private var nextDirectory = 0
    private var directory = ""
    private var names: [String] = []

    /// A scan that has not begun.
    init(
        files: RecordFiles, seed: UInt64, workers: DiskWorkers, counters: DiskCounters, shards: [any DiskShardMail]
    ) {
        self.files = files
        self.seed = seed
        self.workers = workers
        self.counters = counters
        self.shards = shards
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
        var filesLeft = Self.filesPerJob
        var directoriesLeft = Self.directoriesPerJob
        while filesLeft > 0, directoriesLeft > 0, hasMore {
            if let name = names.popLast() {
                filesLeft -= 1
                examine(name, &found)
            } else {
                directoriesLeft -= 1
                listNext()
            }
        }
        for (shard, records) in zip(shards, found) where !records.isEmpty { shard.scanned(records) }
        if hasMore { schedule() } else { for shard in shards { shard.scanEnded() } }
    }

    private var hasMore: Bool {
        !names.isEmpty || nextDirectory < RecordName.directories.count
    }

    private mutating func listNext() {
        directory = RecordName.directories[nextDirectory]
        nextDirectory += 1
        do { names = try files.fileSystem.list(files.paths.records(directory)) } catch {
            if !error.isAbsent { counters.count(error) }
        }
    }

    private func examine(_ name: String, _ found: inout [[ScannedRecord]]) {
        guard let hash = RecordName.hash(ofFile: name), name.hasPrefix(directory),
            let record = files.examine(hash, seed: seed)
        else { return }
        found[hash.shard(of: shards.count)].append(record)
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
