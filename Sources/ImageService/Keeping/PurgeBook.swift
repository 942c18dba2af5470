import EventLoops
import ObjectStore
import Settings

// SAFETY: everything that changes is under the lock.
/// All purges of the process: gives them numbers, keeps those by rule in the ban file, has their files looked for.
///
/// A purge of one URL finds its records by their names and is done when it is answered. One by rule cannot: the index
/// knows no URLs. So the rule is kept, judged wherever a record is found, and forgotten when a walk over all files has
/// come to its end.
///
/// | a purge by rule is | in force | survives a kill | left by |
/// | --- | --- | --- | --- |
/// | ordered | shard by shard | no | the last shard and the ban file |
/// | answered | yes | yes | the beginning of a walk |
/// | walked for | yes | yes | the end of the walk, if every file was dealt with; else it awaits another one |
final class PurgeBook: @unchecked Sendable {
    /// Purges by rule that are kept at most; each costs a comparison for every record that is read.
    static let limit = 1_000
    /// How long to wait before a walk is tried again, at first and at most.
    private static let retryDelays: ClosedRange<Duration> = .seconds(1)...(.seconds(600))

    /// How far numbers go ahead of the clock when those of earlier processes are not known: a day.
    private static let lostLead: Int64 = 86_400

    /// What an earlier process left to be done, and the number before the first of this one.
    let initial: KeptPurges
    private let disk: DiskTier?
    private let ports: ServicePorts
    private let log: Log
    private let open = OpenPurges()
    private let lock = Lock()
    private var lastNumber: UInt64
    private var bans: [Ban]
    private var unwritten: [PurgeOrder] = []
    private var isWriting = false
    private var needsWriting = false
    private var awaitsWalk: Set<UInt64> = []
    private var isWalking = false
    private var hasWalkFailed = false
    private var retryDelay = retryDelays.lowerBound
    private var awaitsRetry = false

    /// Reads what an earlier process left, and takes numbers of its own.
    ///
    /// Blocks.
    ///
    /// - Parameter wallSeconds: the present in Unix seconds.
    init(disk: DiskTier?, ports: ServicePorts, log: Log, wallSeconds: Int64 = WallClock.seconds()) {
        self.disk = disk
        self.ports = ports
        self.log = log
        initial = disk.map { Self.begin($0, log, wallSeconds) } ?? Self.first(wallSeconds)
        bans = initial.bans
        lastNumber = initial.lastNumber
        // Before a record bears one of the new numbers: the next process must know of them.
        if let disk, !disk.keepBans(BanCoding.encode(initial)) { needsWriting = true }
    }

    /// What is there when nothing was purged before.
    private static func first(_ wallSeconds: Int64) -> KeptPurges {
        KeptPurges(lastNumber: PurgeNumbers.base(after: 0, wallSeconds: wallSeconds), bans: [])
    }

    /// A file that cannot be understood may have named anything: then nothing on disk is trusted.
    private static func begin(_ disk: DiskTier, _ log: Log, _ wallSeconds: Int64) -> KeptPurges {
        switch disk.readBans() {
        case .absent: return first(wallSeconds)
        case .bans(let bytes):
            guard var kept = BanCoding.decode(bytes) else { break }
            kept.lastNumber = PurgeNumbers.base(after: kept.lastNumber, wallSeconds: wallSeconds)
            return kept
        case .damaged: break
        }
        log.log(.warning, "the record of purges is damaged: everything on disk is purged", [:])
        // Earlier processes may be ahead of the clock, by one second for each quick restart.
        let base = PurgeNumbers.base(after: 0, wallSeconds: wallSeconds + lostLead)
        return KeptPurges(lastNumber: base, bans: [Ban(number: base, target: .all, isSoft: false)])
    }

    /// Goes on with what an earlier process left, once the loops run.
    func start() {
        lock.withLock { awaitsWalk.formUnion(initial.bans.map(\.number)) }
        walkIfNeeded()
    }

    /// Tells those who still wait that the service ends, on the calling thread; the loops do not run any more.
    func end() {
        open.end()
    }

    // MARK: Orders

    /// Has something purged.
    ///
    /// Any thread.
    ///
    /// - Parameters:
    ///   - loop: the loop that calls back.
    ///   - completion: called once, when the purge is in force everywhere, or when the service has ended.
    func order(
        _ target: PurgeTarget, isSoft: Bool, loop: Int, completion: @escaping @Sendable (PurgeOutcome) -> Void
    ) {
        guard let finish = finish(on: loop, completion) else { return completion(.failure(.draining)) }
        if take(target, isSoft: isSoft, finish) {
            writeIfNeeded()
        } else {
            finish(.failure(.purgeNotKept(.tooMany)))
            walkIfNeeded()
        }
    }

    /// Tells on a loop that something cannot be purged.
    func refuse(_ failure: Failure, loop: Int, completion: @escaping @Sendable (PurgeOutcome) -> Void) {
        guard let finish = finish(on: loop, completion) else { return completion(.failure(.draining)) }
        finish(.failure(failure))
    }

    /// Sends an order out, in one go: all shards see purges in the order of their numbers.
    ///
    /// - Returns: false when there are too many.
    private func take(
        _ target: PurgeTarget, isSoft: Bool, _ finish: @escaping @Sendable (PurgeOutcome) -> Void
    ) -> Bool {
        let isKept = disk != nil && target.isRule
        return lock.withLock {
            let ban = Ban(number: lastNumber + 1, target: target, isSoft: isSoft)
            let others = isKept ? bans.filter { !ban.subsumes($0) } : bans
            guard !isKept || others.count < Self.limit else { return false }
            lastNumber = ban.number
            let homes = homes(of: target)
            let order = PurgeOrder(ban, parts: homes.count + (isKept ? 1 : 0)) { [self] purged, isWritten in
                ended(ban, purged: purged, isKept: isKept, isWritten: isWritten, finish)
            }
            if isKept {
                bans = others + [ban]
                unwritten.append(order)
                needsWriting = true
            }
            for home in homes { ports.shards[home].post(.purge(order)) }
            return true
        }
    }

