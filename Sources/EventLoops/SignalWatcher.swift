import CLibevent

/// Tells a loop of a signal.
///
/// Only a program that owns its process makes one: the library never touches signals.
@safe
public final class SignalWatcher {
    private let loop: EventLoop
    private var event: OpaquePointer?
    private let handler: () -> Void

    /// Watches `signal`; one loop of the process at most may watch signals (libevent keeps one handler table).
    ///
    /// - Throws: `LoopError.libevent` when the event cannot be made.
    public init(loop: EventLoop, signal: Int32, handler: @escaping () -> Void) throws(LoopError) {
        loop.preconditionCurrent()
        self.loop = loop
        self.handler = handler
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe event = event_new(loop.base, signal, Int16(EV_SIGNAL | EV_PERSIST), signalArrived, context)
        guard let event = unsafe event, unsafe event_add(event, nil) == 0 else {
            throw .libevent(function: "event_new")
        }
    }

    deinit {
        loop.preconditionCurrent()
        if let event = unsafe event { unsafe event_free(event) }
    }

    fileprivate func arrived() {
        handler()
    }
}

@available(*, unavailable)
extension SignalWatcher: Sendable {}

private func signalArrived(_ signal: Int32, _ events: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<SignalWatcher>.fromOpaque(context).takeUnretainedValue().arrived()
}
