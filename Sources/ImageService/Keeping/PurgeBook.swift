import EventLoops
import ObjectStore
import Settings

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
/// | walked for | yes | yes | the end of the walk, if every file could be read |
final class PurgeBook: @unchecked Sendable {
    /// Purges by rule that are kept at most; each costs a comparison for every record that is read.
    static let limit = 1_000

    /// What an earlier process left to be done.
    let initialBans: [Ban]
    private let disk: DiskTier?
    private let ports: ServicePorts
    private let log: Log
    // SAFETY: everything below is under the lock.
    private let lock = Lock()
    private var lastNumber: UInt64
    private var bans: [Ban]
    private var unwritten: [PurgeOrder] = []
    private var isWriting = false
    private var needsWriting = false
    private var awaitsWalk: [Ban] = []
    private var isWalking = false

    /// Reads what an earlier process left.
    ///
    /// Blocks.
    init(disk: DiskTier?, ports: ServicePorts, log: Log) {
        self.disk = disk
        self.ports = ports
        self.log = log
        initialBans = disk.map { Self.read($0, log) } ?? []
        bans = initialBans
        lastNumber = initialBans.map(\.number).max() ?? 0
    }

    /// A file that cannot be understood may have named anything: then nothing on disk is trusted.
    private static func read(_ disk: DiskTier, _ log: Log) -> [Ban] {
        if case .absent = disk.readBans() { return [] }
        if case .bans(let bytes) = disk.readBans(), let bans = BanCoding.decode(bytes) { return bans }
        log.log(.warning, "the record of purges is damaged: everything on disk is purged", [:])
        return [Ban(number: now, target: .all, isSoft: false)]
    }

    /// Goes on with what an earlier process left, once the loops run.
    func start() {
        lock.withLock { awaitsWalk += initialBans }
        walkIfNeeded()
    }

    /// Has something purged.
    ///
    /// Any thread.
    ///
    /// - Parameters:
    ///   - loop: the loop that calls back.
    ///   - completion: called once, when the purge is in force everywhere.
    func order(
        _ target: PurgeTarget, isSoft: Bool, loop: Int, completion: @escaping @Sendable (PurgeOutcome) -> Void
    ) {
        let isKept = disk != nil && target.isRule
        let finish: @Sendable (PurgeOutcome) -> Void = { [ports] in ports.serving[loop].post(.purged($0, completion)) }
        // In one go: all shards see purges in the order of their numbers.
        let isTaken = lock.withLock {
            guard !isKept || bans.count < Self.limit else { return false }
            lastNumber = max(lastNumber + 1, Self.now)
            let ban = Ban(number: lastNumber, target: target, isSoft: isSoft)
            let homes = homes(of: target)
            let order = PurgeOrder(ban, parts: homes.count + (isKept ? 1 : 0)) { [self] purged, isWritten in
                ended(ban, purged: purged, isKept: isKept, isWritten: isWritten, finish)
            }
            if isKept {
                bans.append(ban)
                unwritten.append(order)
                needsWriting = true
            }
            for home in homes { ports.shards[home].post(.purge(order)) }
            return true
        }
        guard isTaken else {
            return finish(.failure(.purgeNotKept("Too many purges by host or prefix are under way; try again later.")))
        }
        writeIfNeeded()
    }

    private func homes(of target: PurgeTarget) -> [Int] {
        guard case .url(let key) = target else { return Array(ports.shards.indices) }
        return [key.hash.shard(of: ports.shards.count)]
    }

    /// Numbers follow the clock, so that they grow over a restart, too, though not every one is written down.
    private static var now: UInt64 { UInt64(max(0, WallClock.milliseconds())) * 1_000 }

    private func ended(
        _ ban: Ban, purged: Int, isKept: Bool, isWritten: Bool, _ finish: @Sendable (PurgeOutcome) -> Void
    ) {
        log.log(
            .info, ban.isSoft ? "marked stale" : "purged",
            ["by": ban.target.label, "objects": "\(purged)", "number": "\(ban.number)"])
        if isWritten {
            finish(.success(PurgeReport(purged: purged, job: isKept ? "\(ban.number)" : nil)))
        } else {
            finish(
                .failure(
                    .purgeNotKept("The purge is in force, but the disk does not keep it over a restart; try again.")))
        }
        guard isKept else { return }
        lock.withLock { awaitsWalk.append(ban) }
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
            return (BanCoding.encode(bans), unwritten)
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
        let walked: [Ban] = lock.withLock {
            guard !isWalking, !awaitsWalk.isEmpty else { return [] }
            isWalking = true
            defer { awaitsWalk = [] }
            return awaitsWalk
        }
        guard !walked.isEmpty else { return }
        let list = BanList(walked)
        let errors = disk.counters.errors
        disk.walk(
            visit: { [self] records, next in visit(records, list, next) },
            completion: { [self] isComplete in
                // Whatever failed meanwhile may have been one of the files.
                let isSure = isComplete && !disk.isDegraded && disk.counters.errors == errors
                walkEnded(walked, isComplete: isSure)
            })
    }

    private func visit(_ records: [WalkedRecord], _ list: BanList, _ next: @escaping @Sendable () -> Void) {
        let keys = records.filter { list.verdict($0.key.bytes, seen: $0.times.mark) != .keep }.map(\.key)
        guard !keys.isEmpty else { return next() }
        let batch = PurgeBatch(count: keys.count, next: next)
        for (home, keys) in Dictionary(grouping: keys, by: { $0.hash.shard(of: ports.shards.count) }) {
            ports.shards[home].post(.judgeFiles(keys, batch))
        }
    }

    /// Forgets purges of which nothing is left; where a file could not be read they stay for the next walk.
    private func walkEnded(_ walked: [Ban], isComplete: Bool) {
        let numbers = Set(walked.map(\.number))
        lock.withLock {
            isWalking = false
            guard isComplete else { return awaitsWalk += walked }
            bans.removeAll { numbers.contains($0.number) }
            needsWriting = true
        }
        guard isComplete else { return }
        for port in ports.shards { port.post(.forgetBans(numbers)) }
        writeIfNeeded()
        walkIfNeeded()
    }
}
