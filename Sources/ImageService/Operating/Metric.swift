/// The metrics that operators see, in the order of the page.
enum Metric: String, CaseIterable, Sendable {
    /// Counts each request under one result; a refused head or a wrong path is an error.
    case requests = "imagestore_requests_total"
    /// Seconds, with the buckets of `Histogram`.
    case requestDuration = "imagestore_request_duration_seconds"
    /// Bytes of bodies; heads are not counted.
    case responseBytes = "imagestore_response_bytes_total"
    /// Counts each ended download under one outcome.
    case downloadOutcomes = "imagestore_downloads_total"
    /// Bytes of bodies, as they come.
    case downloadBytes = "imagestore_download_bytes_total"
    /// Seconds, with the buckets of `Histogram`.
    case downloadDuration = "imagestore_download_duration_seconds"
    /// From the queue's owner: `queued` and `active`; `suspended` has no source yet.
    case downloads = "imagestore_downloads"
    /// Those that share a download count each.
    case waiters = "imagestore_waiters"
    /// Against `inFlightLimit`; reserved before they come, given back when the last follower lets go.
    case inFlightBytes = "imagestore_in_flight_bytes"
    /// Only codes that were seen have a row.
    case originResponses = "imagestore_origin_responses_total"
    /// On disk, the allocated blocks of records.
    case cacheBytes = "imagestore_cache_bytes"
    /// `cacheLimit` and `diskCacheLimit`.
    case cacheLimit = "imagestore_cache_limit_bytes"
    /// By tier; an image in both counts in both.
    case cacheObjects = "imagestore_cache_objects"
    /// As the tiers count them.
    case cacheEvictions = "imagestore_cache_evictions_total"
    /// The cache goes on without the disk, so this is where a bad one shows.
    case diskErrors = "imagestore_disk_errors_total"
    /// Records whose checksum or layout does not hold.
    case diskCorrupt = "imagestore_disk_corrupt_total"
    /// By listener.
    case connections = "imagestore_connections"
    /// They got an answer, a 503, and were closed.
    case connectionsRejected = "imagestore_connections_rejected_total"
    /// Labels are rules, never hosts or URLs.
    case blocked = "imagestore_blocked_total"
    /// Seconds, with the buckets of `Histogram`; one observation a sweep.
    case loopLag = "imagestore_loop_lag_seconds"
    /// From the log itself; the loops count none.
    case logDropped = "imagestore_log_dropped_total"
    /// The version is the label.
    case buildInfo = "imagestore_build_info"
    /// Seconds.
    case processCPU = "process_cpu_seconds_total"
    /// Against `processMaxFiles`.
    case processOpenFiles = "process_open_fds"
    /// The soft limit.
    case processMaxFiles = "process_max_fds"
    /// Bytes.
    case processVirtualMemory = "process_virtual_memory_bytes"
    /// Bytes.
    case processResidentMemory = "process_resident_memory_bytes"
    /// Unix seconds.
    case processStart = "process_start_time_seconds"

    /// How Prometheus treats the values.
    enum Kind: String, Sendable {
        /// Only grows, from the start of the process.
        case counter
        /// A figure of the moment.
        case gauge
        /// Buckets with their sum and count.
        case histogram
    }

    /// How Prometheus treats the values.
    var kind: Kind {
        switch self {
        case .requestDuration, .downloadDuration, .loopLag: .histogram
        case .requests, .responseBytes, .downloadOutcomes, .downloadBytes, .originResponses, .cacheEvictions,
            .diskErrors, .diskCorrupt, .connectionsRejected, .blocked, .logDropped, .processCPU:
            .counter
        case .downloads, .waiters, .inFlightBytes, .cacheBytes, .cacheLimit, .cacheObjects, .connections, .buildInfo,
            .processOpenFiles, .processMaxFiles, .processVirtualMemory, .processResidentMemory, .processStart:
            .gauge
        }
    }

    /// The names of the labels, in order.
    var labels: [String] {
        switch self {
        case .requests, .requestDuration: ["result"]
        case .responseBytes, .cacheBytes, .cacheLimit, .cacheObjects: ["tier"]
        case .cacheEvictions: ["tier", "reason"]
        case .downloadOutcomes: ["outcome"]
        case .downloads: ["state"]
        case .originResponses: ["code"]
        case .diskErrors: ["op"]
        case .connections: ["listener"]
        case .connectionsRejected, .blocked: ["reason"]
        case .buildInfo: ["version"]
        case .downloadBytes, .downloadDuration, .waiters, .inFlightBytes, .diskCorrupt, .loopLag, .logDropped,
            .processCPU, .processOpenFiles, .processMaxFiles, .processVirtualMemory, .processResidentMemory,
            .processStart:
            []
        }
    }

    /// What the metric means, for the page.
    var help: String {
        switch self {
        case .requests: "Requests for images, by how they were answered."
        case .requestDuration: "Time from a request's head to the last byte of its answer."
        case .responseBytes: "Body bytes of images sent to clients, by where they came from."
        case .downloadOutcomes: "Downloads that ended, by outcome."
        case .downloadBytes: "Body bytes received from origins."
        case .downloadDuration: "Time from a download's start to its end."
        case .downloads: "Downloads that are there now, by state."
        case .waiters: "Requests that wait for a download now."
        case .inFlightBytes: "Bytes reserved for downloads now."
        case .originResponses: "Answers of origins, by status code; redirects count each."
        case .cacheBytes: "Bytes in use by the cache."
        case .cacheLimit: "Bytes that the cache may use."
        case .cacheObjects: "Images in the cache."
        case .cacheEvictions: "Images that left the cache, by reason."
        case .diskErrors: "Calls on the cache directory that failed, by operation."
        case .diskCorrupt: "Damaged files found in the cache directory, and removed."
        case .connections: "Client connections that are open now."
        case .connectionsRejected: "Client connections that were turned away, by reason."
        case .blocked: "Requests refused by a rule, by rule."
        case .loopLag: "For how long a loop let others wait: late timers, and turns of more than a millisecond."
        case .logDropped: "Log lines lost because the log could not be written fast enough."
        case .buildInfo: "The version that runs; always 1."
        case .processCPU: "Processor time in user and system mode."
        case .processOpenFiles: "Open descriptors."
        case .processMaxFiles: "The limit of open descriptors."
        case .processVirtualMemory: "Size of the address space."
        case .processResidentMemory: "Memory in use."
        case .processStart: "When the process began, in Unix time."
        }
    }
}
