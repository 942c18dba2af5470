import EventLoops
import HTTPCaching
import HTTPMessages
import Testing

@testable import ImageService

@Suite struct NegativeMemoryTests {
    private let now = Fixtures.now

    @Test func `a failure is remembered until its time is over`() {
        var memory = NegativeMemory()
        memory.remember(.originDNS, for: Fixtures.key(), seconds: 10, now: now)
        for (milliseconds, left) in [(0, 10), (1, 9), (4000, 6), (9000, 1), (9999, 1)] as [(Int64, Int64)] {
            let recalled = memory.recall(Fixtures.key(), for: Fields(), now: now + .milliseconds(milliseconds))
            #expect(recalled?.failure == .originDNS)
            #expect(recalled?.seconds == left, "after \(milliseconds) ms")
        }
        #expect(memory.recall(Fixtures.key(), for: Fields(), now: now + .seconds(10)) == nil)
        #expect(memory.count == 0)
    }

    @Test(arguments: [0, -1] as [Int64]) func `for no time at all nothing is remembered`(seconds: Int64) {
        var memory = NegativeMemory()
        memory.remember(.originDNS, for: Fixtures.key(), seconds: seconds, now: now)
        #expect(memory.recall(Fixtures.key(), for: Fields(), now: now) == nil)
        #expect(memory.count == 0)
    }

    @Test func `the latest failure of a key counts`() {
        var memory = NegativeMemory()
        memory.remember(.originDNS, for: Fixtures.key(), seconds: 1000, now: now)
        memory.remember(.notAnImage, for: Fixtures.key(), seconds: 5, now: now)
        #expect(memory.count == 1)
        let recalled = memory.recall(Fixtures.key(), for: Fields(), now: now)
        #expect(recalled?.failure == .notAnImage)
        #expect(recalled?.seconds == 5)
    }

    @Test func `keys are told apart, and one can be forgotten`() {
        var memory = NegativeMemory()
        memory.remember(.originDNS, for: Fixtures.key("a"), seconds: 9, now: now)
        memory.remember(.notAnImage, for: Fixtures.key("b"), seconds: 9, now: now)
        memory.forget(Fixtures.key("a"))
        memory.forget(Fixtures.key("c"))
        #expect(memory.recall(Fixtures.key("a"), for: Fields(), now: now) == nil)
        #expect(memory.recall(Fixtures.key("b"), for: Fields(), now: now)?.failure == .notAnImage)
    }

    @Test func `what is over takes no room when the next one comes`() {
        var memory = NegativeMemory()
        for number in 0..<3000 {
            memory.remember(.originDNS, for: Fixtures.key("\(number)"), seconds: 1, now: now)
        }
        memory.remember(.originDNS, for: Fixtures.key("late"), seconds: 1, now: now + .seconds(2))
        #expect(memory.count == 1)
        let order = Mirror(reflecting: memory).descendant("order").map { Mirror(reflecting: $0).children.count }
        #expect(order.map { $0 < 100 } == true)
    }

    @Test func `when it is full the oldest memory goes`() {
        var memory = NegativeMemory()
        for number in 0..<50_010 {
            memory.remember(.originDNS, for: Fixtures.key("\(number)"), seconds: 9, now: now)
        }
        #expect(memory.count == 50_000)
        #expect(memory.recall(Fixtures.key("9"), for: Fields(), now: now) == nil)
        #expect(memory.recall(Fixtures.key("10"), for: Fields(), now: now) != nil)
        #expect(memory.recall(Fixtures.key("50009"), for: Fields(), now: now) != nil)
    }

    @Test func `one that fails again and again takes no more room than one`() {
        var memory = NegativeMemory()
        memory.remember(.notAnImage, for: Fixtures.key("other"), seconds: 9, now: now)
        for _ in 0..<120_000 {
            memory.remember(.originDNS, for: Fixtures.key("same"), seconds: 9, now: now)
        }
        #expect(memory.count <= 2)
        #expect(memory.recall(Fixtures.key("same"), for: Fields(), now: now) != nil)
        let order = Mirror(reflecting: memory).descendant("order").map { Mirror(reflecting: $0).children.count }
        #expect(order.map { $0 <= 2_000 } == true)
    }

