import EventLoops
import Synchronization

/// Whether the disk takes writes.
///
/// After a refusal that concerns the whole disk nothing is written for a while; then one write tries, and its success
/// opens the way for all.
final class DiskHealth: Sendable {
    private let stoppedAt = Atomic<Int64>(0)
    private let nextTry = Atomic<Int64>(0)
    private let retryAfter: Duration
    private let onWarning: @Sendable (StoreWarning) -> Void

    /// A healthy disk.
    init(retryAfter: Duration, onWarning: @escaping @Sendable (StoreWarning) -> Void) {
        self.retryAfter = retryAfter
        self.onWarning = onWarning
    }

    /// Whether the tier is down to memory.
    ///
    /// Any thread.
    var isStopped: Bool { nextTry.load(ordering: .relaxed) != 0 }

    /// Whether a write would be turned away now.
    func refuses(_ now: Instant) -> Bool {
        now.nanoseconds < nextTry.load(ordering: .relaxed)
    }

    /// Asks to begin a write.
    ///
    /// While the disk is stopped, one caller a period is let through.
    func mayBegin(_ now: Instant) -> Bool {
        let due = nextTry.load(ordering: .relaxed)
        guard due != 0 else { return true }
        guard now.nanoseconds >= due else { return false }
        let (won, _) = nextTry.compareExchange(
            expected: due, desired: (now + retryAfter).nanoseconds, ordering: .relaxed)
        return won
    }

    /// Notes a refusal.
    func failed(_ error: FileError, at now: Instant) {
        guard error.concernsDisk else { return }
        stoppedAt.store(now.nanoseconds, ordering: .relaxed)
        let before = nextTry.exchange(max((now + retryAfter).nanoseconds, 1), ordering: .relaxed)
        if before == 0 { onWarning(.writesStopped(error)) }
    }

    /// Notes that a write, begun at an instant, has landed.
    ///
    /// One begun before the refusal proves nothing.
    func succeeded(begunAt start: Instant) {
        guard isStopped, start.nanoseconds >= stoppedAt.load(ordering: .relaxed) else { return }
        if nextTry.exchange(0, ordering: .relaxed) != 0 { onWarning(.writesResumed) }
    }
}
