import EventLoops

// How a record gets its place: admission by the policy, room in the budget, the write, its landing.

extension DiskShard {
    /// Why a record is turned away at once; nil if it may be staged, whose memory is then taken.
    func refusal(of record: DiskRecord) -> DiskWriteOutcome? {
        guard !isClosed else { return .closed }
        guard record.allocationBytes <= index.capacityBytes, record.key.bytes.count <= RecordLayout.maxKeyBytes,
            !record.key.bytes.isEmpty, record.head.count <= RecordLayout.maxHeadBytes
        else { return .refused(.tooLarge) }
        guard !tier.health.refuses(loop.now) else { return .refused(.degraded) }
        guard tier.budget.stage(record.stagedBytes) else { return .refused(.busy) }
        return nil
    }

    /// Begins the write that is wished, unless it must wait: for the scan, for a surplus to leave, for room.
    func beginWrite(_ hash: KeyHash, _ record: DiskRecord) {
        guard isIndexComplete else { return }
        if works[hash]?.isAdmitted == false {
            if index.isOverCapacity { return startSlices() }
            guard tier.health.mayBegin(loop.now) else { return turnAway(hash, .degraded) }
            guard admit(hash, record) else { return turnAway(hash, .unworthy) }
        }
        guard tier.budget.reserve(record.allocationBytes) || reserveAfterAsking(record.allocationBytes) else {
            // The file that is being replaced may itself be in the way.
            if let bytes = works[hash]?.diskBytes, bytes > 0 { submitRemoval(hash) } else { roomQueue.append(hash) }
            return
        }
        submitWrite(hash, record)
    }

    /// Asks the policy for a place in the index; what must leave for it is taken off the disk.
    private func admit(_ hash: KeyHash, _ record: DiskRecord) -> Bool {
        // `edit` before the old entry goes: the charge of the old file comes from it.
        edit(hash) { _ in }
        let old = index.remove(hash)
        let told = record.times.uses > 1 ? UInt64(record.times.uses) : nil
        let earlier = old.flatMap { $0.isDoomed ? nil : max($0.mark.uses, told ?? 1) } ?? told
        var leavers: [DiskIndex.Leaver] = []
        let isAdmitted = index.admit(
            hash, bytes: record.allocationBytes, earlierUses: earlier, leavers: &leavers)
        edit(hash) { $0.isAdmitted = isAdmitted }
        for leaver in leavers { evict(leaver, .room) }
        return isAdmitted
    }

    /// Takes the file of an entry off the disk that has left the index already.
    func evict(_ leaver: DiskIndex.Leaver, _ reason: DiskCounters.EvictionReason) {
        let hash = leaver.hash
        if works[hash] == nil { works[hash] = NameWork(diskBytes: leaver.bytes) }
        if works[hash]?.isAdmitted == true {
            cancelWish(hash, .refused(.unworthy))
        } else if works[hash]?.wishedRecord != nil {
            return  // It is about to be replaced, and the write asks for a place of its own.
        }
        edit(hash) { $0.wish = .remove(reason) }
        advance(hash)
    }

    /// Asks to be told of room, then tries again: room made before the asking would not be told.
    private func reserveAfterAsking(_ bytes: Int) -> Bool {
        if !awaitsRoom {
            awaitsRoom = true
            tier.budget.whenReleased(roomMessage())
        }
        return tier.budget.reserve(bytes)
    }

    private func submitWrite(_ hash: KeyHash, _ record: DiskRecord) {
        var record = record
        if let entry = index.find(hash) { record.times.uses = UInt32(clamping: entry.mark.uses) }
        let now = loop.now
        edit(hash) {
            $0.running = .write(record)
            $0.wish = nil
            $0.isAdmitted = false
            $0.runningWriter = $0.wishedWriter
            $0.wishedWriter = nil
            $0.promisedBytes = record.allocationBytes
            $0.begun = now
        }
        let isQueued = submit(.writes, always: true) { [record] in .changed(hash, $0.write(record)) }
        if !isQueued { post(.changed(hash, .closed)) }
    }

    /// Takes in what became of a write.
    ///
    /// `work` is the state in which it ran.
    func writeEnded(_ hash: KeyHash, _ record: DiskRecord, _ work: NameWork, _ outcome: RecordFiles.ChangeOutcome) {
        edit(hash) {
            $0.runningWriter = nil
            $0.promisedBytes = 0
        }
        tier.budget.unstage(record.stagedBytes)
        let result: DiskWriteOutcome
        switch outcome {
        case .done(let bytes):
            landed(hash, work, bytes)
            result = .stored
        case .failed(let error):
            tier.health.failed(error, at: loop.now)
            lost(hash, work)
            result = .failed(error)
        case .absent, .damaged:
            lost(hash, work)
            result = .refused(.tooLarge)
        case .closed:
            lost(hash, work)
            result = .closed
        }
        if let writer = work.runningWriter { deliver { writer(result) } }
    }

    private func landed(_ hash: KeyHash, _ work: NameWork, _ bytes: Int) {
        edit(hash) {
            $0.diskBytes = bytes
            $0.hasFailed = false
        }
        tier.health.succeeded(begunAt: work.begun)
        tier.counters.countStored()
        tier.counters.files(work.diskBytes == 0 ? 1 : 0, bytes: bytes - work.diskBytes)
        if bytes != work.promisedBytes {
            index.recharge(hash, bytes: bytes)
            if index.isOverCapacity { startSlices() }
        }
        tier.budget.release(work.promisedBytes + work.diskBytes - bytes)
    }

    /// The new record is not there, and the old one, if its file still is, must not come back.
    private func lost(_ hash: KeyHash, _ work: NameWork) {
        tier.budget.release(work.promisedBytes)
        guard works[hash]?.wishedRecord == nil else { return }
        _ = index.remove(hash)
        let mustRemove = work.diskBytes > 0
        edit(hash) { $0.wish = mustRemove ? .remove(nil) : nil }
    }

    /// Refuses a write that has not begun, and takes the file that it was to replace off the disk.
    private func turnAway(_ hash: KeyHash, _ refusal: DiskRefusal) {
        cancelWish(hash, .refused(refusal))
        discard(hash, reason: nil)
    }

    // MARK: Waiting

    /// There is room: those who wait for it try again, in order.
    func roomMade() {
        awaitsRoom = false
        let waiting = roomQueue
        roomQueue = []
        for hash in waiting { advance(hash) }
    }

    /// Begins every write that waited for the index.
    func beginWaiting() {
        for (hash, work) in works where work.isIdle && work.wishedRecord != nil { advance(hash) }
    }

    /// Refuses every write that has not begun.
    func refuseWaiting(_ refusal: DiskRefusal) {
        roomQueue = []
        for (hash, work) in works where work.wishedRecord != nil {
            cancelWish(hash, .refused(refusal))
            if work.isIdle { discard(hash, reason: nil) }
        }
    }
}
