import EventLoops
import Testing

@testable import ImageService

@Suite struct NegativeMemoryTests {
    private let now = Fixtures.now

    @Test func `a failure is remembered until its time is over`() {
        var memory = NegativeMemory()
        memory.remember(.originDNS, for: Fixtures.key(), asked: nil, seconds: 10, now: now)
        for (milliseconds, left) in [(0, 10), (1, 9), (4000, 6), (9000, 1), (9999, 1)] as [(Int64, Int64)] {
            let recalled = memory.recall(Fixtures.key(), asked: 1, now: now + .milliseconds(milliseconds))
            #expect(recalled?.failure == .originDNS)
            #expect(recalled?.seconds == left, "after \(milliseconds) ms")
        }
        #expect(memory.recall(Fixtures.key(), asked: 1, now: now + .seconds(10)) == nil)
        #expect(memory.count == 0)
    }

    @Test(arguments: [0, -1] as [Int64]) func `for no time at all nothing is remembered`(seconds: Int64) {
        var memory = NegativeMemory()
        memory.remember(.originDNS, for: Fixtures.key(), asked: nil, seconds: seconds, now: now)
        #expect(memory.recall(Fixtures.key(), asked: 1, now: now) == nil)
        #expect(memory.count == 0)
    }

    @Test func `the latest failure of a key counts`() {
        var memory = NegativeMemory()
        memory.remember(.originDNS, for: Fixtures.key(), asked: nil, seconds: 1000, now: now)
        memory.remember(.notAnImage, for: Fixtures.key(), asked: nil, seconds: 5, now: now)
        #expect(memory.count == 1)
        let recalled = memory.recall(Fixtures.key(), asked: 1, now: now)
        #expect(recalled?.failure == .notAnImage)
        #expect(recalled?.seconds == 5)
    }

    @Test func `keys are told apart, and one can be forgotten`() {
        var memory = NegativeMemory()
        memory.remember(.originDNS, for: Fixtures.key("a"), asked: nil, seconds: 9, now: now)
        memory.remember(.notAnImage, for: Fixtures.key("b"), asked: nil, seconds: 9, now: now)
        memory.forget(Fixtures.key("a"))
        memory.forget(Fixtures.key("c"))
        #expect(memory.recall(Fixtures.key("a"), asked: 1, now: now) == nil)
        #expect(memory.recall(Fixtures.key("b"), asked: 1, now: now)?.failure == .notAnImage)
    }

    @Test func `what is over takes no room when the next one comes`() {
        var memory = NegativeMemory()
        for number in 0..<3000 {
            memory.remember(.originDNS, for: Fixtures.key("\(number)"), asked: nil, seconds: 1, now: now)
        }
        memory.remember(.originDNS, for: Fixtures.key("late"), asked: nil, seconds: 1, now: now + .seconds(2))
        #expect(memory.count == 1)
        let order = Mirror(reflecting: memory).descendant("order").map { Mirror(reflecting: $0).children.count }
        #expect(order.map { $0 < 100 } == true)
    }

    @Test func `when it is full the oldest memory goes`() {
        var memory = NegativeMemory()
        for number in 0..<50_010 {
            memory.remember(.originDNS, for: Fixtures.key("\(number)"), asked: nil, seconds: 9, now: now)
        }
        #expect(memory.count == 50_000)
        #expect(memory.recall(Fixtures.key("9"), asked: 1, now: now) == nil)
        #expect(memory.recall(Fixtures.key("10"), asked: 1, now: now) != nil)
        #expect(memory.recall(Fixtures.key("50009"), asked: 1, now: now) != nil)
    }

    @Test func `one that fails again and again takes no more room than one`() {
        var memory = NegativeMemory()
        memory.remember(.notAnImage, for: Fixtures.key("other"), asked: nil, seconds: 9, now: now)
        for _ in 0..<120_000 {
            memory.remember(.originDNS, for: Fixtures.key("same"), asked: nil, seconds: 9, now: now)
        }
        #expect(memory.count <= 2)
        #expect(memory.recall(Fixtures.key("same"), asked: 1, now: now) != nil)
        let order = Mirror(reflecting: memory).descendant("order").map { Mirror(reflecting: $0).children.count }
        #expect(order.map { $0 <= 2_000 } == true)
    }

    @Test func `what an origin said to some fields is not said to others`() {
        var memory = NegativeMemory()
        memory.remember(.originStatus(406), for: Fixtures.key(), asked: 1, seconds: 9, now: now)
        #expect(memory.recall(Fixtures.key(), asked: 1, now: now)?.failure == .originStatus(406))
        #expect(memory.recall(Fixtures.key(), asked: 2, now: now) == nil)
        memory.remember(.originDNS, for: Fixtures.key(), asked: nil, seconds: 9, now: now)
        for asked in [1, 2] as [UInt64] {
            #expect(memory.recall(Fixtures.key(), asked: asked, now: now)?.failure == .originDNS)
        }
        memory.forget(Fixtures.key(), asked: 2)
        #expect(memory.recall(Fixtures.key(), asked: 2, now: now) == nil)
        #expect(memory.recall(Fixtures.key(), asked: 1, now: now)?.failure == .originStatus(406))
        memory.forget(Fixtures.key())
        #expect(memory.count == 0)
    }

    @Test func `clients cannot fill it through one URL`() {
        var memory = NegativeMemory()
        for asked in 0..<1000 as Range<UInt64> {
            memory.remember(.notAnImage, for: Fixtures.key(), asked: asked, seconds: 9, now: now)
        }
        #expect(memory.count == 16)
        #expect(memory.recall(Fixtures.key(), asked: 983, now: now) == nil)
        #expect(memory.recall(Fixtures.key(), asked: 984, now: now) != nil)
    }
}
