import EventLoops
import Synchronization

/// The bytes of the whole tier: what its files take, and what is promised to writes that have not landed.
///
/// Reserved before a file is begun and given back when one is gone, so that the directory is never over its limit by
/// more than the blocks of a file that turned out larger than its length.
final class DiskBudget: Sendable {
    private let used = Atomic<Int>(0)
    private let staged = Atomic<Int>(0)
    private let limit: Atomic<Int>
    private let stagingLimit: Int
    private let waiters = RoomWaiters()

    /// A budget of which nothing is used.
    init(limitBytes: Int, stagingLimitBytes: Int) {
        limit = Atomic(limitBytes)
        stagingLimit = stagingLimitBytes
    }

    /// What files and promises take.
    ///
    /// Any thread.
    var usedBytes: Int { used.load(ordering: .relaxed) }

    /// The most that they may take.
    ///
    /// Any thread.
    var limitBytes: Int {
        get { limit.load(ordering: .relaxed) }
        set { limit.store(newValue, ordering: .relaxed) }
    }

    /// Promises bytes to a write.
    ///
    /// - Returns: false when they are not there.
    func reserve(_ bytes: Int) -> Bool {
        let after = used.add(bytes, ordering: .relaxed).newValue
        guard after > limitBytes else { return true }
        used.subtract(bytes, ordering: .relaxed)
        return false
    }

    /// Counts a file that is there, whether or not it fits.
    func charge(_ bytes: Int) {
        used.add(bytes, ordering: .relaxed)
    }

    /// Gives bytes back, and tells those who wait for room.
    func release(_ bytes: Int) {
        guard bytes != 0 else { return }
        used.subtract(bytes, ordering: .relaxed)
        for wake in waiters.takeAll() { wake() }
    }

    /// Calls once, from any thread, after bytes were given back.
    func whenReleased(_ wake: @escaping @Sendable () -> Void) {
        waiters.add(wake)
    }

    /// Takes memory for a record that waits to be written.
    func stage(_ bytes: Int) -> Bool {
        let after = staged.add(bytes, ordering: .relaxed).newValue
        guard after > stagingLimit else { return true }
        staged.subtract(bytes, ordering: .relaxed)
        return false
    }

    /// Gives that memory back.
    func unstage(_ bytes: Int) {
        staged.subtract(bytes, ordering: .relaxed)
    }
}

// SAFETY: `list` is touched under the lock only.
/// Who waits for room.
private final class RoomWaiters: @unchecked Sendable {
    private let lock = Lock()
    private var list: [@Sendable () -> Void] = []

    func add(_ wake: @escaping @Sendable () -> Void) {
        lock.withLock { list.append(wake) }
    }

    func takeAll() -> [@Sendable () -> Void] {
        lock.withLock {
            guard !list.isEmpty else { return [] }
            let all = list
            list = []
            return all
        }
    }
}
