/// What a record file says of itself.
public struct WalkedRecord: Sendable {
    /// The full key.
    public let key: CacheKey
    /// The times as they stood when the walk came by.
    public let times: RecordTimes
}

extension DiskTier {
    /// Goes through all record files in the background, a few at a time, reading no body.
    ///
    /// A file that is there from the beginning to the end is seen; one that comes or goes meanwhile may be. A tier that
    /// is closed ends the walk without a word.
    ///
    /// - Parameters:
    ///   - removesUnreadable: whether a file that does not say what it is leaves: it is no answer either.
    ///   - visit: gets the next few records on a worker, and a call that goes on.
    ///   - completion: hears, on a worker, whether there is no file left that was not looked at.
    public func walk(
        removesUnreadable: Bool = false,
        visit: @escaping @Sendable ([WalkedRecord], @escaping @Sendable () -> Void) -> Void,
        completion: @escaping @Sendable (Bool) -> Void
    ) {
        DiskWalk(tier: self, removesUnreadable: removesUnreadable, visit: visit, completion: completion).schedule()
    }
}

/// A walk over the files, as far as it has come.
private struct DiskWalk: Sendable {
    /// Files looked at before the worker is free for others.
    private static let filesPerStep = 32

    let tier: DiskTier
    let removesUnreadable: Bool
    let visit: @Sendable ([WalkedRecord], @escaping @Sendable () -> Void) -> Void
    let completion: @Sendable (Bool) -> Void
    private var cursor: DirectoryCursor
    private var isComplete = true

    init(
        tier: DiskTier, removesUnreadable: Bool,
        visit: @escaping @Sendable ([WalkedRecord], @escaping @Sendable () -> Void) -> Void,
        completion: @escaping @Sendable (Bool) -> Void
    ) {
        self.tier = tier
        self.removesUnreadable = removesUnreadable
        self.visit = visit
        self.completion = completion
        cursor = DirectoryCursor(files: tier.files)
    }

    /// Begins, or goes on.
    func schedule() {
        _ = tier.workers.submit(.background, always: true) { [self] in
            var walk = self
            walk.step()
        }
    }

    private mutating func step() {
        var found: [WalkedRecord] = []
        var isSeen = true
        var cursor = cursor
        cursor.step(files: Self.filesPerStep) { hash in
            if !look(at: hash, &found) { isSeen = false }
        } failed: {
            tier.counters.count($0)
            isSeen = false
        }
        self.cursor = cursor
        isComplete = isComplete && isSeen
        let next = self
        let goOn: @Sendable () -> Void = {
            next.cursor.hasMore ? next.schedule() : next.completion(next.isComplete)
        }
        found.isEmpty ? goOn() : visit(found, goOn)
    }

    /// Reads what a file says of itself.
    ///
    /// - Returns: false for a file that is there and does not say.
    private func look(at hash: KeyHash, _ found: inout [WalkedRecord]) -> Bool {
        do throws(FileError) {
            if let record = try tier.files.identify(hash) { found.append(record) }
            return true
        } catch {
            if error.isAbsent || error.isForeign { return true }
            tier.counters.count(error)
            return removesUnreadable && removed(hash)
        }
    }

    /// The shard finds out by its next read, or when the record has to leave.
    private func removed(_ hash: KeyHash) -> Bool {
        switch tier.files.remove(hash) {
        case .done, .absent: true
        case .damaged, .failed, .closed: false
        }
    }
}
