import EventLoops
import TestSupport
import Testing

@Suite(.blocking, .timeLimit(.minutes(Patience.factor))) struct TimerTests {
    /// Schedules timers, and tells how often each had fired when one scheduled last, for later, has.
    private func fired(_ schedule: @escaping @Sendable ([Timer]) -> Void) throws -> [Int] {
        let (rig, counts, isOver) = (try LoopRig(), Monitor([0, 0]), Monitor(false))
        defer { rig.stop() }
        let held = Held<[Timer]>()
        try rig.run {
            held.value = (0..<2).map { number in
                Timer(loop: rig.loop) { counts.update { $0[number] += 1 } }
            }
            held.value?.append(Timer(loop: rig.loop) { isOver.update { $0 = true } })
            schedule(held.value ?? [])
            held.value?[2].schedule(after: .milliseconds(40))
        }
        guard isOver.wait(until: { $0 }) else { throw ScriptFailure.timedOut("the last timer") }
        return try rig.run {
            held.value = nil
            return counts.read { $0 }
        }
    }

    @Test func `a schedule replaces the one before`() throws {
        let counts = try fired { timers in
            timers[0].schedule(after: .seconds(3600))
            timers[0].schedule(after: .milliseconds(1))
            timers[1].schedule(after: .milliseconds(1))
            timers[1].schedule(after: .seconds(3600))
        }
        #expect(counts == [1, 0])
    }

    @Test func `a cancelled timer does not fire, and may be scheduled again`() throws {
        let counts = try fired { timers in
            timers[0].schedule(after: .milliseconds(1))
            timers[0].cancel()
            timers[0].cancel()
            timers[1].schedule(after: .milliseconds(1))
            timers[1].cancel()
            timers[1].schedule(after: .milliseconds(1))
        }
        #expect(counts == [0, 1])
    }

    @Test func `a delay that is over already is no delay`() throws {
        let counts = try fired { timers in
            timers[0].schedule(after: .zero)
            timers[1].schedule(after: .seconds(-5))
        }
        #expect(counts == [1, 1])
    }

    @Test func `a timer may schedule itself from its handler`() throws {
        // Given
        let (rig, count, held) = (try LoopRig(), Monitor(0), Held<Timer>())
        defer { rig.stop() }
        // When
        try rig.run {
            held.value = Timer(loop: rig.loop) {
                let isLast = count.update {
                    $0 += 1
                    return $0 == 3
                }
                if !isLast { held.value?.schedule(after: .microseconds(100)) }
            }
            held.value?.schedule(after: .zero)
        }
        // Then
        #expect(count.wait { $0 == 3 })
        try rig.run { held.value = nil }
    }

    @Test func `a timer that is let go does not fire`() throws {
        // Given
        let (rig, count) = (try LoopRig(), Monitor(0))
        defer { rig.stop() }
        // When
        try rig.run {
            let timer = Timer(loop: rig.loop) { count.update { $0 += 1 } }
            timer.schedule(after: .zero)
        }
        try rig.run {}
        try rig.run {}
        // Then
        #expect(count.read { $0 } == 0)
    }
}
