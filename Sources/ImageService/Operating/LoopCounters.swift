import EventLoops
import Synchronization

/// The counters of one loop: the loop alone writes, anybody reads, and nobody locks on the way of a hit.
///
/// Owner: the loop it was made for. A reading of all loops is not a moment: each number is, by itself.
final class LoopCounters: Sendable {
    /// Status codes have three digits; what is outside 100 to 599 is counted at place 0.
    private static let codes = 100..<600

    // 128 unused bytes at both ends, the unit in which processors fetch, so that two loops' counters share no line.
    private let paddingBefore = InlineArray<16, UInt64>(repeating: 0)
    private let counts = InlineArray<21, Atomic<UInt64>> { _ in Atomic(0) }
    private let requestDurations = InlineArray<11, Histogram> { _ in Histogram() }
    private let downloadDurations = Histogram()
    private let lags = Histogram()
    private let originResponses = InlineArray<600, Atomic<UInt64>> { _ in Atomic(0) }
    private let dataConnections = Atomic<Int>(0)
    private let adminConnections = Atomic<Int>(0)
    private let waiterCount = Atomic<Int>(0)
    private let blocked = RuleCounts()
    private let paddingAfter = InlineArray<16, UInt64>(repeating: 0)

    /// All zero.
    init() {
        precondition(counts.count == Counter.allCases.count, "a place for each counter")
        precondition(Counter.requests.indices.allSatisfy { Counter.requests[$0].rawValue == $0 }, "requests come first")
        precondition(requestDurations.count == Counter.requests.count, "a histogram for each result")
    }

    // MARK: Writing, on the loop

    /// Counts something.
    @inline(__always)
    func add(_ counter: Counter, _ amount: UInt64 = 1) {
        counts[counter.rawValue].addAsOnlyWriter(amount)
    }

    /// Counts an answer of an origin.
    func countOriginResponse(_ code: UInt16) {
        originResponses[Self.codes.contains(Int(code)) ? Int(code) : 0].addAsOnlyWriter(1)
    }

    /// Counts a refusal.
    ///
    /// - Parameter rule: a fixed label, never a host or URL.
    ///
    /// Cost: takes a lock.
    func countBlocked(_ rule: String) {
        blocked.count(rule)
    }

    /// Notes how long a request took; the request itself is counted by `add`.
    ///
    /// - Parameter counter: how it was answered, one of `Counter.requests`.
    func observeRequest(_ counter: Counter, seconds: Double) {
        requestDurations[counter.rawValue].observe(seconds: seconds)
    }

    /// Notes how long a request took, for the paths where a `Duration` costs too much.
    @inline(__always)
    func observeRequest(_ counter: Counter, nanoseconds: Int64) {
        requestDurations[counter.rawValue].observe(nanoseconds: nanoseconds)
    }

    /// Notes how long a download took.
    func observeDownload(seconds: Double) {
        downloadDurations.observe(seconds: seconds)
    }

    /// Notes for how long the loop let others wait: how late a timer ran, or how long a turn took.
    func observeLag(seconds: Double) {
        lags.observe(seconds: seconds)
    }

    /// Says how many connections are open on this loop.
    func setConnections(data: Int, admin: Int) {
        dataConnections.store(data, ordering: .relaxed)
        adminConnections.store(admin, ordering: .relaxed)
    }

    /// Says how many requests wait for downloads of this loop.
    func setWaiters(_ count: Int) {
        waiterCount.store(count, ordering: .relaxed)
    }

    // MARK: Reading, on any thread

    /// The value of a counter.
    func value(_ counter: Counter) -> UInt64 {
        counts[counter.rawValue].load(ordering: .relaxed)
    }

    /// The answers of origins with a code; code 0 stands for those outside 100 to 599.
    func originResponses(_ code: Int) -> UInt64 {
        originResponses[code].load(ordering: .relaxed)
    }

    /// The codes that `originResponses` knows.
    static let originCodes = [0] + Array(codes)

    /// Refusals by rule.
    var blockedByRule: [String: UInt64] { blocked.all }

    /// Connections open on this loop.
    var connections: (data: Int, admin: Int) {
        (dataConnections.load(ordering: .relaxed), adminConnections.load(ordering: .relaxed))
    }

    /// Requests that wait for downloads of this loop.
    var waiters: Int { waiterCount.load(ordering: .relaxed) }

    /// The durations of requests answered in a way.
    func requestDurations(_ counter: Counter) -> HistogramReading { requestDurations[counter.rawValue].reading() }

    /// The durations of downloads.
    func downloadDuration() -> HistogramReading { downloadDurations.reading() }

    /// For how long the loop let others wait.
    func lag() -> HistogramReading { lags.reading() }
}

/// Refusals by rule; rare, so a lock will do.
private final class RuleCounts: @unchecked Sendable {
    // SAFETY: `counts` is touched only under `lock`.
    private let lock = Lock()
    private var counts: [String: UInt64] = [:]

    func count(_ rule: String) {
        lock.withLock { counts[rule, default: 0] += 1 }
    }

    var all: [String: UInt64] {
        lock.withLock { counts }
    }
}
