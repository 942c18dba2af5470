import Testing

@testable import ObjectStore

struct ImageTraceTests {
    static let length = 200_000
    static let capacity = 41_943_040
    static let requests: [TraceRequest] = {
        var trace = ImageTrace(slots: 20_000, length: length)
        var requests: [TraceRequest] = []
        while let request = trace.next() { requests.append(request) }
        return requests
    }()

    @Test func `the generator makes the reference trace IMG-0`() {
        var first: [String] = []
        var bytesOfID: [UInt64: Int] = [:]
        var requested = 0
        var fold: UInt64 = 0xCBF2_9CE4_8422_2325
        var position = 0
        var last: TraceRequest?
        for request in Self.requests {
            if position < 5 { first.append("\(request.id):\(request.bytes)") }
            if position < 100_000 {
                fold = (fold ^ request.id) &* 0x100_0000_01B3
                fold = (fold ^ UInt64(request.bytes)) &* 0x100_0000_01B3
            }
            bytesOfID[request.id] = request.bytes
            requested += request.bytes
            position += 1
            last = request
        }

        #expect(first == ["15:3513", "20001:148898", "260:9225", "1213:109012", "15:3513"])
        #expect(last?.id == 43_297)
        #expect(last?.bytes == 3_085)
        #expect(bytesOfID.count == 42_743)
        #expect(bytesOfID.values.reduce(0, +) == 3_540_882_690)
        #expect(requested == 16_149_069_077)
        #expect(fold == 0xF2C1_8298_D85D_5C51)
    }

    /// The yardstick: what the same trace gives under least recently used.
    @Test func `least recently used reaches its reference ratios`() {
        var ratio = HitRatio(length: Self.length)
        var cache = LeastRecentlyUsed(capacityBytes: Self.capacity)
        for request in Self.requests {
            ratio.count(isHit: cache.request(request.id, bytes: request.bytes), bytes: request.bytes)
        }

        #expect(abs(ratio.objectHitRatio - 30.69) < 0.05)
        #expect(abs(ratio.byteHitRatio - 28.47) < 0.05)
    }

    @Test(arguments: [(EvictionDivisor.bytes, 50.44, 30.7), (.squareRootOfBytes, 46.58, 35.45)])
    func `the policy reaches its reference ratios`(divisor: EvictionDivisor, objects: Double, bytes: Double) {
        var ratio = HitRatio(length: Self.length)
        var cache = PolicyCache(capacityBytes: Self.capacity, divisor: divisor)
        var mostUsed = 0
        for request in Self.requests {
            ratio.count(isHit: cache.request(mix(request.id), bytes: request.bytes), bytes: request.bytes)
            mostUsed = max(mostUsed, cache.policy.usedBytes)
        }

        #expect(abs(ratio.objectHitRatio - objects) < 0.5, "\(ratio.objectHitRatio)")
        #expect(abs(ratio.byteHitRatio - bytes) < 0.5, "\(ratio.byteHitRatio)")
        #expect(mostUsed <= Self.capacity)
    }
}

extension ImageTraceTests {
    @Test func `the memory tier reaches the reference ratios`() {
        var ratio = HitRatio(length: Self.length)
        let store = MemoryStore(capacityBytes: Self.capacity)
        var mostUsed = 0
        for request in Self.requests {
            let hit = store.lookup(key(request.id))
            ratio.count(isHit: hit != nil, bytes: request.bytes)
            if hit == nil {
                _ = store.store(object(request.id, costBytes: request.bytes))
                mostUsed = max(mostUsed, store.statistics.usedBytes)
            }
        }

        #expect(abs(ratio.objectHitRatio - 50.44) < 0.5, "\(ratio.objectHitRatio)")
        #expect(abs(ratio.byteHitRatio - 30.7) < 0.5, "\(ratio.byteHitRatio)")
        #expect(mostUsed <= Self.capacity)
    }
}
