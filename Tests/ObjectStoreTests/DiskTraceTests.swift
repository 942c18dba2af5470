import Testing

@testable import ObjectStore

/// The whole disk tier, workers and budget included, under the traffic of the reference trace.
///
/// That the policy reaches its reference ratios is `ImageTraceTests`' business; here the tier must do as the policy says.
/// The whole trace runs in `make hit-ratio`.
struct DiskTraceTests {
    @Test func `the disk tier hits where the policy does, request by request`() throws {
        // Given
        let capacity = 16 << 20
        let tier = try TracedDiskTier(capacityBytes: capacity)
        defer { tier.close() }
        var policy = PolicyCache(capacityBytes: capacity, divisor: .squareRootOfBytes)
        // When
        var differences = 0
        var hits = 0
        for request in ImageTraceTests.requests.prefix(10_000) {
            let isHit = tier.request(request.id, bytes: request.bytes)
            let charged = TracedDiskTier.chargedBytes(request.bytes)
            if isHit != policy.request(mix(request.id), bytes: charged) { differences += 1 }
            if isHit { hits += 1 }
        }
        // Then
        #expect(differences == 0)
        #expect(hits > 3_000, "\(hits) hits: the trace asks for too little again to tell anything")
        #expect(tier.usedBytes == policy.policy.usedBytes)
        #expect(tier.usedBytes <= capacity)
    }
}
