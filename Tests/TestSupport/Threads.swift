import Glibc

/// A thread that runs one closure; the scripts block, so each has a thread of its own.
public final class ScriptThread: Sendable {
    private let isDone = Gate()

    /// Starts the thread at once.
    public init(_ body: @escaping @Sendable () -> Void) {
        let done = isDone
        let box = Unmanaged.passRetained(
            Box {
                body()
                done.open()
            })
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        pthread_attr_setstacksize(attributes, 512 * 1024)
        pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread: pthread_t = 0
        let code = pthread_create(
            &thread, attributes,
            { context in
                guard let context else { return nil }
                Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        pthread_attr_destroy(attributes)
        precondition(code == 0, "no thread for a script: error \(code)")
    }

    /// Waits for the end of the closure; false when it did not end within the time.
    @discardableResult
    public func join(upTo limit: Duration = .seconds(30)) -> Bool { isDone.wait(upTo: limit) }

    /// What travels through the C function as one pointer.
    private final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}

/// Runs the closure on so many threads at once, and hands back the results in order; the first error is thrown.
public func clients<Result: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Result
) throws -> [Result] {
    try ConcurrentClients(count, body).results()
}

/// Clients that run while the test goes on; `results` waits for them.
public final class ConcurrentClients<Value: Sendable>: Sendable {
    private let slots: Monitor<[Result<Value, any Error>?]>

    /// Starts the clients at once, each on its thread.
    public init(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Value) {
        let slots = Monitor<[Result<Value, any Error>?]>(Array(repeating: nil, count: count))
        self.slots = slots
        for index in 0..<count {
            _ = ScriptThread {
                let result = Result { try body(index) }
                slots.update { $0[index] = result }
            }
        }
    }

    /// How many have finished, well or not.
    public var finished: Int { slots.read { $0.count(where: { $0 != nil }) } }

    /// Waits until all have finished and hands back what they returned, in order of their numbers.
    public func results(upTo limit: Duration = .seconds(30)) throws -> [Value] {
        guard slots.wait(upTo: limit, until: { slots in slots.allSatisfy { $0 != nil } }) else {
            throw ScriptFailure.timedOut("\(finished) of the clients finished")
        }
        return try slots.read { try $0.compactMap { try $0?.get() } }
    }
}
