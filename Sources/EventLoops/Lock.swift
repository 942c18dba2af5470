import Glibc

/// A mutual exclusion lock for the few pieces of state that threads share.
///
/// `Synchronization.Mutex` gives false reports under the thread sanitizer; a `pthread_mutex` does not, and is as fast.
/// Never held across a call into another module's lock, except in the order that the memory tier documents.
@safe
public final class Lock: @unchecked Sendable {
    // SAFETY: the pointer is set once, and a pthread mutex may be used from every thread.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Makes an unlocked lock.
    public init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        let code = unsafe pthread_mutex_init(mutex, nil)
        precondition(code == 0, "pthread_mutex_init failed with \(code)")
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deinitialize(count: 1)
        unsafe mutex.deallocate()
    }

    /// Waits until the lock is free and takes it.
    @inline(__always)
    public func lock() {
        let code = unsafe pthread_mutex_lock(mutex)
        precondition(code == 0, "pthread_mutex_lock failed with \(code)")
    }

    /// Gives the lock back; the caller holds it.
    @inline(__always)
    public func unlock() {
        let code = unsafe pthread_mutex_unlock(mutex)
        precondition(code == 0, "pthread_mutex_unlock failed with \(code)")
    }

    /// Runs `body` while holding the lock.
    @inline(__always)
    public func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}
