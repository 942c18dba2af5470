import Testing

@testable import ObjectStore

struct UseMarkTests {
    @Test func `a mark keeps uses and stamp apart`() {
        let mark = UseMark(uses: 5, stamp: 0x00FF_FFFF_FFFF_FFFF)

        #expect(mark.uses == 5)
        #expect(mark.stamp == 0x00FF_FFFF_FFFF_FFFF)
        #expect(UseMark(bits: mark.bits) == mark)
        #expect(UseMark(uses: 0, stamp: 0).uses == 1)
    }

    @Test func `uses saturate, and a saturated mark of the same age does not change`() {
        var mark = UseMark(uses: 1, stamp: 9)
        for _ in 0..<100 { mark = mark.used(at: 9) }

        #expect(mark.uses == 63)
        #expect(mark.used(at: 9) == mark)
        #expect(mark.used(at: 10).stamp == 10)
    }
}

struct EvictionValueTests {
    @Test func `worth is 1, 11, 21 and so on, divided by the price`() {
        let byBytes = EvictionValue(divisor: .bytes)
        #expect(byBytes.value(uses: 1, bytes: 1_000) == (1 << 32) / 1_000)
        #expect(byBytes.value(uses: 2, bytes: 1_000) == (11 << 32) / 1_000)
        #expect(byBytes.value(uses: 63, bytes: 1_000) == (621 << 32) / 1_000)
        let byRoot = EvictionValue(divisor: .squareRootOfBytes)
        #expect(byRoot.value(uses: 2, bytes: 10_000) == (11 << 32) / 6_400)
    }

    @Test(arguments: [(0, 1), (1, 1), (3, 1), (4, 2), (99, 9), (100, 10), (999_999, 999), (4_294_836_225, 65_535)])
    func `the root is rounded down`(bytes: Int, root: UInt64) {
        #expect(EvictionDivisor.squareRootOfBytes.price(ofBytes: bytes) == 64 * root)
    }

    @Test func `what is learned stays between a half and ten`() {
        var value = EvictionValue(divisor: .bytes)
        for _ in 0..<10_000 { value.objectDroppedOnceReturned() }
        #expect(abs(Double(value.firstUseCredit) / 4_294_967_296 - 10) < 1e-6)
        for _ in 0..<10_000 { value.objectDroppedOftenReturned() }
        #expect(abs(Double(value.firstUseCredit) / 4_294_967_296 - 0.5) < 1e-6)
    }

    @Test func `a return counts for more, the less its class has dropped`() {
        var value = EvictionValue(divisor: .bytes)
        value.dropped(uses: 1, bytes: 999_999)
        value.objectDroppedOnceReturned()
        let small = value.firstUseCredit
        value = EvictionValue(divisor: .bytes)
        value.dropped(uses: 2, bytes: 999_999)
        value.objectDroppedOnceReturned()

        #expect(small > 1 << 32)
        #expect(value.firstUseCredit > small)
    }
}

struct RecentFilterTests {
    @Test func `a key is remembered for one rotation and forgotten after two`() {
        var filter = RecentFilter(keys: 1_000)
        #expect(!filter.contains(mix(1)))
        filter.add(mix(1))
        #expect(filter.contains(mix(1)))
        filter.rotate()
        #expect(filter.contains(mix(1)))
        filter.rotate()
        #expect(!filter.contains(mix(1)))
    }

    @Test func `a full filter claims few keys that it does not hold`() {
        var filter = RecentFilter(keys: 10_000)
        for number in 0..<10_000 { filter.add(mix(UInt64(number))) }
        let missing = (0..<10_000).count { !filter.contains(mix(UInt64($0))) }
        let claimed = (10_000..<20_000).count { filter.contains(mix(UInt64($0))) }

        #expect(missing == 0)
        #expect(claimed < 300)
    }
}

struct EvictionQueueTests {
    private static func handle(_ number: UInt64) -> EntryHandle {
        EntryHandle(slot: UInt32(number), generation: 1)
    }

    @Test func `keys come out in order`() {
        var queue = EvictionQueue()
        var random = SplitMix64(state: 1)
        var keys: [UInt64] = []
        for _ in 0..<500 {
            let key = random.next() % 1_000
            keys.append(key)
            queue.push(.init(key: key, handle: Self.handle(key)))
        }
        var order: [UInt64] = []
        while let node = queue.minimum {
            order.append(node.key)
            queue.removeMinimum()
        }

        #expect(order == keys.sorted())
    }

    @Test func `a raised minimum moves to its place`() {
        var queue = EvictionQueue()
        for key in [1, 2, 3] as [UInt64] { queue.push(.init(key: key, handle: Self.handle(key))) }
        queue.raiseMinimum(to: 10)

        #expect(queue.minimum?.key == 2)
        queue.removeMinimum()
        queue.removeMinimum()
        #expect(queue.minimum == .init(key: 10, handle: Self.handle(1)))
    }

    /// Entries of odd slots are gone.
    private struct OnlyEvenSlots: EvictionEntries {
        func evictionEntry(_ handle: EntryHandle) -> EvictionEntry? {
            guard handle.slot % 2 == 0 else { return nil }
            return EvictionEntry(bytes: 1, mark: UseMark(uses: 1, stamp: 0), hash: 0)
        }
    }

    @Test func `a sweep removes the dead and keeps the order of the others`() {
        var queue = EvictionQueue()
        for number in 0..<1_000 as Range<UInt64> {
            queue.push(.init(key: mix(number), handle: Self.handle(number)))
        }
        var removed = 0
        for _ in 0..<1_000 { removed += queue.sweep(steps: 4, entries: OnlyEvenSlots()) }
        var order: [UInt64] = []
        while let node = queue.minimum {
            order.append(node.key)
            queue.removeMinimum()
        }

        #expect(removed == 500)
        #expect(order == stride(from: 0, to: 1_000, by: 2).map { mix($0) }.sorted())
        #expect(queue.sweep(steps: 4, entries: OnlyEvenSlots()) == 0)
    }
}
