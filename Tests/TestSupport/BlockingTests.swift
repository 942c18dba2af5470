import Testing

/// Runs tests on threads that may block.
///
/// Scripts wait for sockets and gates. On the shared pool, with one thread a core, a few waiting tests would hold up all the
/// others; here so many run at once that their waits overlap, and no more than the machine bears.
public struct BlockingTests: SuiteTrait, TestTrait, TestScoping {
    /// Holds for the suites and tests below it too.
    public var isRecursive: Bool { true }

    /// Runs the test on a thread of the pool.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingPool.shared) { try await function() }
    }
}

extension Trait where Self == BlockingTests {
    /// Runs the tests on threads that may block.
    public static var blocking: BlockingTests { BlockingTests() }
}

/// A fixed number of threads that run jobs in the order they come.
final class BlockingPool: TaskExecutor {
    static let shared = BlockingPool(threads: 12)

    private let jobs = Monitor<[UnownedJob]>([])

    private init(threads: Int) {
        for _ in 0..<threads {
            _ = ScriptThread { [self] in
                while true { next().runSynchronously(on: asUnownedTaskExecutor()) }
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.update { $0.append(job) }
    }

    private func next() -> UnownedJob {
        while true {
            _ = jobs.wait(upTo: .seconds(60)) { !$0.isEmpty }
            if let job = jobs.update({ $0.isEmpty ? nil : $0.removeFirst() }) { return job }
        }
    }
}
