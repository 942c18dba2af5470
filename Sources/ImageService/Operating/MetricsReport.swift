import EventLoops
import HTTPMessages

/// All figures of the service at one time, as the metrics page and as JSON.
///
/// Cost: reads some hundred atomics a loop and builds the page anew; for a scrape every few seconds.
struct MetricsReport {
    /// The type of `text()`.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// One row: the values of the metric's labels, in order, and the figure.
    struct Sample {
        /// As many as the metric has label names.
        var labels: [String]
        /// The figure.
        var value: Value
    }

    /// A figure.
    enum Value: Equatable {
        /// Of a counter, or what the kernel counts.
        case count(UInt64)
        /// Of the moment.
        case level(Int)
        /// With a fraction: seconds.
        case real(Double)
        /// Of a histogram.
        case distribution(HistogramReading)
    }

    private let counters: [LoopCounters]
    private let gauges: Gauges
    /// The version that runs.
    var version: String { gauges.version }
    private let process: ProcessFigures?

    /// Makes the report of all loops.
    ///
    /// - Parameter process: the process's figures; nil leaves their metrics empty.
    init(counters: [LoopCounters], gauges: Gauges, process: ProcessFigures? = .current()) {
        self.counters = counters
        self.gauges = gauges
        self.process = process
    }

    // MARK: The figures

    /// The rows of a metric.
    func samples(of metric: Metric) -> [Sample] {
        switch metric {
        case .requests, .responseBytes, .downloadOutcomes, .downloadBytes, .connectionsRejected:
            countedSamples(metric)
        case .logDropped: [Sample(labels: [], value: .count(gauges.logDropped))]
        case .requestDuration:
            Counter.requests.map { counter in
                Sample(labels: [counter.label ?? ""], value: distribution { $0.requestDurations(counter) })
            }
        case .downloadDuration: [Sample(labels: [], value: distribution { $0.downloadDuration() })]
        case .loopLag: [Sample(labels: [], value: distribution { $0.lag() })]
        case .originResponses: originResponses
        case .blocked: blocked
        case .waiters: single(counters.reduce(0) { $0 + $1.waiters })
        case .connections:
            [
                Sample(labels: ["data"], value: .level(counters.reduce(0) { $0 + $1.connections.data })),
                Sample(labels: ["admin"], value: .level(counters.reduce(0) { $0 + $1.connections.admin })),
            ]
        case .downloads, .inFlightBytes, .cacheBytes, .cacheLimit, .cacheObjects, .cacheEvictions, .diskErrors,
            .diskCorrupt, .buildInfo:
            gaugeSamples(metric)
        case .processCPU, .processOpenFiles, .processMaxFiles, .processVirtualMemory, .processResidentMemory,
            .processStart:
            processSamples(metric)
        }
    }

    private func gaugeSamples(_ metric: Metric) -> [Sample] {
        switch metric {
        case .downloads:
            [
                Sample(labels: ["queued"], value: .level(gauges.downloadsQueued)),
                Sample(labels: ["active"], value: .level(gauges.downloadsActive)),
                Sample(labels: ["suspended"], value: .level(gauges.downloadsSuspended)),
            ]
        case .inFlightBytes: single(gauges.inFlightBytes)
        case .cacheBytes: byTier(gauges.cacheBytes)
        case .cacheLimit: byTier(gauges.cacheLimit)
        case .cacheObjects: byTier(gauges.cacheObjects)
        case .cacheEvictions:
            gauges.evictions.map { Sample(labels: [$0.tier, $0.reason], value: .count($0.count)) }
        case .diskErrors: gauges.diskErrors.map { Sample(labels: [$0.operation], value: .count($0.count)) }
        case .diskCorrupt: [Sample(labels: [], value: .count(gauges.diskCorrupt))]
        case .buildInfo: [Sample(labels: [gauges.version], value: .level(1))]
        default: []
        }
    }

    private func processSamples(_ metric: Metric) -> [Sample] {
        guard let process else { return [] }
        let value: Value? =
            switch metric {
            case .processCPU: .real(process.cpuSeconds)
            case .processOpenFiles: .count(process.openDescriptors)
            case .processMaxFiles: .count(process.maxDescriptors)
            case .processVirtualMemory: .count(process.virtualBytes)
            case .processResidentMemory: .count(process.residentBytes)
            case .processStart: .real(process.startSeconds)
            default: nil
            }
        return value.map { [Sample(labels: [], value: $0)] } ?? []
    }

    private func countedSamples(_ metric: Metric) -> [Sample] {
        Counter.allCases.filter { $0.metric == metric }
            .map { Sample(labels: $0.label.map { [$0] } ?? [], value: .count(sum($0))) }
    }

    private var originResponses: [Sample] {
        LoopCounters.originCodes.compactMap { code in
            let sum = counters.reduce(0) { $0 &+ $1.originResponses(code) }
            guard sum > 0 else { return nil }
            return Sample(labels: [code == 0 ? "other" : code.description], value: .count(sum))
        }
    }

    private var blocked: [Sample] {
        let sums = counters.reduce(into: [:]) { $0.merge($1.blockedByRule, uniquingKeysWith: &+) }
        return sums.sorted { $0.key < $1.key }.map { Sample(labels: [$0.key], value: .count($0.value)) }
    }

    private func sum(_ counter: Counter) -> UInt64 {
        counters.reduce(0) { $0 &+ $1.value(counter) }
    }

    private func distribution(_ reading: (LoopCounters) -> HistogramReading) -> Value {
        .distribution(counters.reduce(into: HistogramReading()) { $0 += reading($1) })
    }

    private func single(_ level: Int) -> [Sample] {
        [Sample(labels: [], value: .level(level))]
    }

    private func byTier(_ tiers: Gauges.Tiers) -> [Sample] {
        [
            Sample(labels: ["memory"], value: .level(tiers.memory)),
            Sample(labels: ["disk"], value: .level(tiers.disk)),
        ]
    }
}
