import Settings

/// Makes lines of what was logged and writes them, many at once when many wait.
///
/// Owner: the log's loop.
final class LogWriter {
    /// How much is gathered before it is written.
    private static let batchBytes = 65_536

    private let queue: LogQueue
    private let clock: LogClock
    private let output: ([UInt8]) -> Bool
    private var batch: [UInt8] = []
    private var linesInBatch: UInt64 = 0
    private var reportedDrops: UInt64 = 0

    /// Writes to `output`, which says whether it took the lines.
    init(queue: LogQueue, clock: LogClock, output: @escaping ([UInt8]) -> Bool) {
        self.queue = queue
        self.clock = clock
        self.output = output
    }

    /// Takes a line; it is written at the latest when no other one is on its way.
    func receive(_ line: LogLine) {
        let isMoreComing = queue.leave()
        line.append(to: &batch)
        linesInBatch += 1
        if !isMoreComing { reportDrops() }
        if !isMoreComing || batch.count >= Self.batchBytes { flush() }
    }

    /// Writes what is gathered.
    func flush() {
        guard !batch.isEmpty else { return }
        if !output(batch) { queue.countDropped(linesInBatch) }
        batch.removeAll(keepingCapacity: batch.capacity <= 2 * Self.batchBytes)
        linesInBatch = 0
    }

    /// Says in the log itself that it has a gap.
    private func reportDrops() {
        let dropped = queue.dropped
        guard dropped > reportedDrops else { return }
        let count = dropped - reportedDrops
        reportedDrops = dropped
        LogLine(
            milliseconds: clock.wallMilliseconds(), level: .warning, message: "log lines were dropped",
            fields: ["count": count.description]
        ).append(to: &batch)
    }
}

@available(*, unavailable)
extension LogWriter: Sendable {}
