import EventLoops
import Settings
import Synchronization

/// The service's log: fixed messages with keys, written by a thread of its own.
///
/// Query strings, signatures, credentials and client header values never come here. When lines come faster than they
/// can be written the newest are dropped and counted; nobody waits for the log.
///
/// Shape: `2026-10-05T12:00:00.123Z info the message key=value key="value with space"`, one line each.
public final class Log: Sendable {
    private let threshold: Atomic<Int>
    private let queue: LogQueue
    private let clock: LogClock
    private let repeats = LogRepeats()
    private let loop: EventLoop
    private let mailbox: Mailbox<LogLine>
    private let writer: LoopBound<LogWriter>
    private let isClosed = Atomic<Bool>(false)

    /// Starts a log.
    ///
    /// - Parameters:
    ///   - capacity: how many lines may wait for the writer.
    ///   - output: takes one or more whole lines, on the log's thread; says whether they were written.
    /// - Throws: `LoopError` when there is no thread or descriptor for the writer.
    init(
        level: LogLevel, capacity: Int = 4096, clock: LogClock = .system,
        output: @escaping @Sendable ([UInt8]) -> Bool
    ) throws(LoopError) {
        threshold = Atomic(level.rank)
        self.clock = clock
        queue = LogQueue(capacity: capacity)
        loop = try EventLoop(index: -1)
        let writer = LogWriter(queue: queue, clock: clock, output: output)
        self.writer = LoopBound(writer, loop: loop)
        mailbox = Mailbox(loop: loop) { writer.receive($0) }
        try loop.start(name: "log")
    }

    /// Starts a log on standard error.
    ///
    /// - Throws: `LoopError` when there is no thread or descriptor for the writer.
    public convenience init(level: LogLevel) throws(LoopError) {
        let standardError = StandardError()
        try self.init(level: level) { standardError.write($0) }
    }

    /// Starts a log that hands its lines to a closure, on the log's thread.
    ///
    /// - Throws: `LoopError` when there is no thread or descriptor for the writer.
    public convenience init(level: LogLevel, write: @escaping @Sendable ([UInt8]) -> Void) throws(LoopError) {
        try self.init(level: level) { bytes in
            write(bytes)
            return true
        }
    }

    deinit {
        close()
    }

    // MARK: Lines

    /// Says whether lines of a level are written, where making the fields takes several statements.
    func isLogged(_ level: LogLevel) -> Bool {
        level.rank >= threshold.load(ordering: .relaxed)
    }

    /// Changes what is written from now on, from any thread.
    func setLevel(_ level: LogLevel) {
        threshold.store(level.rank, ordering: .relaxed)
    }

    /// Writes a line, from any thread.
    ///
    /// - Parameter fields: made only when the level is written.
    ///
    /// Cost: nothing but a load below the level; else a clock reading, the fields and a message to the writer.
    public func log(
        _ level: LogLevel, _ message: StaticString, _ fields: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) {
        guard isLogged(level) else { return }
        enqueue(level, message, fields(), repeated: 0)
    }

    /// Writes a warning the first time, and then once a minute at most, with the count of those kept back (`repeated`).
    ///
    /// What was kept back last comes with the next line, or when the log closes.
    ///
    /// - Parameter key: what is the same trouble; fixed, so that there are few.
    func warn(
        oncePerMinute key: StaticString, _ message: StaticString,
        _ fields: @autoclosure () -> KeyValuePairs<String, String> = [:]
    ) {
        guard isLogged(.warning), let repeated = repeats.admit(key, message, at: clock.now()) else { return }
        enqueue(.warning, message, fields(), repeated: repeated)
    }

    private func enqueue(
        _ level: LogLevel, _ message: StaticString, _ fields: KeyValuePairs<String, String>, repeated: Int
    ) {
        guard !isClosed.load(ordering: .relaxed), queue.admit() else { return queue.countDropped(1) }
        mailbox.post(
            LogLine(
                milliseconds: clock.wallMilliseconds(), level: level, message: message, fields: fields,
                repeated: repeated))
    }

    // MARK: The end

    /// Lines lost so far.
    var dropped: UInt64 { queue.dropped }

    /// Writes what waits and ends the thread; lines that come later are dropped.
    ///
    /// Called from any thread but the log's, and never from a loop: it waits.
    public func close() {
        for (message, count) in repeats.takeAll() { enqueue(.warning, message, [:], repeated: count) }
        guard !isClosed.exchange(true, ordering: .sequentiallyConsistent) else { return }
        loop.stop()
        loop.join()
        writer.value.flush()
        mailbox.close()
    }
}

/// Where a log takes the time from.
struct LogClock: Sendable {
    /// The time for minutes.
    var now: @Sendable () -> Instant
    /// The time that stands in lines, in Unix milliseconds.
    var wallMilliseconds: @Sendable () -> Int64

    /// The machine's clocks.
    static let system = LogClock(now: { Instant.now() }, wallMilliseconds: { WallClock.milliseconds() })
}

extension LogLevel {
    /// The place of the level among all, the least important first.
    var rank: Int {
        switch self {
        case .trace: 0
        case .debug: 1
        case .info: 2
        case .warning: 3
        case .error: 4
        }
    }
}
