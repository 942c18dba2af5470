/// What each loop counts, one row a series.
///
/// The counters of requests come first: their durations are kept at the same places.
enum Counter: Int, CaseIterable, Sendable {
    /// Answered from memory.
    case requestsMemoryHit
    /// Answered from disk.
    case requestsDiskHit
    /// Answered with what the origin confirmed.
    case requestsRevalidated
    /// Answered with what was stale, where the rules allow it.
    case requestsStale
    /// Answered by a download that another request had begun.
    case requestsCoalesced
    /// Answered by a download of its own.
    case requestsMiss
    /// Reserved by the contract: nothing goes round the cache yet, so it stays 0.
    case requestsBypass
    /// Answered with a 304: the client has it.
    case requestsNotModified
    /// Answered with a remembered failure.
    case requestsNegativeHit
    /// Reserved by the contract: placeholders are not served yet, so it stays 0.
    case requestsPlaceholder
    /// Answered with a failure.
    case requestsError
    /// Body bytes sent from memory.
    case responseBytesMemory
    /// Body bytes sent from what was read from disk for the request.
    case responseBytesDisk
    /// Body bytes sent from a download.
    case responseBytesOrigin
    /// Downloads whose image was stored.
    case downloadsStored
    /// Downloads whose image was served but not stored.
    case downloadsNotStored
    /// Downloads that the origin answered with a 304.
    case downloadsNotModified
    /// Flights that ended with a failure.
    case downloadsFailed
    /// Flights that were cancelled, or whose last waiter left.
    case downloadsCancelled
    /// Body bytes received from origins.
    case downloadBytes
    /// Connections turned away because `maxConnections` were open.
    case connectionsRejectedTooMany

    /// Those that say how a request was answered.
    static let requests = allCases.filter { $0.metric == .requests }

    /// The metric that the counter is a series of.
    var metric: Metric {
        switch self {
        case .requestsMemoryHit, .requestsDiskHit, .requestsRevalidated, .requestsStale, .requestsCoalesced,
            .requestsMiss, .requestsBypass, .requestsNotModified, .requestsNegativeHit, .requestsPlaceholder,
            .requestsError:
            .requests
        case .responseBytesMemory, .responseBytesDisk, .responseBytesOrigin: .responseBytes
        case .downloadsStored, .downloadsNotStored, .downloadsNotModified, .downloadsFailed, .downloadsCancelled:
            .downloadOutcomes
        case .downloadBytes: .downloadBytes
        case .connectionsRejectedTooMany: .connectionsRejected
        }
    }

    /// The value of the metric's one label; nil when it has none.
    var label: String? {
        switch self {
        case .requestsMemoryHit: "memory_hit"
        case .requestsDiskHit: "disk_hit"
        case .requestsRevalidated: "revalidated"
        case .requestsStale: "stale"
        case .requestsCoalesced: "coalesced"
        case .requestsMiss: "miss"
        case .requestsBypass: "bypass"
        case .requestsNotModified: "not_modified"
        case .requestsNegativeHit: "negative_hit"
        case .requestsPlaceholder: "placeholder"
        case .requestsError: "error"
        case .responseBytesMemory: "memory"
        case .responseBytesDisk: "disk"
        case .responseBytesOrigin: "origin"
        case .downloadsStored: "stored"
        case .downloadsNotStored: "not_stored"
        case .downloadsNotModified: "not_modified"
        case .downloadsFailed: "failed"
        case .downloadsCancelled: "cancelled"
        case .connectionsRejectedTooMany: "too_many"
        case .downloadBytes: nil
        }
    }
}
