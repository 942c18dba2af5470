import EventLoops

/// Actions to be run later in the same turn of a loop, so that no call re-enters its caller.
final class LaterActions {
    private let loop: EventLoop
    private let mailbox: Mailbox<LoopBound<() -> Void>>

    /// Makes a queue whose actions run on `loop`.
    init(loop: EventLoop) {
        self.loop = loop
        mailbox = Mailbox(loop: loop) { $0.value() }
    }

    /// Runs `action` after the caller has returned.
    func run(_ action: @escaping () -> Void) {
        mailbox.post(LoopBound(action, loop: loop))
    }
}

@available(*, unavailable)
extension LaterActions: Sendable {}
