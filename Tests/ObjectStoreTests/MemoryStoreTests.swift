import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore
import Testing

struct MemoryStoreTests {
    @Test func `a stored object is found by key, by hash and bytes, and by its entry`() throws {
        let store = MemoryStore(capacityBytes: 10_000)
        let stored = object(1, costBytes: 100)
        let entry = try #require(store.store(stored).entry)

        let hit = try #require(store.lookup(key(1)))
        #expect(hit.object === stored)
        #expect(hit.slot == entry.slot)
        #expect(hit.generation == entry.generation)
        let again = store.lookup(slot: entry.slot, generation: entry.generation, hash: key(1).hash)
        #expect(again === stored)
        #expect(store.peek(key(1)) === stored)
        #expect(store.lookup(key(2)) == nil)
        #expect(store.statistics.usedBytes == 100)
        #expect(store.statistics.objects == 1)
    }

    @Test func `a key with the hash of another is not taken for it`() {
        let store = MemoryStore(capacityBytes: 10_000)
        let twin = CacheKey(bytes: Array("http://images.example/twin".utf8), hash: key(1).hash)
        _ = store.store(object(1, costBytes: 100))

        #expect(store.lookup(twin) == nil)
        #expect(store.peek(twin) == nil)
        #expect(!store.remove(twin))
        _ = store.store(object(twin, costBytes: 50))
        #expect(store.lookup(twin) != nil)
        #expect(store.lookup(key(1)) == nil)
        #expect(store.statistics.objects == 1)
        #expect(store.statistics.usedBytes == 50)
    }

    @Test func `a replaced object is gone, and so are handles of its entry`() throws {
        let store = MemoryStore(capacityBytes: 10_000)
        let old = try #require(store.store(object(1, costBytes: 100)).entry)
        for _ in 0..<4 { _ = store.lookup(key(1)) }
        let successor = object(1, costBytes: 300)
        let new = try #require(store.store(successor).entry)

        #expect(store.lookup(slot: old.slot, generation: old.generation, hash: key(1).hash) == nil)
        #expect(store.lookup(slot: new.slot, generation: new.generation, hash: key(1).hash) === successor)
        #expect(store.statistics.usedBytes == 300)
        #expect(store.statistics.objects == 1)
        #expect(store.statistics.replaced == 1)
        var cursor = MemoryCursor()
        var listed: [MemoryListing] = []
        #expect(!store.list(&cursor, into: &listed))
        // One for the first store, four hits, one by the handle: a replacement keeps the uses.
        #expect(listed.map(\.uses) == [6])
    }

    @Test func `what a removed entry was called names nothing`() throws {
        let store = MemoryStore(capacityBytes: 10_000)
        let entry = try #require(store.store(object(1, costBytes: 100)).entry)

        #expect(store.remove(key(1)))
        #expect(!store.remove(key(1)))
        #expect(store.lookup(key(1)) == nil)
        let reused = try #require(store.store(object(2, costBytes: 100)).entry)
        #expect(reused.slot == entry.slot)
        #expect(store.lookup(slot: entry.slot, generation: entry.generation, hash: key(1).hash) == nil)
        #expect(store.lookup(slot: reused.slot, generation: reused.generation, hash: key(1).hash) == nil)
        #expect(store.lookup(slot: 0, generation: 0, hash: key(1).hash) == nil)
        #expect(store.lookup(slot: .max, generation: 1, hash: key(1).hash) == nil)
    }

    @Test func `an object is removed only while it is the one that is stored`() {
        let store = MemoryStore(capacityBytes: 10_000)
        let first = object(1, costBytes: 100)
        let second = object(1, costBytes: 100)
        _ = store.store(first)
        _ = store.store(second)

        #expect(!store.remove(first))
        #expect(store.remove(second))
        #expect(store.statistics.removed == 1)
    }

    @Test func `a budget of zero turns the tier off`() {
        let store = MemoryStore(capacityBytes: 0)

        #expect(store.store(object(1, costBytes: 100)) == .refused)
        #expect(store.lookup(key(1)) == nil)
        #expect(store.statistics.objects == 0)
    }

