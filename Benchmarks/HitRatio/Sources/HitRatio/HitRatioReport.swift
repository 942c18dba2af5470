import Glibc

@testable import ObjectStore

/// Replays the reference traces through the real tiers and prints what they hit, beside what the policy should reach.
///
/// Exit status 1: a tier misses its reference by more than half a point, or its goal.
@main struct HitRatioReport {
    private static let small = [TraceRequest](slots: 20_000, length: 200_000)
    private static let large = [TraceRequest](slots: 100_000, length: 1_000_000)
    private var isShort = false

    static func main() throws {
        var report = HitRatioReport()
        print("| trace, budget | what | OHR % | BHR % | reference | seconds |")
        print("| --- | --- | ---: | ---: | ---: | ---: |")
        try report.singleTiers(
            "IMG-0, 41,943,040 B", small, 41_943_040, lru: (30.69, 28.47), bytes: (50.44, 30.7),
            root: (46.58, 35.45))
        try report.singleTiers(
            "IMG-1, 200 MiB", large, 200 << 20, lru: (34.65, 35.86), bytes: (52.67, 40.0),
            root: (48.91, 42.94))
        try report.singleTiers(
            "IMG-1, 1 GiB", large, 1 << 30, lru: (50.84, 52.04), bytes: (68.25, 54.6),
            root: (64.81, 57.4))
        // 5 % and 20 % of the trace's footprint of 17,691,363,534 bytes.
        try report.bothTiers("IMG-1, 200 MiB and 5 % on disk", disk: 884_568_177, reference: (64.7, 57.6))
        try report.bothTiers("IMG-1, 200 MiB and 20 % on disk", disk: 3_538_272_707, reference: (76.1, 71.7))
        exit(report.isShort ? 1 : 0)
    }

    private typealias Pair = (objects: Double, bytes: Double)

    private mutating func singleTiers(
        _ budget: String, _ trace: [TraceRequest], _ capacity: Int, lru: Pair, bytes: Pair, root: Pair
    ) throws {
        var list = LeastRecentlyUsed(capacityBytes: capacity)
        row(budget, "least recently used", trace, lru, within: 0.05) { list.request($0.id, bytes: $0.bytes) }
        let store = MemoryStore(capacityBytes: capacity)
        row(budget, "memory tier", trace, bytes, within: 0.5) { store.request($0) }
        var policy = PolicyCache(capacityBytes: capacity, divisor: .squareRootOfBytes)
        row(budget, "policy per root of bytes", trace, root, within: 0.5) {
            policy.request(mix($0.id), bytes: $0.bytes)
        }
        let tier = try TracedDiskTier(capacityBytes: capacity)
        defer { tier.close() }
        // Files take whole blocks, which the reference knows nothing of.
        row(budget, "disk tier, in blocks of 4 KiB", trace, root, within: 1.5) { tier.request($0.id, bytes: $0.bytes) }
    }

    private mutating func bothTiers(_ budget: String, disk: Int, reference: Pair) throws {
        let store = MemoryStore(capacityBytes: 200 << 20)
        let tier = try TracedDiskTier(capacityBytes: disk)
        defer { tier.close() }
        row(budget, "both tiers", Self.large, reference, within: 1.0) { request in
            if store.lookup(key(request.id)) != nil { return true }
            let isHit = tier.request(request.id, bytes: request.bytes)
            _ = store.store(object(request.id, costBytes: request.bytes))
            return isHit
        }
    }

    private mutating func row(
        _ budget: String, _ what: String, _ trace: [TraceRequest], _ reference: Pair, within tolerance: Double,
        isHit: (TraceRequest) -> Bool
    ) {
        var ratio = HitRatio(length: trace.count)
        let clock = ContinuousClock()
        let time = clock.measure {
            for request in trace { ratio.count(isHit: isHit(request), bytes: request.bytes) }
        }
        let (objects, bytes) = (ratio.objectHitRatio, ratio.byteHitRatio)
        let isWithin = objects >= reference.objects - tolerance && bytes >= reference.bytes - tolerance
        if !isWithin { isShort = true }
        print(
            "| \(budget) | \(what) | \(Self.text(objects)) | \(Self.text(bytes)) "
                + "| \(reference.objects) / \(reference.bytes)\(isWithin ? "" : ", MISSED") "
                + "| \(Self.text(time / .seconds(1))) |")
        fflush(nil)  // A row at a time, also into a pipe.
    }

    private static func text(_ number: Double) -> String {
        let hundredths = Int((number * 100).rounded())
        let digits = "\(hundredths % 100)"
        return "\(hundredths / 100).\(digits.count == 1 ? "0" : "")\(digits)"
    }
}

extension MemoryStore {
    /// Asks for an object and, on a miss, offers it.
    fileprivate func request(_ request: TraceRequest) -> Bool {
        if lookup(key(request.id)) != nil { return true }
        _ = store(object(request.id, costBytes: request.bytes))
        return false
    }
}

extension [TraceRequest] {
    /// A whole trace.
    fileprivate init(slots: Int, length: Int) {
        var trace = ImageTrace(slots: slots, length: length)
        self = []
        reserveCapacity(length)
        while let request = trace.next() { append(request) }
    }
}
