/// A few threads for the calls that block, so that no loop ever waits for a disk.
///
/// Jobs answer by `Mailbox`. One queue for all shards: which worker does what is no one's business, and order between
/// jobs on one file is the shard's.
final class DiskWorkers: Sendable {
    private let queue: WorkQueue
    private let threads: WorkerThreads

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - count: how many threads; at least 1.
    ///   - queueLimit: how many jobs of one kind may wait.
    /// - Throws: `StoreError.noWorkers` when not one thread can be made.
    init(count: Int, queueLimit: Int) throws(StoreError) {
        queue = WorkQueue(limit: queueLimit)
        threads = WorkerThreads(queue: queue)
        do { try threads.start(count: max(count, 1)) } catch { throw .noWorkers(code: error.code) }
    }

    /// Hands over a job.
    ///
    /// Any thread.
    ///
    /// - Returns: false when the queue is full or closed; then the job never runs.
    func submit(
        _ lane: WorkQueue.Lane, always: Bool = false, _ job: @escaping @Sendable () -> Void
    ) -> Bool {
        queue.add(lane, always: always, job)
    }

    /// Runs what is queued, scans excepted, and ends the threads.
    ///
    /// Never from a worker.
    func close() {
        queue.close()
        threads.join()
    }
}
