/// A cache of sizes that drops what was used longest ago.
struct LeastRecentlyUsed {
    private var capacityBytes: Int
    private var usedBytes = 0
    /// Use order: a queue in which only the last mention of an id counts.
    private var queue: [(id: UInt64, use: Int)] = []
    private var head = 0
    private var uses = 0
    private var entries: [UInt64: (bytes: Int, lastUse: Int)] = [:]

    init(capacityBytes: Int) {
        self.capacityBytes = capacityBytes
    }

    mutating func request(_ id: UInt64, bytes: Int) -> Bool {
        uses += 1
        queue.append((id, uses))
        let isHit = entries[id] != nil
        if !isHit { usedBytes += bytes }
        entries[id] = (bytes, uses)
        while usedBytes > capacityBytes {
            let oldest = queue[head]
            head += 1
            guard let entry = entries[oldest.id], entry.lastUse == oldest.use else { continue }
            entries[oldest.id] = nil
            usedBytes -= entry.bytes
        }
        return isHit
    }
}
