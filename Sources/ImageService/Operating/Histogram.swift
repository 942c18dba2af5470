import Synchronization

/// How often which duration was seen; one thread writes, any thread reads.
///
/// Cost: a short search and two plain stores an observation.
struct Histogram: ~Copyable, Sendable {
    /// The upper bounds of the buckets in seconds: from a hit in memory to a download that nearly timed out.
    static let boundsSeconds = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

    /// The first of the bounds.
    static let firstBoundNanoseconds: Int64 = 100_000

    /// One for each bound, and one for all beyond.
    private let counts = InlineArray<16, Atomic<UInt64>> { _ in Atomic(0) }
    private let sumNanoseconds = Atomic<UInt64>(0)

    /// Counts a duration.
    ///
    /// Owner: the one thread that writes.
    func observe(seconds: Double) {
        var bucket = 0
        while bucket < Self.boundsSeconds.count, seconds > Self.boundsSeconds[bucket] { bucket += 1 }
        counts[bucket].addAsOnlyWriter(1)
        // What is no duration counts as none; the bound, about 30 years, keeps the sum from overflowing.
        sumNanoseconds.addAsOnlyWriter(seconds > 0 ? UInt64(min(seconds, 1e9) * 1e9) : 0)
    }

    /// Counts a duration that is most often within the first bound.
    ///
    /// Owner: the one thread that writes.
    @inline(__always)
    func observe(nanoseconds: Int64) {
        guard nanoseconds >= 0, nanoseconds <= Self.firstBoundNanoseconds else {
            return observe(seconds: Double(nanoseconds) / 1e9)
        }
        counts[0].addAsOnlyWriter(1)
        sumNanoseconds.addAsOnlyWriter(UInt64(nanoseconds))
    }

    /// The counts of now, for any thread; an observation that is under way may be half there.
    func reading() -> HistogramReading {
        var reading = HistogramReading()
        for bucket in reading.counts.indices { reading.counts[bucket] = counts[bucket].load(ordering: .relaxed) }
        reading.sumNanoseconds = sumNanoseconds.load(ordering: .relaxed)
        return reading
    }
}

/// What a histogram held when it was read; readings of several loops add up.
struct HistogramReading: Sendable, Equatable {
    /// Observations by bucket, not cumulated; the last one has no upper bound.
    var counts = [UInt64](repeating: 0, count: Histogram.boundsSeconds.count + 1)
    /// All durations together.
    var sumNanoseconds: UInt64 = 0

    /// All observations.
    var count: UInt64 { counts.reduce(0, &+) }
    /// All durations together, in seconds.
    var sumSeconds: Double { Double(sumNanoseconds) / 1e9 }

    /// The observations up to each bound, the last one without bound.
    var cumulated: [UInt64] {
        var sum: UInt64 = 0
        return counts.map { count in
            sum &+= count
            return sum
        }
    }

    /// Adds another loop's observations.
    static func += (left: inout HistogramReading, right: HistogramReading) {
        for bucket in left.counts.indices { left.counts[bucket] &+= right.counts[bucket] }
        left.sumNanoseconds &+= right.sumNanoseconds
    }
}

extension Atomic where Value == UInt64 {
    /// Adds where only one thread ever writes: a plain load and store, no locked instruction.
    @inline(__always)
    func addAsOnlyWriter(_ amount: UInt64) {
        store(load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }
}
