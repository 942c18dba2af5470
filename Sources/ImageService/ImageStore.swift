import EventLoops
import HTTPMessages
import ObjectStore
import Origin
import Settings
import Synchronization

/// Why the service could not start.
public enum StartError: Error {
    /// A loop or a listener cannot be had.
    case loop(LoopError)
    /// The cache directory cannot be had.
    case store(StoreError)
    /// libcurl or c-ares cannot be made ready.
    case origin(OriginSetupError)
}

/// The store itself: loops, tiers, downloads.
///
/// The HTTP layer (`Server`) stands on it, and a Swift program may embed it.
///
/// All calls are safe from every thread. Completions are called on one of the store's loops: hand long work over. It
/// touches neither signals nor the locale; set `LC_CTYPE` to a UTF-8 locale if image hosts may have names beyond ASCII.
///
/// | state | what may be done | left by |
/// | --- | --- | --- |
/// | made | listeners are attached; `load` is refused | `start`, `stop` |
/// | running | everything | `stop` |
/// | stopped | `load` is refused | nothing |
public final class ImageStore: Sendable {
    /// All loops; the first one also owns the download queue.
    let loops: [EventLoop]
    /// What the loops share.
    let core: ServiceCore
    private let rooms: [LoopBound<LoopRoom>]
    private let reloads: ReloadState
    private let life = Atomic<Int>(Life.made.rawValue)

    private enum Life: Int {
        case made, running, stopped
    }

    /// How long `stop` waits for what is to be written to disk: a disk that hangs must not keep the process.
    private static let flushLimit: Duration = .seconds(30)

    /// Makes a store that does not run yet.
    ///
    /// - Parameters:
    ///   - configuration: what to keep and fetch.
    ///   - listeners: where this process listens, which no image URL may lead to.
    ///   - log: where state changes are told.
    ///   - resolverServers: name servers instead of the system's, `address:port`.
    /// - Throws: `StartError` when a loop, the cache directory or the origin libraries cannot be had.
    public init(
        _ configuration: Configuration, listeners: [SocketAddress] = [], log: Log, resolverServers: [String]? = nil
    ) throws {
        let snapshot = Snapshot(configuration, epoch: 1, listeners: listeners, resolverServers: resolverServers)
        let count = configuration.loops > 0 ? configuration.loops : EventLoop.coreCount
        do {
            loops = try (0..<count).map { index throws(LoopError) in try EventLoop(index: index) }
        } catch { throw StartError.loop(error) }
        let rooms = loops.map { LoopBound(LoopRoom(), loop: $0) }
        self.rooms = rooms
        let tier: DiskTier?
        do { tier = try Self.openDisk(configuration, log: log) } catch { throw StartError.store(error) }
        core = ServiceCore(
            snapshot: snapshot, loopCount: count, memory: MemoryStore(capacityBytes: configuration.cacheLimit),
            disk: tier, ports: Self.connect(rooms), log: log)
        reloads = ReloadState(snapshot, listeners: listeners, resolverServers: resolverServers)
        do { try furnish() } catch {
            clearRooms()
            throw StartError.origin(error)
        }
    }

    /// Starts the loops.
    ///
    /// - Throws: `StartError.loop` when a thread cannot be made; the store is stopped then.
    public func start() throws {
        for (index, loop) in loops.enumerated() {
            do { try loop.start(name: "loop-\(index)") } catch {
                abandon(running: loops[..<index])
                throw StartError.loop(error)
            }
        }
        life.store(Life.running.rawValue, ordering: .sequentiallyConsistent)
        core.purges.start()
    }

    /// Ends a store whose start failed half-way.
    private func abandon(running: ArraySlice<EventLoop>) {
        life.store(Life.stopped.rawValue, ordering: .sequentiallyConsistent)
        for loop in running { loop.stop() }
        for loop in running { loop.join() }
        clearRooms()
        core.disk?.close()
        core.purges.end()
    }

    private func clearRooms() {
        for room in rooms { room.value.clear() }
    }

    // MARK: The verbs

    /// Loads an image: from memory, else from disk, else by the one download of its URL.
    ///
    /// A suspended download of it goes on.
    ///
    /// - Parameter completion: called once, on one of the store's loops; at once, with `draining`, by a store that does
    ///   not run.
    public func load(
        _ url: String, priority: Priority = .high,
        completion: @escaping @Sendable (Result<LoadedImage, Failure>) -> Void
    ) {
        let refuse = { [core] failure in core.ports.serving[0].post(.refusedEmbedded(failure, completion)) }
        guard isRunning else { return completion(.failure(.draining)) }
        guard let (target, key) = parse(url, orElse: refuse) else { return }
        let request = EmbeddedRequest(url: target, key: key, priority: priority, completion: completion)
        core.ports.serving[key.hash.shard(of: core.loopCount)].post(.embedded(request))
    }

    /// Cancels the download of a URL; everyone who waits for it gets `cancelled`.
    public func cancel(_ url: String) {
        guard let (_, key) = parse(url, orElse: { _ in }) else { return }
        core.home(of: key).post(.cancel(key))
    }

    /// Pauses the download of a URL, if one runs; a load of it goes on with it.
    public func suspendIfResuming(_ url: String) {
        guard let (_, key) = parse(url, orElse: { _ in }) else { return }
        core.home(of: key).post(.suspend(key))
    }

