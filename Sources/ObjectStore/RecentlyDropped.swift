// What the policy remembers of objects that are no longer there.

/// The objects that were dropped or turned away lately, in two classes: used once, and used more often.
struct RecentlyDropped: Sendable {
    /// How an object that returns was used before it was dropped.
    enum Class: Equatable, Sendable {
        /// Once.
        case usedOnce
        /// More often.
        case usedOften
    }

    private let capacityBytes: Int
    private let maximumObjects: Int
    private var once: RecentFilter
    private var often: RecentFilter
    private var bytes = 0
    private var objects = 0

    /// Makes an empty memory for a tier of this capacity.
    init(capacityBytes: Int) {
        self.capacityBytes = capacityBytes
        maximumObjects = Self.maximumObjects(for: capacityBytes)
        once = RecentFilter(keys: maximumObjects)
        often = RecentFilter(keys: maximumObjects)
    }

    /// Says whether the object was dropped lately, and out of which class.
    func find(_ hash: UInt64) -> Class? {
        if often.contains(hash) { return .usedOften }
        return once.contains(hash) ? .usedOnce : nil
    }

    /// Remembers an object.
    ///
    /// - Returns: whether the memory was full, so that its older half was forgotten.
    mutating func add(_ hash: UInt64, uses: UInt64, bytes size: Int) -> Bool {
        if uses <= 1 { once.add(hash) } else { often.add(hash) }
        bytes += size
        objects += 1
        guard bytes >= 4 * capacityBytes || objects >= maximumObjects else { return false }
        bytes = 0
        objects = 0
        once.rotate()
        often.rotate()
        return true
    }

    /// Four times the objects that fit, at 16 KB each; at most what the largest filter holds well.
    private static func maximumObjects(for capacityBytes: Int) -> Int {
        min(max(1_024, capacityBytes / 4_096), 6_000_000)
    }
}
