import Testing

@testable import ImageService

private typealias State = FlightMachine.State
private typealias Event = FlightMachine.Event
private typealias Action = FlightMachine.Action

private let refusal = Failure.overloaded("the queue is full")
private let failure = Failure.originDNS

/// What leads to each state from the beginning.
private let ways: [(state: State, readsDisk: Bool, events: [Event])] = [
    (.lookingUp, true, []),
    (.queued, false, []),
    (.asking, false, [.permitGranted]),
    (.judging, false, [.permitGranted, .headAccepted(needsSniffing: true)]),
    (.streaming, false, [.permitGranted, .headAccepted(needsSniffing: false)]),
    (.ended, false, [.cancelled]),
]

private let events: [Event] = [
    .diskAnswered(isUsable: true), .diskAnswered(isUsable: false), .permitGranted, .permitRefused(refusal),
    .headAccepted(needsSniffing: true), .headAccepted(needsSniffing: false), .notModified, .contentAccepted,
    .bodyFinished, .failed(failure), .abandoned(isKept: true), .abandoned(isKept: false), .cancelled,
]

/// Every pair of state and event that does something; all others do nothing.
private let moves: [State: [Event: (State, Action)]] = [
    .lookingUp: [
        .diskAnswered(isUsable: true): (.ended, .answerFromDisk),
        .diskAnswered(isUsable: false): (.queued, .requestPermit),
        .failed(failure): (.ended, .fail(failure)),
        .cancelled: (.ended, .fail(.cancelled)),
    ],
    .queued: [
        .permitGranted: (.asking, .fetch),
        .permitRefused(refusal): (.ended, .fail(refusal)),
        .failed(failure): (.ended, .fail(failure)),
        .abandoned(isKept: true): (.ended, .withdraw),
        .abandoned(isKept: false): (.ended, .withdraw),
        .cancelled: (.ended, .fail(.cancelled)),
    ],
    .asking: [
        .headAccepted(needsSniffing: true): (.judging, .hold),
        .headAccepted(needsSniffing: false): (.streaming, .announce),
        .notModified: (.ended, .answerFreshened),
        .failed(failure): (.ended, .fail(failure)),
        .abandoned(isKept: false): (.ended, .fail(.cancelled)),
        .cancelled: (.ended, .fail(.cancelled)),
    ],
    .judging: [
        .contentAccepted: (.streaming, .announce),
        .failed(failure): (.ended, .fail(failure)),
        .abandoned(isKept: false): (.ended, .fail(.cancelled)),
        .cancelled: (.ended, .fail(.cancelled)),
    ],
    .streaming: [
        .bodyFinished: (.ended, .complete),
        .failed(failure): (.ended, .fail(failure)),
        .abandoned(isKept: false): (.ended, .fail(.cancelled)),
        .cancelled: (.ended, .fail(.cancelled)),
    ],
    .ended: [:],
]

@Suite struct FlightMachineTests {
    @Test func `each event in each state leads where the table says`() throws {
        for way in ways {
            for event in events {
                // Given
                var (machine, _) = FlightMachine.start(readsDisk: way.readsDisk)
                for event in way.events { _ = machine.receive(event) }
                #expect(machine.state == way.state)
                // When
                let action = machine.receive(event)
                // Then
                let expected = try #require(moves[way.state])[event] ?? (way.state, .none)
                #expect(machine.state == expected.0, "\(event) in \(way.state)")
                #expect(action == expected.1, "\(event) in \(way.state)")
            }
        }
    }

    @Test func `a flight begins with the disk or with the queue`() {
        let (reading, read) = FlightMachine.start(readsDisk: true)
        #expect(reading.state == .lookingUp)
        #expect(read == .readDisk)
        let (queued, request) = FlightMachine.start(readsDisk: false)
        #expect(queued.state == .queued)
        #expect(request == .requestPermit)
    }

    @Test func `the whole life of a download is told once`() {
        var (machine, _) = FlightMachine.start(readsDisk: true)
        let life: [Event] = [
            .diskAnswered(isUsable: false), .permitGranted, .headAccepted(needsSniffing: true), .contentAccepted,
            .bodyFinished, .bodyFinished, .cancelled,
        ]
        let actions = life.map { machine.receive($0) }
        #expect(actions == [.requestPermit, .fetch, .hold, .announce, .complete, .none, .none])
    }

    @Test func `a head is there from its acceptance to the end`() {
        let withHead = ways.filter { way in
            var (machine, _) = FlightMachine.start(readsDisk: way.readsDisk)
            for event in way.events { _ = machine.receive(event) }
            return machine.hasHead
        }
        #expect(withHead.map(\.state) == [.judging, .streaming])
    }
}
