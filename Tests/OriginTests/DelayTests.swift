import EventLoops
import TestSupport
import Testing

@testable import Origin

/// How long a response took to come, which adds to its age.
@Suite(.blocking) struct DelayTests {
    /// RFC 9111 §4.2.3: a delay is as long as it was, whichever seconds the clock showed at its ends.
    @Test func `a request across the end of a second is not a second long`() throws {
        let origin = try ScriptedOrigin()
        let rig = try OriginRig()
        for _ in 0..<5 {
            let gate = TestSupport.Gate()
            origin.on("/a.png", OriginReply.image(.png).holding(gate))
            while WallClock.milliseconds() % 1000 < 800 { _ = gate.wait(upTo: .milliseconds(10)) }
            let begun = ContinuousClock.now
            let fetch = try rig.fetch(origin.url("/a.png"))
            let second = WallClock.seconds()
            while WallClock.seconds() == second { _ = gate.wait(upTo: .milliseconds(10)) }
            gate.open()
            let head = try #require(try fetch.wait().head)
            guard ContinuousClock.now - begun < .seconds(1) else { continue }  // Too busy a machine: once more.
            #expect(head.responseTime == head.requestTime)
            return
        }
    }
}
