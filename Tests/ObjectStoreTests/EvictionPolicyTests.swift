import Testing

@testable import ObjectStore

struct EvictionPolicyTests {
    @Test func `an object that does not fit at all is too large, and nothing leaves for it`() {
        var cache = PolicyCache(capacityBytes: 1_000)
        cache.store(1, bytes: 600)

        #expect(cache.store(2, bytes: 1_001) == .tooLarge)
        #expect(cache.table.count == 1)
        #expect(cache.policy.usedBytes == 600)
    }

    @Test func `small objects push out a large one, and a large one does not push out small ones`() {
        var cache = PolicyCache(capacityBytes: 1_000)
        cache.store(mix(1), bytes: 900)
        cache.store(mix(2), bytes: 50)
        #expect(cache.store(mix(3), bytes: 100) != .refused)
        #expect(cache.table.handle(of: mix(1)) == nil)

        #expect(cache.store(mix(4), bytes: 990) == .refused)
        #expect(cache.table.handle(of: mix(2)) != nil)
        #expect(cache.table.handle(of: mix(3)) != nil)
    }

    @Test func `a refusal puts the victims back and lets the tier age`() {
        var cache = PolicyCache(capacityBytes: 1_000)
        for number in 0..<10 as Range<UInt64> { cache.store(mix(number), bytes: 100) }
        for number in 0..<10 as Range<UInt64> { _ = cache.request(mix(number), bytes: 100) }
        let before = cache.policy.age

        #expect(cache.store(mix(99), bytes: 1_000) == .refused)
        #expect(cache.table.count == 10)
        #expect(cache.policy.queueCount == 10)
        #expect(cache.policy.usedBytes == 1_000)
        #expect(cache.policy.age > before)
    }

    @Test func `asking first comes to the same as offering at once`() {
        var asked = PolicyCache(capacityBytes: 100_000)
        var offered = PolicyCache(capacityBytes: 100_000)
        var random = SplitMix64(state: 7)
        for _ in 0..<20_000 {
            let hash = mix(1 + random.next() % 900 * (random.next() % 3))
            let bytes = Int(100 + hash % 3_000)
            _ = offered.request(hash, bytes: bytes)
            if let handle = asked.table.handle(of: hash) {
                asked.table.use(handle, age: asked.policy.age)
            } else {
                asked.storeIfWanted(hash, bytes: bytes)
            }
        }
        #expect(asked.policy.age == offered.policy.age && asked.policy.age > 0)
        #expect(asked.policy.usedBytes == offered.policy.usedBytes)
        #expect(asked.policy.worth.firstUseCredit == offered.policy.worth.firstUseCredit)
        #expect(asked.table.count == offered.table.count)
    }

    @Test func `an object that returns soon starts with two uses`() {
        var cache = PolicyCache(capacityBytes: 1_000)
        for number in 0..<11 as Range<UInt64> { cache.store(mix(number), bytes: 100) }
        let dropped = (0..<11 as Range<UInt64>).filter { cache.table.handle(of: mix($0)) == nil }
        #expect(dropped.count == 1)

        guard case .admitted(let mark) = cache.store(mix(dropped[0]), bytes: 100) else {
            Issue.record("refused")
            return
        }
        #expect(mark.uses == 2)
        #expect(cache.policy.worth.firstUseCredit > 1 << 32)
    }

    @Test func `the age never falls and hits do not touch the queue`() {
        var cache = PolicyCache(capacityBytes: 20_000)
        var random = SplitMix64(state: 3)
        var age: UInt64 = 0
        for _ in 0..<20_000 {
            let number = mix(random.next() % 400)
            let queueCount = cache.policy.queueCount
            let isHit = cache.request(number, bytes: Int(20 + number % 500))
            if isHit, cache.policy.queueCount != queueCount { Issue.record("a hit changed the queue") }
            if cache.policy.age < age { Issue.record("the age fell") }
            age = cache.policy.age
        }
    }

    @Test func `earlier uses count, and are not mistaken for a return`() {
        var cache = PolicyCache(capacityBytes: 1_000)

        #expect(cache.store(mix(1), bytes: 100, earlierUses: 7) == .admitted(UseMark(uses: 7, stamp: 0)))
        #expect(cache.policy.worth.firstUseCredit == 1 << 32)
    }

    @Test func `on second request a full tier takes only what it has seen before`() {
        var cache = PolicyCache(capacityBytes: 1_000, admission: .secondRequest)
        for number in 0..<10 as Range<UInt64> {
            #expect(cache.store(mix(number), bytes: 100) != .refused)
        }

        #expect(cache.store(mix(50), bytes: 100) == .refused)
        #expect(cache.store(mix(50), bytes: 100) != .refused)
    }

    @Test func `forgotten entries leave the queue in time`() {
        var cache = PolicyCache(capacityBytes: 1_000_000)
        for number in 0..<5_000 as Range<UInt64> { cache.store(mix(number), bytes: 100) }
        for number in 0..<4_000 as Range<UInt64> { cache.remove(mix(number)) }

        #expect(cache.policy.usedBytes == 100_000)
        #expect(cache.policy.queueCount - cache.policy.deadCount == 1_000)
        #expect(cache.policy.deadCount <= cache.policy.queueCount / 2)
        // A hundred more objects that need all the room: dead nodes are dropped when they come up.
        for number in 0..<100 as Range<UInt64> { cache.store(mix(10_000 + number), bytes: 10_000, earlierUses: 63) }
        #expect(cache.policy.usedBytes <= 1_000_000)
    }

    @Test func `shrinking takes the least worthy first and ends its slices`() {
        var cache = PolicyCache(capacityBytes: 10_000)
        for number in 0..<100 as Range<UInt64> { cache.store(mix(number), bytes: 100) }
        for number in 90..<100 as Range<UInt64> { _ = cache.request(mix(number), bytes: 100) }
        cache.policy.setCapacity(1_000)
        #expect(cache.store(mix(200), bytes: 10) == .refused)

        var slices = 0
        var hasMore = true
        while hasMore {
            var victims: [EvictionPolicy.Victim] = []
            hasMore = cache.policy.shrink(
                maximumVictims: 40, maximumBytes: 1_000_000, entries: cache.table, victims: &victims)
            for victim in victims { cache.table.remove(victim.handle) }
            slices += 1
        }
        #expect(slices == 3)
        #expect(cache.policy.usedBytes == 1_000)
        for number in 90..<100 as Range<UInt64> { #expect(cache.table.handle(of: mix(number)) != nil) }
    }
}
