import Glibc

/// The mixing function of the reference trace.
func mix(_ word: UInt64) -> UInt64 {
    var mixed = word
    mixed ^= mixed >> 30
    mixed &*= 0xBF58_476D_1CE4_E5B9
    mixed ^= mixed >> 27
    mixed &*= 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return mixed
}

/// The generator of the reference trace.
struct SplitMix64 {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return mix(state)
    }

    mutating func uniform() -> Double {
        Double(next() >> 11) * 0x1p-53
    }
}

/// One request of a trace.
struct TraceRequest {
    var id: UInt64
    var bytes: Int
}

/// The reference trace IMG: image requests by Zipf's law with drift, objects that are asked for once, and a crawler.
///
/// Everything is fixed, so that hit ratios can be compared between implementations.
struct ImageTrace {
    private static let seed: UInt64 = 20_240_607

    private let slots: Int
    private let length: Int
    private let cumulative: [Double]
    private var idOfSlot: [UInt64]
    private var fresh: UInt64
    private var scanned = 0
    private var position = 0
    private var pick = SplitMix64(state: Self.seed)
    private var zipf = SplitMix64(state: Self.seed + 1)
    private var drift = SplitMix64(state: Self.seed + 2)

    /// IMG-0 is `slots: 20_000, length: 200_000`; IMG-1 is five times that.
    init(slots: Int, length: Int) {
        self.slots = slots
        self.length = length
        var sum = 0.0
        var cumulative: [Double] = []
        cumulative.reserveCapacity(slots)
        for rank in 1...slots {
            sum += pow(Double(rank), -0.9)
            cumulative.append(sum)
        }
        self.cumulative = cumulative
        idOfSlot = (1...UInt64(slots)).map { $0 }
        fresh = UInt64(slots) + 1
    }

    mutating func next() -> TraceRequest? {
        guard position < length else { return nil }
        if position > 0, position % 200 == 0 { replaceOneSlot() }
        let id = nextID()
        position += 1
        return TraceRequest(id: id, bytes: Self.bytes(of: id))
    }

    private mutating func replaceOneSlot() {
        let rank = Int(pow(Double(slots), drift.uniform()))
        idOfSlot[min(max(rank, 1), slots) - 1] = nextFresh()
    }

    private mutating func nextID() -> UInt64 {
        var choice = pick.uniform()
        if 10 * position >= 6 * length, 100 * position < 65 * length {
            if choice < 0.6 {
                let id = idOfSlot[(scanned * 38_197) % slots]
                scanned += 1
                return id
            }
            choice = (choice - 0.6) / 0.4
        }
        return choice < 0.12 ? nextFresh() : idOfSlot[popularSlot()]
    }

    private mutating func nextFresh() -> UInt64 {
        fresh += 1
        return fresh - 1
    }

    private mutating func popularSlot() -> Int {
        let wanted = zipf.uniform() * cumulative[slots - 1]
        var low = 0
        var high = slots - 1
        while low < high {
            let middle = (low + high) / 2
            if cumulative[middle] > wanted { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private static func bytes(of id: UInt64) -> Int {
        var stream = SplitMix64(state: mix((seed + 3) ^ (id &* 0xD1B5_4A32_D192_ED03)))
        let first = stream.uniform()
        let second = stream.uniform()
        let normal = sqrt(-2 * log(1 - first)) * cos(6.283185307179586 * second)
        let bytes = (25_000 * exp(1.586 * normal) + 0.5).rounded(.down)
        return Int(min(max(bytes, 1_024), 2_097_152))
    }
}

/// Counts hits over the last three quarters of a trace.
struct HitRatio {
    private let warmUp: Int
    private var seen = 0
    private var requests = 0
    private var hits = 0
    private var bytes = 0
    private var hitBytes = 0

    init(length: Int) {
        warmUp = length / 4
    }

    mutating func count(isHit: Bool, bytes size: Int) {
        defer { seen += 1 }
        guard seen >= warmUp else { return }
        requests += 1
        bytes += size
        if isHit {
            hits += 1
            hitBytes += size
        }
    }

    /// Share of requests that were hits, in percent.
    var objectHitRatio: Double { 100 * Double(hits) / Double(requests) }
    /// Share of bytes that were hits, in percent.
    var byteHitRatio: Double { 100 * Double(hitBytes) / Double(bytes) }
}
