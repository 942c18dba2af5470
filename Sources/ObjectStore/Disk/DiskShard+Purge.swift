import EventLoops

// What a purge asks of a shard: to hear when a file is really gone, and to know of records that have no file yet.

extension DiskShard {
    /// Removes a key as `remove` does, and calls back, later, on this loop, when no kill can bring its record back.
    ///
    /// - Parameter completion: hears whether there was a record, and whether it is gone.
    public func remove(_ key: CacheKey, whenGone completion: @escaping (_ wasThere: Bool, _ isGone: Bool) -> Void) {
        loop.assertCurrent()
        let isKnown = isKnown(key)
        _ = remove(key)
        whenSettled(key) { completion(isKnown || $0 == .removed, $0 != .failed) }
    }

    /// Gives a record times that must not be lost: where they cannot be written, it is removed.
    ///
    /// A record that is not there is left alone.
    public func mark(_ key: CacheKey, _ times: RecordTimes) {
        loop.assertCurrent()
        guard updateTimes(key, times) else {
            _ = remove(key)
            return
        }
        if works[key.hash] != nil { edit(key.hash) { $0.mustMark = true } }
    }

    /// Calls back, later, on this loop, when the work on a key that is wished now is done, or has failed.
    ///
    /// - Parameter completion: hears what became of the file.
    public func whenSettled(_ key: CacheKey, completion: @escaping (DiskSettlement) -> Void) {
        loop.assertCurrent()
        guard !isClosed else { return deliver { completion(.failed) } }
        guard works[key.hash] != nil else { return deliver { completion(.left) } }
        settleWaiters[key.hash, default: []].append(completion)
    }

    /// The record of a key that reads get while its file is not what they should get.
    public func staged(_ key: CacheKey) -> DiskRecord? {
        loop.assertCurrent()
        guard case .record(let record)? = works[key.hash]?.view, record.key == key else { return nil }
        return record
    }

    /// The keys whose records wait to be written or are being written: no walk over the files finds them.
    public var stagedKeys: [CacheKey] {
        loop.assertCurrent()
        return works.values.flatMap { work -> [CacheKey] in
            var keys: [CacheKey] = []
            if let record = work.wishedRecord { keys.append(record.key) }
            if case .write(let record) = work.running, keys.first != record.key { keys.append(record.key) }
            return keys
        }
    }

    /// Tells those who wait that the work on a name is done.
    func settle(_ hash: KeyHash, _ settlement: DiskSettlement) {
        guard let waiters = settleWaiters.removeValue(forKey: hash) else { return }
        for waiter in waiters { deliver { waiter(settlement) } }
    }

    /// Whether a record is known, without the doubt that `contains` has while the scan runs.
    private func isKnown(_ key: CacheKey) -> Bool {
        switch works[key.hash]?.view {
        case .record(let record)?: record.key == key
        case .absent?: false
        case .file?, nil: index.find(key.hash) != nil
        }
    }
}
