import EventLoops

// What a shard does besides requests: take in the scan, bring itself below its share, finish a purge. In slices, so that
// the loop is never held up.

extension DiskShard {
    /// Files taken out in one turn.
    private static let filesPerSlice = 64
    /// While so many files are being removed, no further ones are taken out.
    static let removalLimit = 256

    // MARK: Scan

    /// Takes in records that the scan found.
    func scanned(_ records: [ScannedRecord]) {
        guard !isClosed else { return }
        for record in records {
            guard !removedWhileScanning.contains(record.hash), index.findCharged(record.hash) == nil else { continue }
            index.add(record.hash, bytes: record.bytes, uses: record.uses, isDoomed: isPurgedWhileScanning)
            tier.budget.charge(record.bytes)
            tier.counters.files(1, bytes: record.bytes)
            if works[record.hash] != nil { edit(record.hash) { $0.diskBytes = record.bytes } }
        }
    }

    /// The index is complete: what waited for it begins.
    func scanEnded() {
        guard !isClosed else { return }
        isIndexComplete = true
        isPurgedWhileScanning = false
        removedWhileScanning = []
        if isSweeping || index.isOverCapacity { startSlices() }
        beginWaiting()
    }

    // MARK: Leaving in slices

    /// Another limit is in force.
    func limitChanged() {
        guard !isClosed else { return }
        index.setCapacity(tier.share(of: shardCount))
        if isIndexComplete, index.isOverCapacity { startSlices() }
        roomMade()
    }

    /// Begins to take files out that must leave.
    func startSlices() {
        guard isIndexComplete, !isSlicing else { return }
        isSlicing = true
        post(.slice)
    }

    /// Takes the next few files out that must leave.
    func slice() {
        guard isSlicing, removals < Self.removalLimit else { return }
        let surplus = index.isOverCapacity ? index.trim(maximum: Self.filesPerSlice) : []
        for leaver in surplus { evict(leaver, .limit) }
        if surplus.isEmpty, isSweeping {
            if let purged = index.sweep(maximum: Self.filesPerSlice) {
                for leaver in purged { evict(leaver, .purge) }
            } else {
                isSweeping = false
            }
        }
        if isSlicing, isSweeping || (index.isOverCapacity && !surplus.isEmpty) { return post(.slice) }
        isSlicing = false
        if index.isOverCapacity { refuseWaiting(.noRoom) } else { beginWaiting() }
        completeFlushes()
    }
}
