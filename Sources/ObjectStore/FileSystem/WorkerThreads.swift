import CSystem
import Glibc

/// Threads that run jobs from a queue until the queue is closed: the one place of the store that makes threads.
///
/// They block all signals, which belong to the loops.
@safe
final class WorkerThreads: @unchecked Sendable {
    // SAFETY: `threads` is written by `start` before anyone else has the value, and read once, by `join`.
    private var threads: [pthread_t] = []
    private let queue: WorkQueue

    /// Makes no thread yet.
    init(queue: WorkQueue) {
        self.queue = queue
    }

    /// Starts threads.
    ///
    /// Fewer than asked for is fine, none is not.
    ///
    /// - Throws: the `errno` when not one thread could be made.
    func start(count: Int) throws(ThreadError) {
        for _ in 0..<count {
            var thread = pthread_t()
            let context = unsafe Unmanaged.passRetained(queue).toOpaque()
            let code = unsafe pthread_create(&thread, nil, runWorker, context)
            guard code == 0 else {
                unsafe Unmanaged<WorkQueue>.fromOpaque(context).release()
                guard !threads.isEmpty else { throw ThreadError(code: code) }
                return
            }
            threads.append(thread)
        }
    }

    /// Waits until the threads have ended; call after the queue was closed.
    func join() {
        for thread in threads { _ = pthread_join(thread, nil) }  // Fails only when already joined.
        threads = []
    }
}

/// Not one worker thread could be made.
struct ThreadError: Error {
    /// The `errno`.
    let code: Int32
}

private func runWorker(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let queue = unsafe Unmanaged<WorkQueue>.fromOpaque(context).takeRetainedValue()
    var all = sigset_t()
    unsafe sigfillset(&all)
    _ = unsafe pthread_sigmask(SIG_BLOCK, &all, nil)  // Fails only for an unknown way.
    _ = csystem_yield_to_wakers()  // A refusal costs time only.
    while let job = queue.next() { job() }
    return nil
}

/// The jobs that wait for a worker: reads before writes, writes before background work, each kind in order of arrival.
@safe
final class WorkQueue: @unchecked Sendable {
    /// What a worker does.
    typealias Job = @Sendable () -> Void

    /// The kinds of jobs, most urgent first.
    enum Lane: Int, CaseIterable {
        /// Someone waits for bytes.
        case reads
        /// Writes, removals, rewritten times.
        case writes
        /// What goes through all files: the scan at start, the walks of purges.
        case background
    }

    // SAFETY: the pointers are set once; everything else is under the mutex.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let arrived: UnsafeMutablePointer<pthread_cond_t>
    private var lanes: [JobLane] = Lane.allCases.map { _ in JobLane() }
    private var isClosed = false
    private let limit: Int

    /// An open, empty queue.
    ///
    /// - Parameter limit: how many jobs of one kind may wait.
    init(limit: Int) {
        self.limit = limit
        unsafe mutex = .allocate(capacity: 1)
        unsafe arrived = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe arrived.initialize(to: pthread_cond_t())
        let codes = unsafe (pthread_mutex_init(mutex, nil), pthread_cond_init(arrived, nil))
        precondition(codes == (0, 0), "mutex or condition could not be made: \(codes)")
    }

    deinit {
        unsafe pthread_cond_destroy(arrived)
        unsafe pthread_mutex_destroy(mutex)
        unsafe arrived.deallocate()
        unsafe mutex.deallocate()
    }

    /// Adds a job.
    ///
    /// Any thread.
    ///
    /// - Parameter always: also beyond the limit; for jobs whose number is bounded elsewhere and that must run.
    /// - Returns: whether the job will run.
    func add(_ lane: Lane, always: Bool, _ job: @escaping Job) -> Bool {
        let isTaken = withMutex {
            guard !isClosed, always || lanes[lane.rawValue].count < limit else { return false }
            lanes[lane.rawValue].append(job)
            return true
        }
        // After the mutex was let go: else the worker wakes only to wait for it.
        if isTaken { _ = unsafe pthread_cond_signal(arrived) }
        return isTaken
    }

    /// The next job; waits for one.
    ///
    /// Nil when the queue is closed and empty.
    func next() -> Job? {
        withMutex {
            while true {
                for lane in lanes.indices {
                    if let job = lanes[lane].popFirst() { return job }
                }
                if isClosed { return nil }
                _ = unsafe pthread_cond_wait(arrived, mutex)
            }
        }
    }

    /// Takes no more jobs; reads and writes that are queued still run, background work does not.
    func close() {
        withMutex {
            isClosed = true
            lanes[Lane.background.rawValue] = JobLane()
            _ = unsafe pthread_cond_broadcast(arrived)
        }
    }

    private func withMutex<R>(_ body: () -> R) -> R {
        let code = unsafe pthread_mutex_lock(mutex)
        precondition(code == 0, "pthread_mutex_lock failed with \(code)")
        defer { _ = unsafe pthread_mutex_unlock(mutex) }
        return body()
    }
}

/// Jobs in order of arrival.
private struct JobLane {
    private var jobs: [WorkQueue.Job?] = []
    private var first = 0

    var count: Int { jobs.count - first }

    mutating func append(_ job: @escaping WorkQueue.Job) {
        jobs.append(job)
    }

    mutating func popFirst() -> WorkQueue.Job? {
        guard first < jobs.count else { return nil }
        let job = jobs[first]
        jobs[first] = nil
        first += 1
        if first == jobs.count || first >= 1024 {
            jobs.removeFirst(first)
            first = 0
        }
        return job
    }
}
