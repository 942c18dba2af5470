import EventLoops
import Testing

@testable import Origin

struct ResolverCacheTests {
    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    @Test(arguments: [(0, 1), (1, 1), (60, 60), (86_400, 300)] as [(Int64, Int64)])
    func `an answer holds for its time to live, between a second and five minutes`(ttl: Int64, lasts: Int64) {
        var cache = ResolverCache()
        cache.keep([.loopbackV4], of: "a.test", timeToLiveSeconds: ttl, at: at(0))
        #expect(cache.addresses(of: "a.test", at: at(lasts - 1)) == [.loopbackV4])
        #expect(cache.addresses(of: "a.test", at: at(lasts)) == nil)
        #expect(cache.count == 0)
        #expect(cache.addresses(of: "b.test", at: at(0)) == nil)
    }

    @Test func `the table does not grow without end`() {
        var cache = ResolverCache()
        for index in 0...ResolverCache.maximumNames {
            cache.keep([.loopbackV4], of: "\(index).test", timeToLiveSeconds: 100, at: at(0))
        }
        #expect(cache.count <= ResolverCache.maximumNames)
    }
}
