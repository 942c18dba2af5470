import EventLoops
import HTTPMessages
import ObjectStore
import Settings
import Synchronization

/// What the admin listener knows beyond the data listener.
extension Exchange {
    /// Answers a path of the admin listener: readiness, metrics, figures, purges.
    func admin(_ path: Span<UInt8>, query: Span<UInt8>, host: Span<UInt8>) {
        if path.isWord("/images") { return images(query, host: host) }
        if path.isWord("/readyz") { return plain { ready() } }
        if path.isWord("/metrics") {
            return plain {
                let report = MetricsReport(counters: serving.core.counters, gauges: Gauges(serving.core, snapshot))
                respond(body: report.text(), type: MetricsReport.contentType, cacheControl: "no-store")
            }
        }
        if path.isWord("/stats") {
            return plain {
                let report = MetricsReport(counters: serving.core.counters, gauges: Gauges(serving.core, snapshot))
                respond(body: report.json(), type: "application/json", cacheControl: "no-store")
            }
        }
        fail(.notFound)
    }

    /// Ready while new clients would be served.
    private func ready() {
        let core = serving.core
        if core.isDraining.load(ordering: .relaxed) { return fail(.draining) }
        if core.clients.load(ordering: .relaxed) >= snapshot.configuration.maxConnections {
            return fail(.tooManyConnections)
        }
        respond(text: "ok\n", cacheControl: "no-cache")
    }
}

extension Gauges {
    /// Reads what is not counted by the loops.
    init(_ core: ServiceCore, _ snapshot: Snapshot) {
        self.init()
        let memory = core.memory.statistics
        cacheBytes.memory = memory.usedBytes
        cacheLimit.memory = memory.capacityBytes
        cacheObjects.memory = memory.objects
        evictions = [
            Eviction(tier: "memory", reason: "room", count: UInt64(memory.evictedForRoom)),
            Eviction(tier: "memory", reason: "budget", count: UInt64(memory.evictedByBudget)),
        ]
        readDisk(core, snapshot)
        downloadsQueued = core.downloadGauges.queued.load(ordering: .relaxed)
        downloadsActive = core.downloadGauges.active.load(ordering: .relaxed)
        inFlightBytes = core.downloadGauges.inFlightBytes.load(ordering: .relaxed)
        logDropped = core.log.dropped
        version = Version.current
    }

    private mutating func readDisk(_ core: ServiceCore, _ snapshot: Snapshot) {
        guard let disk = core.disk else { return }
        cacheBytes.disk = disk.counters.bytes
        cacheLimit.disk = snapshot.configuration.diskCacheLimit
        cacheObjects.disk = disk.counters.objects
        evictions += DiskCounters.EvictionReason.allCases.map { reason in
            Eviction(tier: "disk", reason: reason.label, count: UInt64(disk.counters.evictions(reason)))
        }
        diskErrors = FileOperation.allCases.map { operation in
            DiskError(operation: operation.label, count: UInt64(disk.counters.errors(operation)))
        }
        diskCorrupt = UInt64(disk.counters.corrupt)
    }
}
