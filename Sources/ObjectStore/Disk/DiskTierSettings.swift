/// How a disk tier is set up.
public struct DiskTierSettings: Sendable {
    /// The cache directory; made if missing.
    public var path: String
    /// The most that all records together may take, in allocated bytes; more than 0.
    public var limitBytes: Int
    /// How many threads do the blocking calls.
    ///
    /// Default: 4.
    public var workers: Int
    /// How many reads, and how many writes, may wait for a worker.
    ///
    /// Default: 4096.
    public var queueLimit: Int
    /// The most that records may take in memory while they wait to be written, in bytes.
    ///
    /// Default: 64 MiB.
    public var stagingLimitBytes: Int
    /// How long nothing is written after the disk refused.
    ///
    /// Default: 5 s.
    public var retryAfter: Duration
    /// How many files of records may stay open, in all shards together.
    ///
    /// Default: 512.
    public var openFiles: Int
    /// Whether an object is stored only when it is asked for a second time while the tier is full.
    ///
    /// Default: false.
    public var admitsSecondRequestOnly: Bool
    /// Hears what an operator should know.
    ///
    /// Called on workers and loops; must not block. Default: nothing.
    public var onWarning: @Sendable (StoreWarning) -> Void

    /// Settings with their defaults.
    public init(
        path: String, limitBytes: Int, workers: Int = 4, queueLimit: Int = 4096, stagingLimitBytes: Int = 64 << 20,
        retryAfter: Duration = .seconds(5), openFiles: Int = 512, admitsSecondRequestOnly: Bool = false,
        onWarning: @escaping @Sendable (StoreWarning) -> Void = { _ in }
    ) {
        self.path = path
        self.limitBytes = limitBytes
        self.workers = workers
        self.queueLimit = queueLimit
        self.stagingLimitBytes = stagingLimitBytes
        self.retryAfter = retryAfter
        self.openFiles = openFiles
        self.admitsSecondRequestOnly = admitsSecondRequestOnly
        self.onWarning = onWarning
    }
}
