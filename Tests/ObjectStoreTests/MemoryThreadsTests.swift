import Glibc
import ObjectStore
import Synchronization
import Testing

struct MemoryThreadsTests {
    /// A hit must be the object of its key whatever happens at the same time; the thread sanitizer sees the rest.
    @Test func `lookups race stores, removals and a shrinking budget`() {
        let store = MemoryStore(capacityBytes: 40_000)
        let wrong = Atomic<Int>(0)
        let hits = Atomic<Int>(0)
        runThreads(4) { thread in
            var random = SplitMix64(state: UInt64(thread))
            var slots = [(slot: UInt32, generation: UInt32)](repeating: (0, 0), count: 600)
            for round in 0..<20_000 {
                let number = random.next() % 600
                switch random.next() % 16 {
                case 0: _ = store.remove(key(number))
                case 1...3:
                    let outcome = store.store(object(number, costBytes: Int(50 + random.next() % 200)))
                    if case .stored(let slot, let generation) = outcome { slots[Int(number)] = (slot, generation) }
                case 4...9:
                    guard let hit = store.lookup(key(number)) else { continue }
                    hits.add(1, ordering: .relaxed)
                    slots[Int(number)] = (hit.slot, hit.generation)
                    if hit.object.key != key(number) { wrong.add(1, ordering: .relaxed) }
                default:
                    let entry = slots[Int(number)]
                    let found = store.lookup(
                        slot: entry.slot, generation: entry.generation, hash: key(number).hash)
                    guard let found else { continue }
                    hits.add(1, ordering: .relaxed)
                    if found.key != key(number) { wrong.add(1, ordering: .relaxed) }
                }
                if thread == 0, round % 1_000 == 999 {
                    while store.setBudget(round % 2_000 == 999 ? 20_000 : 40_000) {}
                }
            }
        }

        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(hits.load(ordering: .relaxed) > 0)
        #expect(store.statistics.usedBytes <= 40_000)
        store.removeAll()
        #expect(store.statistics.usedBytes == 0)
        #expect(store.statistics.objects == 0)
    }

    /// An object of one key is replaced again and again; nobody ever finds the key missing.
    @Test func `a key that is being replaced is always found`() {
        let store = MemoryStore(capacityBytes: 10_000)
        _ = store.store(object(1, costBytes: 100))
        let misses = Atomic<Int>(0)
        runThreads(3) { thread in
            for round in 0..<20_000 {
                if thread == 0 {
                    _ = store.store(object(1, costBytes: 100 + round % 7))
                } else if store.lookup(key(1)) == nil {
                    misses.add(1, ordering: .relaxed)
                }
            }
        }

        #expect(misses.load(ordering: .relaxed) == 0)
    }
}

/// Runs the body on several threads at once and waits for them.
private func runThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    final class Job: Sendable {
        let number: Int
        let body: @Sendable (Int) -> Void
        init(number: Int, body: @escaping @Sendable (Int) -> Void) {
            self.number = number
            self.body = body
        }
    }
    var threads: [pthread_t] = []
    for number in 0..<count {
        var thread = pthread_t()
        let job = Unmanaged.passRetained(Job(number: number, body: body))
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let job = Unmanaged<Job>.fromOpaque(context).takeRetainedValue()
                job.body(job.number)
                return nil
            }, job.toOpaque())
        precondition(code == 0)
        threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
}