    /// Puts another configuration in force, for work that begins from now on.
    ///
    /// Listeners, loops and the cache directory stay as they are.
    public func reset(_ configuration: Configuration) {
        var hasMore = core.memory.setBudget(configuration.cacheLimit)
        while hasMore { hasMore = core.memory.shrink() }
        core.disk?.setLimit(configuration.diskCacheLimit)
        core.log.setLevel(configuration.log.level)
        // In one go: all loops see reloads in the same order.
        reloads.replace(configuration) { snapshot in
            core.ports.downloads.post(.configure(snapshot))
            for port in core.ports.shards { port.post(.configure(snapshot)) }
            for port in core.ports.serving { port.post(.configure(snapshot)) }
        }
    }

    /// Ends everything: running downloads, then what waits to be written, then the loops.
    ///
    /// Blocks; never call it on a loop. Again, or before `start`, is harmless.
    public func stop() {
        let before = Life(rawValue: life.exchange(Life.stopped.rawValue, ordering: .sequentiallyConsistent))
        guard before == .running else {
            if before == .made { abandon(running: []) }
            return
        }
        let shards = Gate(count: core.loopCount)
        for port in core.ports.shards { port.post(.shutDown(shards)) }
        if !shards.wait(atMost: Self.flushLimit) {
            core.log.log(.warning, "the disk does not take what is to be written; it is lost", [:])
        }
        let closed = Gate(count: core.loopCount)
        for port in core.ports.serving { port.post(.closeAll(closed)) }
        closed.wait()
        for loop in loops { loop.stop() }
        for loop in loops { loop.join() }
        clearRooms()
        core.disk?.close()
        core.purges.end()
    }

    // MARK: Parts

    /// Whether everything may be asked of it.
    var isRunning: Bool { life.load(ordering: .sequentiallyConsistent) == Life.running.rawValue }

    /// The longest URL that the configuration in force takes.
    var maxURLLength: Int { reloads.current.configuration.maxURLLength }

    /// The serving side of a loop, before the loops run.
    func serving(_ index: Int) -> ServingLoop? { rooms[index].value.serving }

    private func parse(_ url: String, orElse fail: (Failure) -> Void) -> (TargetURL, CacheKey)? {
        let limit = maxURLLength
        do throws(TargetURLError) {
            let target = try TargetURL.parse(decoded: Array(url.utf8).span, maxLength: limit)
            return (target, CacheKey(target.bytes, seed: core.hashSeed))
        } catch {
            fail(error == .tooLong ? .urlTooLong(limit: limit) : .badURL(error))
            return nil
        }
    }

    private static func openDisk(_ configuration: Configuration, log: Log) throws(StoreError) -> DiskTier? {
        guard configuration.diskCacheLimit > 0 else { return nil }
        let settings = DiskTierSettings(
            path: configuration.diskCachePath, limitBytes: configuration.diskCacheLimit,
            openFiles: OpenFiles.ofDiskTier(configuration),
            admitsSecondRequestOnly: configuration.diskAdmission == .secondRequest,
            onWarning: { log.log(.warning, "the disk tier changed", ["warning": "\($0)"]) })
        return try DiskTier(settings: settings)
    }

    /// Makes the mailboxes; what they lead to moves into the rooms right after.
    private static func connect(_ rooms: [LoopBound<LoopRoom>]) -> ServicePorts {
        let first = rooms[0]
        return ServicePorts(
            serving: rooms.map { room in Mailbox(loop: room.loop) { room.value.serving?.receive($0) } },
            shards: rooms.map { room in Mailbox(loop: room.loop) { room.value.shard?.receive($0) } },
            downloads: Mailbox(loop: first.loop) { first.value.downloads?.receive($0) })
    }

    private func furnish() throws(OriginSetupError) {
        let downloads = Downloads(loop: loops[0], snapshot: core.initialSnapshot, gauges: core.downloadGauges)
        downloads.connect(shards: core.ports.shards, own: core.ports.downloads)
        rooms[0].value.downloads = downloads
        for (index, bound) in rooms.enumerated() {
            let (loop, counters, room) = (loops[index], core.counters[index], bound.value)
            let shard = try Shard(index: index, loop: loop, core: core, counters: counters)
            room.shard = shard
            room.serving = ServingLoop(index: index, loop: loop, core: core, shard: shard, counters: counters)
        }
    }
}

/// What lives on one loop.
private final class LoopRoom {
    var serving: ServingLoop?
    var shard: Shard?
    var downloads: Downloads?

    func clear() {
        downloads?.close()
        serving?.closeListeners()
        shard?.disk?.abandon()
        serving = nil
        shard = nil
        downloads = nil
    }
}

/// The snapshot in force, and what the next ones are made of.
private final class ReloadState: @unchecked Sendable {
    // SAFETY: `snapshot` is under `lock`, the rest never changes.
    private let lock = Lock()
    private var snapshot: Snapshot
    private let listeners: [SocketAddress]
    private let resolverServers: [String]?

    init(_ snapshot: Snapshot, listeners: [SocketAddress], resolverServers: [String]?) {
        self.snapshot = snapshot
        self.listeners = listeners
        self.resolverServers = resolverServers
    }

    var current: Snapshot { lock.withLock { snapshot } }

    /// Makes the next snapshot and has it told while no other can be.
    func replace(_ configuration: Configuration, tell: (Snapshot) -> Void) {
        lock.withLock {
            snapshot = Snapshot(
                configuration, epoch: snapshot.epoch + 1, listeners: listeners, resolverServers: resolverServers)
            tell(snapshot)
        }
    }
}
