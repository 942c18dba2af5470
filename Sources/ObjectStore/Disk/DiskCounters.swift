import Synchronization

/// What the disk tier counts.
///
/// Written by loops and workers, read by anyone; relaxed, so a reading is not a moment.
public final class DiskCounters: Sendable {
    /// Why a record left.
    public enum EvictionReason: Int, Sendable, CaseIterable {
        /// It made room for another one.
        case room
        /// The directory was over its limit, at start or after the limit was lowered.
        case limit
        /// It was purged.
        case purge

        /// The fixed text that counters carry.
        public var label: String {
            switch self {
            case .room: "room"
            case .limit: "limit"
            case .purge: "purge"
            }
        }
    }

    private let hitCount = Atomic<Int>(0)
    private let missCount = Atomic<Int>(0)
    private let corruptCount = Atomic<Int>(0)
    private let objectCount = Atomic<Int>(0)
    private let recordBytes = Atomic<Int>(0)
    private let storedCount = Atomic<Int>(0)
    private let evictionCounts = InlineArray<3, Atomic<Int>> { _ in Atomic(0) }
    private let errorCounts = InlineArray<11, Atomic<Int>> { _ in Atomic(0) }

    /// All zero.
    init() {
        precondition(evictionCounts.count == EvictionReason.allCases.count, "a counter for each reason")
        precondition(errorCounts.count == FileOperation.allCases.count, "a counter for each operation")
    }

    /// Reads that found a record.
    public var hits: Int { hitCount.load(ordering: .relaxed) }
    /// Reads that found none, for whatever reason.
    public var misses: Int { missCount.load(ordering: .relaxed) }
    /// Damaged files found, and removed.
    public var corrupt: Int { corruptCount.load(ordering: .relaxed) }
    /// Records on disk, as far as the scan has come.
    public var objects: Int { objectCount.load(ordering: .relaxed) }
    /// Allocated bytes of records on disk, as far as the scan has come.
    public var bytes: Int { recordBytes.load(ordering: .relaxed) }
    /// Records written.
    public var stored: Int { storedCount.load(ordering: .relaxed) }

    /// Records that left for a reason.
    public func evictions(_ reason: EvictionReason) -> Int {
        evictionCounts[reason.rawValue].load(ordering: .relaxed)
    }

    /// Failed calls of a kind; what is absent or foreign is not a failure.
    public func errors(_ operation: FileOperation) -> Int {
        errorCounts[operation.rawValue].load(ordering: .relaxed)
    }

    /// Failed calls of all kinds.
    public var errors: Int { FileOperation.allCases.reduce(0) { $0 + errors($1) } }

    func countHit() { hitCount.add(1, ordering: .relaxed) }
    func countMiss() { missCount.add(1, ordering: .relaxed) }
    func countCorrupt() { corruptCount.add(1, ordering: .relaxed) }
    func countStored() { storedCount.add(1, ordering: .relaxed) }
    func count(_ reason: EvictionReason, _ number: Int = 1) {
        evictionCounts[reason.rawValue].add(number, ordering: .relaxed)
    }
    func count(_ error: FileError) { errorCounts[error.operation.rawValue].add(1, ordering: .relaxed) }

    /// A file came, went, or changed its blocks.
    func files(_ number: Int, bytes: Int) {
        objectCount.add(number, ordering: .relaxed)
        recordBytes.add(bytes, ordering: .relaxed)
    }
}