    @Test func `asking changes nothing but the count of refusals`() {
        let store = MemoryStore(capacityBytes: 1_000)
        for number in 1...10 as ClosedRange<UInt64> {
            #expect(store.wouldStore(key(number).hash, costBytes: 100))
            _ = store.store(object(number, costBytes: 100))
            _ = store.lookup(key(number))
        }

        #expect(store.wouldStore(key(3).hash, costBytes: 900))  // It is there: `store` has to deal with it.
        #expect(store.wouldStore(key(11).hash, costBytes: 5))
        #expect(!store.wouldStore(key(12).hash, costBytes: 900))
        #expect(!store.wouldStore(key(13).hash, costBytes: 1_001))
        #expect(store.statistics.refused == 2 && store.statistics.evictedForRoom == 0)
        for number in 1...10 as ClosedRange<UInt64> { #expect(store.lookup(key(number)) != nil) }
        #expect(!MemoryStore(capacityBytes: 0).wouldStore(key(1).hash, costBytes: 100))
    }

    @Test func `an object larger than the budget takes its predecessor with it`() {
        let store = MemoryStore(capacityBytes: 1_000)
        _ = store.store(object(1, costBytes: 100))

        #expect(store.store(object(1, costBytes: 1_001)) == .tooLarge)
        #expect(store.lookup(key(1)) == nil)
        #expect(store.statistics.usedBytes == 0)
        #expect(store.statistics.objects == 0)
        #expect(store.store(object(1, costBytes: 1_000)).entry != nil)
    }

    @Test func `a refused replacement takes its predecessor with it`() {
        let store = MemoryStore(capacityBytes: 1_000)
        _ = store.store(object(1, costBytes: 100))
        for number in 2...10 {
            _ = store.store(object(UInt64(number), costBytes: 100))
            for _ in 0..<20 { _ = store.lookup(key(UInt64(number))) }
        }

        #expect(store.store(object(1, costBytes: 900)) == .refused)
        #expect(store.lookup(key(1)) == nil)
        #expect(store.statistics.objects == 9)
        #expect(store.statistics.usedBytes == 900)
    }

    @Test func `the object in use leaves last`() {
        let store = MemoryStore(capacityBytes: 1_000)
        for number in 1...10 { _ = store.store(object(UInt64(number), costBytes: 100)) }
        for _ in 0..<3 { _ = store.lookup(key(1)) }
        for number in 11...30 { _ = store.store(object(UInt64(number), costBytes: 100)) }

        #expect(store.lookup(key(1)) != nil)
        #expect(store.statistics.usedBytes == 1_000)
        #expect(store.statistics.objects == 10)
        #expect(store.statistics.evictedForRoom == 20)
    }

    @Test func `an object that is held outlives its entry`() throws {
        let store = MemoryStore(capacityBytes: 1_000)
        weak var released: CachedObject?
        do {
            let stored = object(1, costBytes: 100)
            released = stored
            _ = store.store(stored)
        }
        var hit = store.lookup(key(1))
        store.removeAll()

        #expect(hit?.object.key == key(1))
        #expect(released != nil)
        hit = nil
        #expect(released == nil)
    }

    @Test func `the store lets go of everything it held`() {
        weak var released: CachedObject?
        do {
            let store = MemoryStore(capacityBytes: 1_000)
            let stored = object(1, costBytes: 100)
            released = stored
            _ = store.store(stored)
        }

        #expect(released == nil)
    }
}

struct CachedObjectTests {
    @Test func `an object costs body, heads, key and overhead`() {
        let cached = CachedObject(
            key: key(1), response: response, wireHead: [UInt8](repeating: 0, count: 100),
            body: Chunk([UInt8](repeating: 0, count: 5_000)), expiry: .distantFuture)

        let counted = 5_000 + 100 + response.fields.byteCount + key(1).bytes.count
        #expect(cached.costBytes == counted + CachedObject.overheadBytes)
    }
}
