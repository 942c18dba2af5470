/// What is read for a report beside the loops' counters: the tiers, the queue, the process.
struct Gauges: Sendable {
    /// A figure of each tier.
    struct Tiers: Sendable {
        /// The memory tier's.
        var memory = 0
        /// The disk tier's; 0 without one.
        var disk = 0
    }

    /// How many images left a tier for a reason; each pair at most once.
    struct Eviction: Sendable {
        /// `memory` or `disk`.
        var tier: String
        /// The label of why they left.
        var reason: String
        /// How many.
        var count: UInt64
    }

    /// How many calls of a kind failed; each kind at most once.
    struct DiskError: Sendable {
        /// The label of the kind of call.
        var operation: String
        /// How many.
        var count: UInt64
    }

    /// Bytes in use; on disk the allocated blocks of records.
    var cacheBytes = Tiers()
    /// Bytes that may be used.
    var cacheLimit = Tiers()
    /// Images.
    var cacheObjects = Tiers()
    /// Images that left.
    var evictions: [Eviction] = []
    /// Downloads that wait for a permit.
    var downloadsQueued = 0
    /// Downloads under way.
    var downloadsActive = 0
    /// Downloads that an operator halted.
    var downloadsSuspended = 0
    /// Bytes reserved for downloads.
    var inFlightBytes = 0
    /// Calls on the cache directory that failed.
    var diskErrors: [DiskError] = []
    /// Damaged files found.
    var diskCorrupt: UInt64 = 0
    /// Log lines that were lost: `Log.dropped`.
    var logDropped: UInt64 = 0
    /// The version that runs.
    var version = ""
}
