import EventLoops
import TestSupport
import Testing

@Suite(.blocking, .timeLimit(.minutes(Patience.factor))) struct GateTests {
    @Test(arguments: [Duration.zero, .nanoseconds(1), .milliseconds(1)])
    func `a closed gate holds only as long as allowed`(patience: Duration) {
        let gate = EventLoops.Gate()
        #expect(!gate.wait(atMost: patience))
    }

    @Test func `an open gate lets everybody through, now and later`() {
        let gate = EventLoops.Gate()
        gate.open()
        #expect(gate.wait())
        #expect(gate.wait(atMost: .zero))
        gate.open()
        #expect(gate.wait(atMost: .seconds(1)))
    }

    @Test func `a gate opens with the last of those it waits for`() {
        let gate = EventLoops.Gate(count: 3)
        gate.open()
        gate.open()
        #expect(!gate.wait(atMost: .zero))
        gate.open()
        #expect(gate.wait(atMost: .zero))
    }

    @Test func `a gate that waits for nobody is open`() {
        #expect(EventLoops.Gate(count: 0).wait(atMost: .zero))
    }

    @Test func `several threads wait for several others`() throws {
        // Given
        let gate = EventLoops.Gate(count: 4)
        let waiting = ConcurrentClients(4) { _ in gate.wait(atMost: .seconds(10)) }
        // When
        _ = try clients(4) { _ in gate.open() }
        // Then
        #expect(try waiting.results() == [true, true, true, true])
    }
}
