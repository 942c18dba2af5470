import EventLoops
import Testing

@testable import ImageService

/// The queue as one would write it without a thought of cost.
private struct NaiveQueue {
    struct Waiting {
        let request: PermitRequest
        let deadline: Instant
    }

    var limits: DownloadQueue.Limits
    var waiting: [Waiting] = []
    var running: [PermitRequest] = []
    var inFlightBytes = 0

    private func hasRoom(_ host: [UInt8]) -> Bool {
        running.count { $0.host == host } < limits.downloadsPerHost
    }

    mutating func enqueue(_ request: PermitRequest, deadline: Instant) -> Bool {
        let mayRunAtOnce = waiting.isEmpty && running.count < limits.downloads && hasRoom(request.host)
        guard waiting.count < limits.queue || mayRunAtOnce else { return false }
        waiting.append(Waiting(request: request, deadline: deadline))
        return true
    }

    mutating func cancel(_ flight: FlightID) -> Bool {
        guard let place = waiting.firstIndex(where: { $0.request.flight == flight }) else { return false }
        waiting.remove(at: place)
        return true
    }

    mutating func finish(_ flight: FlightID) { running.removeAll { $0.flight == flight } }

    mutating func expire(now: Instant) -> [PermitRequest] {
        let expired = waiting.filter { $0.deadline <= now }.map(\.request)
        waiting.removeAll { $0.deadline <= now }
        return expired
    }

    mutating func grantNext() -> (request: PermitRequest, bytes: Int)? {
        guard running.count < limits.downloads else { return nil }
        let eligible = waiting.indices.filter { hasRoom(waiting[$0].request.host) }
        let highest = eligible.map { waiting[$0].request.priority }.max()
        guard let place = eligible.first(where: { waiting[$0].request.priority == highest }) else { return nil }
        let request = waiting[place].request
        let bytes = min(request.bytes, limits.inFlightBytes)
        guard inFlightBytes + bytes <= limits.inFlightBytes else { return nil }
        waiting.remove(at: place)
        running.append(request)
        inFlightBytes += bytes
        return (request, bytes)
    }
}

/// Both queues, and the clock and the reservations that a run needs.
private struct Comparison {
    private var generator: SeededGenerator
    private var queue: DownloadQueue
    private var model: NaiveQueue
    private var held: [Int] = []
    private var number: UInt64 = 0
    private var now = Instant(nanoseconds: 0)
    private let hasLeavers: Bool

    init(seed: UInt64, hasLeavers: Bool) {
        generator = SeededGenerator(seed: seed)
        self.hasLeavers = hasLeavers
        let limits = DownloadQueue.Limits(
            downloads: .random(in: 1...5, using: &generator), downloadsPerHost: .random(in: 1...3, using: &generator),
            queue: .random(in: 0...12, using: &generator), inFlightBytes: .random(in: 10...60, using: &generator))
        queue = DownloadQueue(limits: limits)
        model = NaiveQueue(limits: limits)
    }

    /// Takes one step in both; what differs, if anything.
    mutating func step() -> String? {
        now = now + .nanoseconds(Int.random(in: 0...3, using: &generator))
        let difference =
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<45: enqueue()
            case 45..<65: finish()
            case 65..<85: release()
            case 85..<95: hasLeavers ? cancel() : nil
            default: hasLeavers ? expire() : nil
            }
        return difference ?? grant() ?? counts()
    }

    private mutating func enqueue() -> String? {
        number += 1
        let request = PermitRequest(
            flight: FlightID(home: 0, number: number), host: [UInt8.random(in: 0..<4, using: &generator)],
            priority: Bool.random(using: &generator) ? .high : .low, bytes: .random(in: 1...70, using: &generator))
        let deadline = now + .nanoseconds(40)
        let result = (queue.enqueue(request, deadline: deadline), model.enqueue(request, deadline: deadline))
        return result.0 == result.1 ? nil : "enqueue \(result)"
    }

    private mutating func finish() -> String? {
        guard let flight = model.running.randomElement(using: &generator)?.flight else { return nil }
        queue.finish(flight)
        model.finish(flight)
        return nil
    }

    private mutating func release() -> String? {
        guard let place = held.indices.randomElement(using: &generator) else { return nil }
        let bytes = Int.random(in: 1...held[place], using: &generator)
        queue.release(bytes: bytes)
        model.inFlightBytes -= bytes
        held[place] -= bytes
        if held[place] == 0 { held.remove(at: place) }
        return nil
    }

    private mutating func cancel() -> String? {
        let flight = FlightID(home: 0, number: .random(in: 0...number, using: &generator))
        let result = (queue.cancel(flight), model.cancel(flight))
        return result.0 == result.1 ? nil : "cancel \(result)"
    }

    private mutating func expire() -> String? {
        let result = (queue.expire(now: now).map(\.flight), model.expire(now: now).map(\.flight))
        return result.0 == result.1 ? nil : "expire \(result)"
    }

    private mutating func grant() -> String? {
        while true {
            let (left, right) = (queue.grantNext(), model.grantNext())
            guard left?.request.flight == right?.request.flight, left?.bytes == right?.bytes else {
                return "granted \(String(describing: left)), expected \(String(describing: right))"
            }
            guard let right else { return nil }
            held.append(right.bytes)
        }
    }

    private func counts() -> String? {
        let left = [queue.waitingCount, queue.runningCount, queue.inFlightBytes]
        let right = [model.waiting.count, model.running.count, model.inFlightBytes]
        return left == right ? nil : "waiting, running, bytes \(left), expected \(right)"
    }
}

@Suite struct DownloadQueueModelTests {
    /// Runs until the two differ; where and in what they do.
    private func firstDifference(hasLeavers: Bool) -> String? {
        for seed in 0..<2000 as Range<UInt64> {
            var comparison = Comparison(seed: seed, hasLeavers: hasLeavers)
            for step in 0..<100 {
                if let difference = comparison.step() { return "seed \(seed), step \(step): \(difference)" }
            }
        }
        return nil
    }

    @Test func `the queue decides like one written naively`() {
        #expect(firstDifference(hasLeavers: false) == nil)
    }

    @Test func `the queue decides like one written naively when some leave early`() {
        #expect(firstDifference(hasLeavers: true) == nil)
    }
}