    /// What tells the outcome on a loop; nil when the loops have ended.
    private func finish(
        on loop: Int, _ completion: @escaping @Sendable (PurgeOutcome) -> Void
    ) -> (@Sendable (PurgeOutcome) -> Void)? {
        guard let ticket = open.add(completion) else { return nil }
        return { [ports, open] outcome in
            ports.serving[loop].post(.purged(outcome) { open.take(ticket)?($0) })
        }
    }

    private func homes(of target: PurgeTarget) -> [Int] {
        guard case .url(let key) = target else { return Array(ports.shards.indices) }
        return [key.hash.shard(of: ports.shards.count)]
    }

    private func ended(
        _ ban: Ban, purged: Int, isKept: Bool, isWritten: Bool, _ finish: @Sendable (PurgeOutcome) -> Void
    ) {
        log.log(
            .info, ban.isSoft ? "marked stale" : "purged",
            ["by": ban.target.label, "objects": "\(purged)", "number": "\(ban.number)"])
        if isKept { lock.withLock { _ = awaitsWalk.insert(ban.number) } }
        let report = PurgeReport(purged: purged, job: isKept ? "\(ban.number)" : nil)
        finish(isWritten ? .success(report) : .failure(.purgeNotKept(.notWritten)))
        walkIfNeeded()
    }

    // MARK: The ban file

    /// Writes the list as it is now, unless that is being done; those who wait for it are told.
    private func writeIfNeeded() {
        guard let disk else { return }
        let work: (bytes: [UInt8], orders: [PurgeOrder])? = lock.withLock {
            guard needsWriting, !isWriting else { return nil }
            needsWriting = false
            isWriting = true
            defer { unwritten = [] }
            return (BanCoding.encode(KeptPurges(lastNumber: lastNumber, bans: bans)), unwritten)
        }
        guard let work else { return }
        disk.writeBans(work.bytes) { [self] isWritten in
            lock.withLock { isWriting = false }
            for order in work.orders { order.acknowledge(purged: 0, isKept: isWritten) }
            writeIfNeeded()
        }
    }

    // MARK: The walk

    /// Looks for the files of all purges that wait for it, unless a walk is under way.
    private func walkIfNeeded() {
        guard let disk else { return }
        let walk: PurgeWalk? = lock.withLock {
            let walked = bans.filter { awaitsWalk.contains($0.number) }
            guard !isWalking, !walked.isEmpty else { return nil }
            isWalking = true
            awaitsWalk = []
            return PurgeWalk(for: walked, lastNumber: lastNumber, removesUnreadable: hasWalkFailed)
        }
        guard let walk else { return }
        disk.walk(
            removesUnreadable: walk.removesUnreadable,
            visit: { [self] records, next in visit(records, walk, next) },
            completion: { [self] isComplete in walkEnded(walk, isComplete: isComplete && walk.isSafe) })
    }

    /// The time has come to try a walk again that was not complete.
    func retryWalk() {
        lock.withLock { awaitsRetry = false }
        walkIfNeeded()
    }

    private func visit(_ records: [WalkedRecord], _ walk: PurgeWalk, _ next: @escaping @Sendable () -> Void) {
        let keys = records.filter { walk.list.verdict($0.key.bytes, seen: $0.times.mark) != .keep }.map(\.key)
        guard !keys.isEmpty else { return next() }
        let batch = PurgeBatch(of: walk, count: keys.count, next: next)
        for (home, keys) in Dictionary(grouping: keys, by: { $0.hash.shard(of: ports.shards.count) }) {
            ports.shards[home].post(.judgeFiles(keys, batch))
        }
    }

    /// Forgets purges of which nothing is left; where a file could not be dealt with they stay for the next walk.
    private func walkEnded(_ walk: PurgeWalk, isComplete: Bool) {
        let numbers = Set(walk.bans.map(\.number))
        let next: AfterWalk = lock.withLock {
            isWalking = false
            hasWalkFailed = !isComplete
            if isComplete {
                retryDelay = Self.retryDelays.lowerBound
                bans.removeAll { numbers.contains($0.number) }
                needsWriting = true
                return .walk
            }
            // Those that came meanwhile have not had a walk yet: they do not wait.
            let hasNewer = !awaitsWalk.isEmpty
            awaitsWalk.formUnion(numbers)
            guard !hasNewer else { return .walk }
            guard !awaitsRetry else { return .nothing }
            awaitsRetry = true
            defer { retryDelay = min(retryDelay * 2, Self.retryDelays.upperBound) }
            return .walkLater(retryDelay)
        }
        if isComplete {
            for port in ports.shards { port.post(.forgetBans(numbers)) }
            writeIfNeeded()
        } else {
            log.log(.warning, "some files of what was purged are still there; the purge stays in force", [:])
        }
        switch next {
        case .walk: walkIfNeeded()
        case .walkLater(let delay): ports.shards[0].post(.walkLater(delay))
        case .nothing: break
        }
    }

    /// What follows a walk.
    private enum AfterWalk {
        /// The next walk, if a purge awaits one.
        case walk
        /// The same walk, after a while.
        case walkLater(Duration)
        /// A walk is due already.
        case nothing
    }
}
