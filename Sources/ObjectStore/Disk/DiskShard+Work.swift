import EventLoops

// What a shard does with one name after the other: begin the next job, take in what became of the last.

extension DiskShard {
    // MARK: Beginning

    /// Begins the next job on a name, if none runs and there is one to do.
    func advance(_ hash: KeyHash) {
        guard let work = works[hash], work.isIdle else { return }
        // Before the change begins: what is read from the open file afterwards would be out of date.
        if work.wish != nil { openRecords.remove(hash) }
        switch work.wish {
        case .write(let record)?: beginWrite(hash, record)
        case .remove(let reason)?: beginRemoval(hash, reason)
        case .times(let key, let times)?: beginTimes(key, times)
        case nil: work.readers.isEmpty ? endWork(hash) : beginRead(work.readers[0].key)
        }
    }

    private func endWork(_ hash: KeyHash) {
        let hasFailed = works.removeValue(forKey: hash)?.hasFailed == true
        settle(hash, hasFailed ? .failed : .left)
        completeFlushes()
    }

    private func beginRead(_ key: CacheKey) {
        edit(key.hash) { $0.running = .read(key) }
        let open = openRecords.find(key)
        if !submit(.reads, always: false, { .read(key.hash, $0.read(key, by: open)) }) {
            edit(key.hash) { $0.running = .idle }
            answerReaders(of: key.hash, nil)
            advance(key.hash)
        }
    }

    private func beginRemoval(_ hash: KeyHash, _ reason: DiskCounters.EvictionReason?) {
        edit(hash) {
            $0.wish = nil
            $0.removalReason = reason
        }
        // The scan may have failed to read a file that is there: what is purged must not come back with the next one.
        if isIndexComplete, works[hash]?.diskBytes == 0, reason != .purge { return advance(hash) }
        if !isIndexComplete { removedWhileScanning.insert(hash) }
        submitRemoval(hash)
    }

    /// Removes the file of a name; what is wished stays wished.
    func submitRemoval(_ hash: KeyHash) {
        edit(hash) { $0.running = .remove }
        removals += 1
        if !submit(.writes, always: true, { .changed(hash, $0.remove(hash)) }) { post(.changed(hash, .closed)) }
    }

    private func beginTimes(_ key: CacheKey, _ times: RecordTimes) {
        var times = times
        if let entry = index.find(key.hash) { times.uses = max(times.uses, UInt32(clamping: entry.mark.uses)) }
        edit(key.hash) {
            $0.running = .times
            $0.wish = nil
        }
        let isQueued = submit(.writes, always: true) { [times] in .changed(key.hash, $0.rewriteTimes(key, times)) }
        if !isQueued { post(.changed(key.hash, .closed)) }
    }

    // MARK: Ending

    /// Takes in what a read found.
    func readEnded(_ hash: KeyHash, _ outcome: RecordFiles.ReadOutcome) {
        edit(hash) { $0.running = .idle }
        keepOpen(hash, outcome)
        switch outcome {
        case .found(let record, _):
            if works[hash]?.readers.isEmpty == false { index.use(hash) }
            answerReaders(of: hash, record)
        case .absent:
            answerReaders(of: hash, nil)
            forgetFile(hash)
        case .damaged:
            answerReaders(of: hash, nil)
            removeDamaged(hash)
        case .otherKey, .failed:
            answerReaders(of: hash, nil)
        }
        advance(hash)
    }

    /// Keeps the file of a good record open; where a change is wished, or nothing is known of it, it is about to go.
    private func keepOpen(_ hash: KeyHash, _ outcome: RecordFiles.ReadOutcome) {
        if case .found(_, let open) = outcome, !isClosed, works[hash]?.wish == nil, mayBeOnDisk(hash) {
            openRecords.insert(open)
        } else {
            openRecords.remove(hash)
        }
    }

    /// Takes in what became of a change.
    func changeEnded(_ hash: KeyHash, _ outcome: RecordFiles.ChangeOutcome) {
        guard let work = works[hash] else { return }
        edit(hash) { $0.running = .idle }
        switch work.running {
        case .write(let record): writeEnded(hash, record, work, outcome)
        case .remove: removalEnded(hash, work, outcome)
        case .times: timesEnded(hash, work, outcome)
        case .idle, .read: break
        }
        advance(hash)
    }

