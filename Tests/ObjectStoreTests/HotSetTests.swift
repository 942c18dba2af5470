import Testing

@testable import ObjectStore

/// What everybody asks for stays while a crawler or a prefetch goes over everything else.
struct HotSetTests {
    private static let capacity = 8 << 20
    private static let hotObjects = 200
    private static let objectBytes = 20_000

    /// The share of requests for hot objects that were hits, in percent, in three phases of one traffic.
    private struct Ratios {
        var before: Double
        var during: Double
        var after: Double
    }

    /// Requests for hot objects by their rank, with `foreign` between them.
    ///
    /// - Parameters:
    ///   - ask: asks for an object and stores it on a miss; returns whether it was there.
    ///   - foreign: what happens between two requests while the phase lasts; it is handed a number never seen before.
    private static func ratios(ask: (UInt64) -> Bool, foreign: (UInt64) -> Void) -> Ratios {
        var random = SplitMix64(state: 11)
        var fresh: UInt64 = 1_000_000
        func phase(_ requests: Int, foreignRequests: Int) -> Double {
            var hits = 0
            for _ in 0..<requests {
                // Squared, so that the first of them are asked for most.
                let rank = random.uniform() * random.uniform()
                if ask(UInt64(rank * Double(hotObjects))) { hits += 1 }
                for _ in 0..<foreignRequests {
                    fresh += 1
                    foreign(fresh)
                }
            }
            return 100 * Double(hits) / Double(requests)
        }
        _ = phase(4_000, foreignRequests: 0)
        return Ratios(
            before: phase(4_000, foreignRequests: 0), during: phase(4_000, foreignRequests: 5),
            after: phase(4_000, foreignRequests: 0))
    }

    @Test func `a crawler's scan leaves the hot set in memory`() {
        // Given
        let store = MemoryStore(capacityBytes: Self.capacity)
        func ask(_ number: UInt64) -> Bool {
            if store.lookup(key(number)) != nil { return true }
            _ = store.store(object(number, costBytes: Self.objectBytes))
            return false
        }
        // When
        let ratios = Self.ratios(ask: ask) { _ = ask($0) }
        // Then
        #expect(ratios.before > 99 && ratios.during > 97 && ratios.after > 99, "\(ratios)")
    }

    @Test func `a burst of prefetches leaves the hot set in memory`() {
        let store = MemoryStore(capacityBytes: Self.capacity)
        func ask(_ number: UInt64) -> Bool {
            if store.lookup(key(number)) != nil { return true }
            _ = store.store(object(number, costBytes: Self.objectBytes))
            return false
        }
        let ratios = Self.ratios(ask: ask) { _ = store.store(object($0, costBytes: Self.objectBytes)) }
        #expect(ratios.before > 99 && ratios.during > 97 && ratios.after > 99, "\(ratios)")
    }

    /// The yardstick: the same scan sweeps what was used least recently away.
    @Test func `the scan would sweep away what a list of recent use keeps`() {
        var cache = LeastRecentlyUsed(capacityBytes: Self.capacity)
        let ratios = Self.ratios(ask: { cache.request($0, bytes: Self.objectBytes) }) {
            _ = cache.request($0, bytes: Self.objectBytes)
        }
        #expect(ratios.before > 99 && ratios.during < 80, "\(ratios)")
    }

    @Test func `a crawler's scan leaves the hot set on disk`() throws {
        let tier = try TracedDiskTier(capacityBytes: Self.capacity)
        defer { tier.close() }
        func ask(_ number: UInt64) -> Bool { tier.request(number, bytes: Self.objectBytes) }
        for round in 0..<300 { _ = ask(UInt64(round % 100)) }
        // Between two requests for a hot object more than the whole tier goes by.
        for round in 0..<1_000 {
            _ = ask(UInt64(round % 100))
            for number in 0..<5 { _ = ask(UInt64(1_000_000 + 5 * round + number)) }
        }
        let kept = (0..<UInt64(100)).count { ask($0) }
        #expect(kept == 100)
    }
}
