import EventLoops
import ObjectStore
import Synchronization

/// What all loops share: immutable after start but for what locks itself.
final class ServiceCore: Sendable {
    /// The configuration that the process began with; later ones come by message.
    let initialSnapshot: Snapshot
    /// Loops, and so shards.
    let loopCount: Int
    /// The memory tier, which locks itself.
    let memory: MemoryStore
    /// The disk tier; nil where it is switched off.
    let disk: DiskTier?
    /// The seed of key hashes; the disk tier's where there is one, so that names survive a restart.
    let hashSeed: UInt64
    /// Where messages go.
    let ports: ServicePorts
    /// The purges of the process.
    let purges: PurgeBook
    /// The log of the process.
    let log: Log
    /// The download queue's figures.
    let downloadGauges = DownloadGauges()
    /// What each loop counts, by its index.
    let counters: [LoopCounters]
    /// Client connections of the data listener on all loops.
    let clients = Atomic<Int>(0)
    /// Whether the end has begun, for `/readyz`.
    let isDraining = Atomic<Bool>(false)

    /// Gathers what the loops will share, before any of them runs.
    init(
        snapshot: Snapshot, loopCount: Int, memory: MemoryStore, disk: DiskTier?, ports: ServicePorts, log: Log
    ) {
        initialSnapshot = snapshot
        self.loopCount = loopCount
        self.memory = memory
        self.disk = disk
        hashSeed = disk?.hashSeed ?? UInt64.random(in: .min ... .max)
        self.ports = ports
        self.log = log
        purges = PurgeBook(disk: disk, ports: ports, log: log)
        counters = (0..<loopCount).map { _ in LoopCounters() }
    }

    /// The loop that owns a key.
    func home(of key: CacheKey) -> Mailbox<ShardMessage> {
        ports.shards[key.hash.shard(of: loopCount)]
    }
}

/// Where messages go: one mailbox a loop for each kind.
struct ServicePorts: Sendable {
    /// To the connections of each loop, by its index.
    let serving: [Mailbox<ServingMessage>]
    /// To the keys of each loop, by its index.
    let shards: [Mailbox<ShardMessage>]
    /// To the download queue.
    let downloads: Mailbox<DownloadsMessage>
}
