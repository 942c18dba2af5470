import EventLoops
import Synchronization

/// How many lines wait for the log's writer, and how many were lost.
///
/// Owner: any thread.
final class LogQueue: Sendable {
    private let capacity: Int
    private let waiting = Atomic<Int>(0)
    private let droppedCount = Atomic<UInt64>(0)

    /// Lets so many lines wait.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Lines lost so far.
    var dropped: UInt64 { droppedCount.load(ordering: .relaxed) }

    /// Takes a place for one more line; false when there is none.
    func admit() -> Bool {
        if waiting.add(1, ordering: .relaxed).newValue <= capacity { return true }
        waiting.subtract(1, ordering: .relaxed)
        return false
    }

    /// Gives a place back.
    ///
    /// - Returns: whether another line is on its way to the writer.
    func leave() -> Bool {
        waiting.subtract(1, ordering: .relaxed).newValue > 0
    }

    /// Counts lines that nobody will see.
    func countDropped(_ count: UInt64) {
        droppedCount.add(count, ordering: .relaxed)
    }
}

/// Which warnings were written lately, so that a lasting trouble fills no disk.
///
/// Owner: any thread.
final class LogRepeats: @unchecked Sendable {
    /// How long a warning is kept back after the last line of its key.
    static let interval: Duration = .seconds(60)

    private struct Entry {
        var lastLine: Instant
        var message: StaticString
        var keptBack = 0
    }

    // SAFETY: `entries` is touched only under `lock`.
    private let lock = Lock()
    private var entries: [String: Entry] = [:]

    /// Nothing was written yet.
    init() {}

    /// Asks for a line.
    ///
    /// - Returns: how many were kept back since the last line, or nil when this one is kept back too.
    func admit(_ key: StaticString, _ message: StaticString, at now: Instant) -> Int? {
        lock.withLock {
            let name = key.description
            guard var entry = entries[name] else {
                entries[name] = Entry(lastLine: now, message: message)
                return 0
            }
            if now - entry.lastLine < Self.interval {
                entry.keptBack += 1
                entries[name] = entry
                return nil
            }
            entries[name] = Entry(lastLine: now, message: message)
            return entry.keptBack
        }
    }

    /// Takes the counts of what is kept back.
    func takeAll() -> [(message: StaticString, keptBack: Int)] {
        lock.withLock {
            defer { entries = [:] }
            return entries.sorted { $0.key < $1.key }.map { ($0.value.message, $0.value.keptBack) }
                .filter { $0.1 > 0 }
        }
    }
}
