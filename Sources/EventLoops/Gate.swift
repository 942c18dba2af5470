import Glibc

/// Holds a thread until another one opens it; for starting and stopping, never on a loop.
@safe
public final class Gate: @unchecked Sendable {
    // SAFETY: `remaining` is under `mutex`; the pointers are set once.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var remaining: Int

    /// Makes a gate that opens after `count` calls of `open`.
    public init(count: Int = 1) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        remaining = count
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        let code = unsafe pthread_mutex_init(mutex, nil) + pthread_cond_init(condition, &attributes)
        precondition(code == 0, "a gate cannot be made")
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Counts one of those the gate waits for.
    ///
    /// Any thread.
    public func open() {
        unsafe pthread_mutex_lock(mutex)
        remaining -= 1
        if remaining <= 0 { unsafe pthread_cond_broadcast(condition) }
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Waits until the gate is open.
    ///
    /// - Parameter timeout: how long at most; nil is for ever.
    /// - Returns: whether it is open.
    @discardableResult
    public func wait(atMost timeout: Duration? = nil) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        var deadline = timespec()
        if let timeout {
            unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
            let nanoseconds = Int64(deadline.tv_nsec) + timeout.wholeNanoseconds % 1_000_000_000
            deadline.tv_sec += Int(timeout.wholeNanoseconds / 1_000_000_000 + nanoseconds / 1_000_000_000)
            deadline.tv_nsec = Int(nanoseconds % 1_000_000_000)
        }
        while remaining > 0 {
            let code =
                timeout == nil
                ? unsafe pthread_cond_wait(condition, mutex)
                : unsafe pthread_cond_timedwait(condition, mutex, &deadline)
            if code == ETIMEDOUT { return remaining <= 0 }
        }
        return true
    }
}
