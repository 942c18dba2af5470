import EventLoops
import Testing

@testable import Origin

struct FetchDeadlinesTests {
    private let settings: OriginSettings
    private var deadlines: FetchDeadlines

    init() {
        var settings = OriginSettings()
        settings.connectTimeout = .seconds(5)
        settings.firstByteTimeout = .seconds(30)
        settings.transferIdleTimeout = .seconds(15)
        settings.totalTimeout = .seconds(100)
        self.settings = settings
        deadlines = FetchDeadlines(settings: settings, at: Self.at(0))
    }

    private static func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    @Test mutating func `each phase has its own limit`() {
        #expect(deadlines.next == Self.at(100))
        let limits: [(FetchDeadlines.Phase, Int64)] = [
            (.connecting, 5), (.awaitingHead, 30), (.receiving, 15), (.draining, 1),
        ]
        for (phase, limit) in limits {
            deadlines.enter(phase, at: Self.at(10))
            #expect(deadlines.next == Self.at(10 + limit))
            #expect(deadlines.expired(at: Self.at(9 + limit)) == nil)
            #expect(deadlines.expired(at: Self.at(10 + limit)) == .phase(phase))
        }
    }

    @Test mutating func `bytes move the idle limit but not the total`() {
        deadlines.enter(.receiving, at: Self.at(0))
        for second in stride(from: Int64(10), through: 90, by: 10) { deadlines.progressed(at: Self.at(second)) }
        #expect(deadlines.next == Self.at(100))
        #expect(deadlines.expired(at: Self.at(100)) == .total)
    }

    @Test mutating func `all clocks stand still while paused`() {
        deadlines.enter(.receiving, at: Self.at(0))
        deadlines.pause(at: Self.at(10))
        #expect(deadlines.next == nil)
        #expect(deadlines.expired(at: Self.at(1_000)) == nil)
        deadlines.resume(at: Self.at(1_010))
        #expect(deadlines.next == Self.at(1_015))
        deadlines.progressed(at: Self.at(1_015))
        #expect(deadlines.expired(at: Self.at(1_030)) == .phase(.receiving))
        deadlines.enter(.awaitingHead, at: Self.at(1_090))
        #expect(deadlines.next == Self.at(1_100))
    }

    @Test mutating func `a phase entered while paused has its whole time afterwards`() {
        deadlines.pause(at: Self.at(10))
        deadlines.enter(.awaitingHead, at: Self.at(40))
        deadlines.resume(at: Self.at(50))
        #expect(deadlines.next == Self.at(80))
    }
}