    private func removalEnded(_ hash: KeyHash, _ work: NameWork, _ outcome: RecordFiles.ChangeOutcome) {
        removals -= 1
        if isSlicing, removals == Self.removalLimit - 1 { post(.slice) }
        switch outcome {
        case .done, .absent, .damaged:
            if let reason = work.removalReason, work.diskBytes > 0 { tier.counters.count(reason) }
            fileIsGone(hash)
            if case .done = outcome { settle(hash, .removed) }
        case .failed(let error):
            edit(hash) { $0.hasFailed = true }
            tier.health.failed(error, at: loop.now)
            removalFailed(hash)
        case .closed:
            edit(hash) { $0.hasFailed = true }
            cancelWish(hash, .closed)
        }
    }

    /// The file stays, so its charge must stay too; and no one may wait for its room.
    private func removalFailed(_ hash: KeyHash) {
        isSlicing = false
        isSweeping = false
        cancelWish(hash, .refused(.noRoom))
        let bytes = works[hash]?.diskBytes ?? 0
        if bytes > 0, index.findCharged(hash) == nil { index.addDoomed(hash, bytes: bytes) }
        refuseWaiting(.noRoom)
    }

    private func timesEnded(_ hash: KeyHash, _ work: NameWork, _ outcome: RecordFiles.ChangeOutcome) {
        switch outcome {
        case .done: break
        case .closed: edit(hash) { $0.hasFailed = $0.mustMark }
        case .absent: forgetFile(hash)
        case .damaged: removeDamaged(hash)
        case .failed(let error):
            tier.health.failed(error, at: loop.now)
            guard work.mustMark, works[hash]?.wishedRecord == nil else { return }
            answerReaders(of: hash, nil)
            discard(hash, reason: .purge)
        }
    }

    // MARK: Pieces

    /// Answers all who wait for a file: with the record if it has their key.
    func answerReaders(of hash: KeyHash, _ record: DiskRecord?) {
        guard let readers = works[hash]?.readers, !readers.isEmpty else { return }
        edit(hash) { $0.readers = [] }
        for reader in readers { answer(reader.completion, record?.key == reader.key ? record : nil) }
    }

    /// Gives up the wish of a name, if it is a write: its writer hears why.
    func cancelWish(_ hash: KeyHash, _ outcome: DiskWriteOutcome) {
        guard let work = works[hash], let record = work.wishedRecord else { return }
        if work.isAdmitted { _ = index.remove(hash) }
        tier.budget.unstage(record.stagedBytes)
        edit(hash) {
            $0.wish = nil
            $0.isAdmitted = false
            $0.wishedWriter = nil
        }
        if let writer = work.wishedWriter { deliver { writer(outcome) } }
    }

    /// Takes a name out of the index and its file off the disk, after whatever runs; a wished write is given up.
    func discard(_ hash: KeyHash, reason: DiskCounters.EvictionReason?) {
        cancelWish(hash, reason == .purge ? .removed : .superseded)
        let isStaged = works[hash] != nil
        let entry = index.findCharged(hash)
        guard isStaged || entry != nil || !isIndexComplete || reason == .purge else { return }
        edit(hash) { $0.wish = .remove(reason) }  // Before the entry goes: the charge comes from it.
        _ = index.remove(hash)
        advance(hash)
    }

    /// A damaged file: counted and removed, unless something newer is to take its place anyway.
    private func removeDamaged(_ hash: KeyHash) {
        tier.counters.countCorrupt()
        guard works[hash]?.wishedRecord == nil else { return }
        _ = index.remove(hash)
        edit(hash) { $0.wish = .remove(nil) }
    }

    /// A file that somebody else removed.
    private func forgetFile(_ hash: KeyHash) {
        if works[hash]?.isAdmitted == false { _ = index.remove(hash) }
        fileIsGone(hash)
    }

    /// Gives back what a file was charged with.
    func fileIsGone(_ hash: KeyHash) {
        guard let bytes = works[hash]?.diskBytes, bytes > 0 else { return }
        edit(hash) { $0.diskBytes = 0 }
        tier.counters.files(-1, bytes: -bytes)
        tier.budget.release(bytes)
    }
}
