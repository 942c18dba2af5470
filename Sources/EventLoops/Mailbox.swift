/// Something with messages to deliver on a loop.
protocol Drainable: AnyObject, Sendable {
    /// Delivers the messages that are there; the loop calls.
    func drain()
}

/// How threads talk to a loop: messages go in anywhere and are handled on the loop, in order of arrival.
///
/// A message to one's own loop is queued too and handled later in the same turn, so no call re-enters its caller.
///
/// Cost: a lock and an array append a message; the loop is woken only when it may sleep.
public final class Mailbox<Message: Sendable>: Drainable, @unchecked Sendable {
    // SAFETY: `queue` is under `lock`; `batch` and `handler` belong to the loop.
    private let loop: EventLoop
    private let lock = Lock()
    private var queue: [Message] = []
    private var batch: [Message] = []
    private var handler: ((Message) -> Void)?

    /// Makes a mailbox whose messages `handler` receives on `loop`.
    public init(loop: EventLoop, handler: @escaping (Message) -> Void) {
        self.loop = loop
        self.handler = handler
    }

    /// Sends a message.
    ///
    /// Any thread.
    public func post(_ message: Message) {
        let wasEmpty = lock.withLock {
            queue.append(message)
            return queue.count == 1
        }
        if wasEmpty { loop.schedule(self) }
    }

    /// Delivers nothing any more and lets the handler go.
    ///
    /// Owner: the loop.
    public func close() {
        loop.preconditionCurrent()
        handler = nil
    }

    /// Hands the messages that are there to the handler; those it posts meanwhile come with the next call.
    ///
    /// Owner: the loop.
    func drain() {
        lock.withLock { swap(&queue, &batch) }
        let messages = batch
        batch = []
        for message in messages { handler?(message) }
        recycle(messages)
    }

    /// Keeps the larger buffer for the next batch, so that a busy mailbox stops allocating.
    private func recycle(_ messages: consuming [Message]) {
        var messages = messages
        messages.removeAll(keepingCapacity: messages.capacity <= 4096)
        if messages.capacity > batch.capacity { batch = messages }
    }
}