    @Test func `what counts for some requests is not told to others`() {
        var memory = NegativeMemory()
        let (evil, good) = (Fields.language("evil"), Fields.language("de"))
        memory.remember(.originStatus(406), for: Fixtures.key(), scope: .alike(evil), seconds: 9, now: now)
        #expect(memory.recall(Fixtures.key(), for: evil, now: now)?.failure == .originStatus(406))
        #expect(memory.recall(Fixtures.key(), for: good, now: now) == nil)
        memory.remember(.originDNS, for: Fixtures.key(), seconds: 9, now: now)
        for fields in [evil, good] {
            #expect(memory.recall(Fixtures.key(), for: fields, now: now)?.failure == .originDNS)
        }
        memory.forget(Fixtures.key(), for: good)
        #expect(memory.recall(Fixtures.key(), for: good, now: now) == nil)
        #expect(memory.recall(Fixtures.key(), for: evil, now: now)?.failure == .originStatus(406))
        memory.forget(Fixtures.key())
        #expect(memory.count == 0)
    }

    @Test func `clients cannot fill it through one URL`() {
        var memory = NegativeMemory()
        for number in 0..<1000 {
            memory.remember(
                .notAnImage, for: Fixtures.key(), scope: .alike(.language("\(number)")), seconds: 9, now: now)
        }
        #expect(memory.count == 16)
        #expect(memory.recall(Fixtures.key(), for: .language("983"), now: now) == nil)
        #expect(memory.recall(Fixtures.key(), for: .language("984"), now: now) != nil)
    }
}

@Suite struct FailureScopeTests {
    private let german = Fields.language("de")

    private func scope(_ failure: Failure, _ variance: Variance = .none, _ request: Fields? = nil) -> FailureScope {
        FailureScope(of: failure, variance: variance, request: request ?? german)
    }

    /// C74: the origin is asked once, however many clients there are.
    @Test(arguments: [
        Failure.originStatus(404), .originStatus(410), .originStatus(429), .originStatus(451), .originDNS, .notAnImage,
        .originError(503, retryAfterSeconds: nil), .imageTooLarge(limit: 1), .originTimeout(.firstByte),
        .originRefused(401),
    ])
    func `the origin's word on an image is for everyone`(failure: Failure) {
        #expect(scope(failure) == .everyone)
        #expect(scope(failure).covers(.language("fr")))
    }

    @Test(arguments: [400, 403, 405, 406, 413, 431])
    func `a word on the request is for those that would send the same, traced or not`(code: UInt16) {
        let failure = code == 431 ? Failure.originRefused(code) : .originStatus(code)
        var traced = german
        traced.append(FieldName("traceparent") ?? .via, "00-1")
        #expect(scope(failure, .none, traced).covers(german))
        #expect(!scope(failure).covers(.language("fr")))
    }

    @Test func `Vary tells for whom it is, unless the origin was not reached`() {
        let varying = Variance.fields([.acceptLanguage])
        #expect(!scope(.originStatus(404), varying).covers(.language("fr")))
        #expect(scope(.originStatus(404), varying).covers(german))
        #expect(scope(.originDNS, varying).covers(.language("fr")))
        #expect(!scope(.originStatus(404), .any).covers(.language("fr")))
    }

    @Test func `what credentials met is theirs alone, and they do not meet what others met`() {
        var own = german
        own.append(.cookie, "a=1")
        #expect(!scope(.originStatus(404), .none, own).covers(german))
        #expect(scope(.originStatus(404), .none, own).covers(own))
        #expect(!scope(.originStatus(404)).covers(own))
    }
}

extension Fields {
    fileprivate static func language(_ value: String) -> Fields {
        var fields = Fields()
        fields.append(.acceptLanguage, value)
        return fields
    }
}
