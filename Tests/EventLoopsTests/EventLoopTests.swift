import EventLoops
import Synchronization
import Testing

@Suite struct EventLoopTests {
    @Test func `messages from another thread arrive in order`() throws {
        // Given
        let loop = try EventLoop(index: 0)
        let seen = Atomic<Int>(0)
        let disordered = Atomic<Int>(0)
        let mailbox = Mailbox<Int>(loop: loop) { number in
            let before = seen.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
            if before != number { disordered.wrappingAdd(1, ordering: .relaxed) }
            if number == 9_999 { loop.stop() }
        }
        // When
        try loop.start(name: "test")
        for number in 0..<10_000 { mailbox.post(number) }
        loop.join()
        // Then
        #expect(seen.load(ordering: .relaxed) == 10_000)
        #expect(disordered.load(ordering: .relaxed) == 0)
    }

    @Test func `a message to one's own loop is handled later in the same turn`() throws {
        // Given
        let loop = try EventLoop(index: 0)
        let log = Log()
        let box = Box()
        box.mailbox = Mailbox<Int>(loop: loop) { number in
            log.append("begin \(number) turn \(loop.turns)")
            if number == 0 { box.mailbox?.post(1) } else { loop.stop() }
            log.append("end \(number)")
        }
        // When
        box.mailbox?.post(0)
        try loop.start(name: "test")
        loop.join()
        // Then
        #expect(log.lines == ["begin 0 turn 1", "end 0", "begin 1 turn 1", "end 1"])
    }

    @Test func `a timer fires once and at most a clock tick early`() throws {
        // Given
        let loop = try EventLoop(index: 0)
        let fired = Atomic<Int>(0)
        let start = Instant.now()
        let timer = LoopBound(
            Timer(loop: loop) {
                fired.wrappingAdd(1, ordering: .relaxed)
                loop.stop()
            }, loop: loop)
        // When
        timer.value.schedule(after: .milliseconds(20))
        try loop.start(name: "test")
        loop.join()
        // Then
        #expect(fired.load(ordering: .relaxed) == 1)
        #expect(Instant.now() - start >= .milliseconds(10))
    }
}

/// Lines written by one thread and read after it has ended.
private final class Log: Sendable {
    private let lock = Lock()
    nonisolated(unsafe) private var stored: [String] = []  // SAFETY: under `lock`.

    var lines: [String] { lock.withLock { stored } }
    func append(_ line: String) { lock.withLock { stored.append(line) } }
}

private final class Box: @unchecked Sendable {
    // SAFETY: set before the loop starts.
    var mailbox: Mailbox<Int>?
}
