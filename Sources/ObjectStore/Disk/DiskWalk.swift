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
    ///   - visit: gets the next few records on a worker, and a call that goes on.
    ///   - completion: hears, on a worker, whether every file could be read.
    public func walk(
        visit: @escaping @Sendable ([WalkedRecord], @escaping @Sendable () -> Void) -> Void,
        completion: @escaping @Sendable (Bool) -> Void
    ) {
        DiskWalk(tier: self, visit: visit, completion: completion).schedule()
    }
}

/// A walk over the files, as far as it has come.
private struct DiskWalk: Sendable {
    /// Files looked at before the worker is free for others.
    private static let filesPerStep = 32
    /// Directories listed before the worker is free for others.
    private static let directoriesPerStep = 32

    let tier: DiskTier
    let visit: @Sendable ([WalkedRecord], @escaping @Sendable () -> Void) -> Void
    let completion: @Sendable (Bool) -> Void
    private var nextDirectory = 0
    private var names: [String] = []
    private var isComplete = true

    init(
        tier: DiskTier, visit: @escaping @Sendable ([WalkedRecord], @escaping @Sendable () -> Void) -> Void,
        completion: @escaping @Sendable (Bool) -> Void
    ) {
        self.tier = tier
        self.visit = visit
        self.completion = completion
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
        var filesLeft = Self.filesPerStep
        var directoriesLeft = Self.directoriesPerStep
        while filesLeft > 0, directoriesLeft > 0, hasMore {
            if let name = names.popLast() {
                filesLeft -= 1
                look(at: name, &found)
            } else {
                directoriesLeft -= 1
                listNext()
            }
        }
        let next = self
        let goOn: @Sendable () -> Void = { next.hasMore ? next.schedule() : next.completion(next.isComplete) }
        found.isEmpty ? goOn() : visit(found, goOn)
    }

    private var hasMore: Bool { !names.isEmpty || nextDirectory < RecordName.directories.count }

    private mutating func listNext() {
        let directory = RecordName.directories[nextDirectory]
        nextDirectory += 1
        do { names = try tier.files.fileSystem.list(tier.paths.records(directory)) } catch {
            if !error.isAbsent { isComplete = false }
        }
    }

    private mutating func look(at name: String, _ found: inout [WalkedRecord]) {
        guard let hash = RecordName.hash(ofFile: name) else { return }
        do throws(FileError) {
            if let record = try tier.files.identify(hash) { found.append(record) }
        } catch {
            if !error.isAbsent && !error.isForeign { isComplete = false }
        }
    }
}
