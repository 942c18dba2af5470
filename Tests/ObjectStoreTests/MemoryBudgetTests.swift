import ObjectStore
import Testing

struct MemoryBudgetTests {
    @Test func `a smaller budget is met slice by slice, and nothing enters meanwhile`() {
        let store = MemoryStore(capacityBytes: 1_000_000)
        for number in 0..<10_000 { _ = store.store(object(UInt64(number), costBytes: 100)) }

        #expect(store.setBudget(100_000))
        #expect(store.store(object(20_000, costBytes: 100)) == .refused)
        var slices = 1
        while store.shrink() { slices += 1 }
        #expect(slices == 8)
        #expect(store.statistics.usedBytes == 100_000)
        #expect(store.statistics.objects == 1_000)
        #expect(store.statistics.evictedByBudget == 9_000)
        #expect(store.store(object(20_000, costBytes: 100)).entry != nil)
        #expect(!store.setBudget(0))
        #expect(store.statistics.objects == 0)
    }

    @Test func `a larger budget is in force at once`() {
        let store = MemoryStore(capacityBytes: 100)
        #expect(store.store(object(1, costBytes: 200)) == .tooLarge)

        #expect(!store.setBudget(1_000))
        #expect(store.store(object(1, costBytes: 200)).entry != nil)
    }

    @Test func `a walk removes what was there when it began`() {
        let store = MemoryStore(capacityBytes: 1_000_000)
        for number in 0..<5_000 { _ = store.store(object(UInt64(number), costBytes: 100)) }
        var cursor = MemoryCursor()

        #expect(store.removeAll(&cursor))
        #expect(store.statistics.objects == 5_000 - 1_024)
        _ = store.store(object(9_999, costBytes: 100))
        while store.removeAll(&cursor) {}
        for number in 0..<5_000 where store.peek(key(UInt64(number))) != nil {
            Issue.record("\(number) is still there")
        }
        #expect(store.statistics.removed >= 5_000)
        store.removeAll()
        #expect(store.statistics.usedBytes == 0)
        #expect(store.statistics.objects == 0)
    }

    @Test func `a walk lists each object once`() {
        let store = MemoryStore(capacityBytes: 1_000_000)
        for number in 0..<3_000 { _ = store.store(object(UInt64(number), costBytes: 100)) }
        var cursor = MemoryCursor()
        var listed: [MemoryListing] = []
        while store.list(&cursor, into: &listed) {}

        #expect(listed.count == 3_000)
        #expect(Set(listed.map(\.object.key)).count == 3_000)
    }

    @Test func `the index grows to 200,000 entries and shrinks to none`() {
        let store = MemoryStore(capacityBytes: 200_000)
        for number in 0..<200_000 { _ = store.store(object(UInt64(number), costBytes: 1)) }

        #expect(store.statistics.objects == 200_000)
        for number in 0..<200_000 where store.lookup(key(UInt64(number))) == nil {
            Issue.record("\(number) is not found")
        }
        for number in stride(from: 0, to: 200_000, by: 2) { _ = store.remove(key(UInt64(number))) }
        for number in 0..<200_000 where (store.peek(key(UInt64(number))) != nil) != (number % 2 == 1) {
            Issue.record("\(number) is in the wrong state")
        }
        store.removeAll()
        #expect(store.statistics.objects == 0)
        #expect(store.statistics.usedBytes == 0)
    }

    /// Costs are exact, so the invariant is exact: whatever happens, no more is kept than the budget allows.
    @Test(arguments: [500, 5_000, 100_000])
    func `a small budget is never exceeded`(capacity: Int) {
        let store = MemoryStore(capacityBytes: capacity)
        var random = SplitMix64(state: 7)
        for _ in 0..<20_000 {
            let number = random.next() % 300
            switch random.next() % 10 {
            case 0: _ = store.remove(key(number))
            case 1...5: _ = store.lookup(key(number))
            default: _ = store.store(object(number, costBytes: Int(1 + random.next() % 800)))
            }
            let statistics = store.statistics
            if statistics.usedBytes > capacity || statistics.usedBytes < 0 {
                Issue.record("\(statistics.usedBytes) of \(capacity) bytes used")
            }
        }
        var cursor = MemoryCursor()
        var listed: [MemoryListing] = []
        while store.list(&cursor, into: &listed) {}

        #expect(listed.reduce(0) { $0 + $1.object.costBytes } == store.statistics.usedBytes)
        #expect(listed.count == store.statistics.objects)
        #expect(store.statistics.queueNodes <= 2 * listed.count + 8)
    }

    @Test func `replacing over and over leaves the queue small`() {
        let store = MemoryStore(capacityBytes: 1_000_000)
        for number in 0..<1_000 { _ = store.store(object(UInt64(number), costBytes: 100)) }
        for number in 0..<20_000 { _ = store.store(object(UInt64(number % 1_000), costBytes: 100)) }

        #expect(store.statistics.objects == 1_000)
        #expect(store.statistics.queueNodes <= 2_000)
    }

    @Test func `hits alone never touch the queue`() {
        let store = MemoryStore(capacityBytes: 10_000)
        for number in 0..<100 { _ = store.store(object(UInt64(number), costBytes: 100)) }
        let before = store.statistics
        for round in 0..<1_000 { _ = store.lookup(key(UInt64(round % 100))) }

        #expect(store.statistics == before)
    }
}
