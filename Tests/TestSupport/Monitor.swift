import Glibc

/// State that several threads share, with a way to wait for a change of it.
///
/// A pthread mutex and condition rather than Swift's own, because the thread sanitizer knows them.
public final class Monitor<State>: @unchecked Sendable {
    // SAFETY: `state` is touched only while `mutex` is held; both pointers live as long as the object.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    /// Starts with the given state.
    public init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        let attributes = UnsafeMutablePointer<pthread_condattr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_condattr_init(attributes)
        pthread_condattr_setclock(attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, attributes)
        pthread_condattr_destroy(attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Reads the state.
    public func read<Result>(_ body: (State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(state)
    }

    /// Changes the state and wakes everybody who waits for a change.
    @discardableResult
    public func update<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
        }
        return try body(&state)
    }

    /// Waits until the condition holds; false when it did not within the time.
    public func wait(upTo limit: Duration = Patience.limit, until condition: (State) -> Bool) -> Bool {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = deadline.tv_nsec + Int(limit.components.attoseconds / 1_000_000_000)
        deadline.tv_sec += Int(limit.components.seconds) + nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !condition(state) {
            let code = pthread_cond_timedwait(changed, mutex, &deadline)
            if code == ETIMEDOUT { return condition(state) }
        }
        return true
    }
}
