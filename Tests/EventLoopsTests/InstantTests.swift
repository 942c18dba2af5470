import EventLoops
import Testing

@Suite struct InstantTests {
    @Test(
        arguments: [
            (Duration.zero, 0), (.nanoseconds(1), 1), (.nanoseconds(-1), -1), (.milliseconds(1500), 1_500_000_000),
            (.milliseconds(-1500), -1_500_000_000), (.seconds(292 * 365 * 86400), 292 * 365 * 86400 * 1_000_000_000),
            (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0),
            (Duration(secondsComponent: 0, attosecondsComponent: 1_000_000_000), 1),
            (.seconds(Int64.max), .max), (.seconds(Int64.min), .min), (.nanoseconds(Int64.max), .max),
            (.nanoseconds(Int64.max) + .nanoseconds(1), .max),
        ] as [(Duration, Int64)])
    func `a duration in nanoseconds stays at the ends`(duration: Duration, nanoseconds: Int64) {
        #expect(duration.wholeNanoseconds == nanoseconds)
    }

    @Test func `a duration just below the lower end stays there`() {
        let duration = Duration.nanoseconds(Int64.min) - .nanoseconds(1)
        #expect(duration.wholeNanoseconds == .min)
    }

    @Test(
        arguments: [
            (Duration.zero, 0), (.milliseconds(999), 0), (.milliseconds(1000), 1), (.milliseconds(2999), 2),
            (.seconds(-2), -2),
        ] as [(Duration, Int64)])
    func `a duration in whole seconds is rounded down`(duration: Duration, seconds: Int64) {
        #expect(duration.wholeSeconds == seconds)
    }

    @Test func `a negative duration is rounded down, too`() {
        #expect(Duration.milliseconds(-500).wholeSeconds == -1)
    }

    @Test func `instants are ordered, and durations lead from one to another`() {
        let instant = Instant(nanoseconds: 5_000_000_000)
        #expect(instant + .seconds(2) == Instant(nanoseconds: 7_000_000_000))
        #expect(instant + .seconds(-6) == Instant(nanoseconds: -1_000_000_000))
        #expect(instant - Instant(nanoseconds: 7_000_000_000) == .seconds(-2))
        #expect(instant < instant + .nanoseconds(1))
        #expect(instant < .distantFuture)
    }

    @Test func `no deadline stays no deadline`() {
        #expect(Instant.distantFuture + .seconds(1) == .distantFuture)
        #expect(Instant(nanoseconds: 1) + .seconds(Int64.max) == .distantFuture)
    }

    @Test func `the clock does not go back`() {
        var last = Instant.now()
        for _ in 0..<1000 {
            let now = Instant.now()
            #expect(now >= last)
            last = now
        }
    }

    @Test func `wall time in seconds and in milliseconds is the same time`() {
        let before = WallClock.seconds()
        let milliseconds = WallClock.milliseconds()
        let after = WallClock.seconds()
        #expect((before...after).contains(milliseconds / 1000))
    }
}
