import CLibevent

/// Watches a descriptor that somebody else owns; level-triggered, until told otherwise.
@safe
public final class SocketWatcher {
    /// What a descriptor may be ready for.
    public struct Events: OptionSet, Sendable {
        /// The bits as libevent has them.
        public let rawValue: Int16
        /// Makes a set of libevent's bits.
        public init(rawValue: Int16) { self.rawValue = rawValue }
        /// Bytes, an end or an error can be read.
        public static let readable = Events(rawValue: Int16(EV_READ))
        /// Bytes can be written, or the connection failed.
        public static let writable = Events(rawValue: Int16(EV_WRITE))
    }

    private let loop: EventLoop
    private let descriptor: Int32
    private var event: OpaquePointer?
    private var watched: Events = []
    private var handler: ((Events) -> Void)?

    /// Makes a watcher that watches nothing yet.
    ///
    /// It must be let go on its loop, before the descriptor is closed.
    public init(loop: EventLoop, descriptor: Int32, handler: @escaping (Events) -> Void) {
        loop.preconditionCurrent()
        self.loop = loop
        self.descriptor = descriptor
        self.handler = handler
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe event = event_new(loop.base, descriptor, Int16(EV_PERSIST), descriptorReady, context)
        precondition(unsafe event != nil, "event_new failed: out of memory")
    }

    deinit {
        loop.preconditionCurrent()
        if let event = unsafe event { unsafe event_free(event) }
    }

    /// Watches exactly `events` from now on; an empty set pauses.
    public func watch(_ events: Events) {
        loop.assertCurrent()
        guard events != watched, let event = unsafe event else { return }
        if !watched.isEmpty { _ = unsafe event_del(event) }  // Fails only for a foreign event.
        watched = events
        guard !events.isEmpty else { return }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let flags = events.rawValue | Int16(EV_PERSIST)
        let code = unsafe event_assign(event, loop.base, descriptor, flags, descriptorReady, context)
        let added = unsafe event_add(event, nil)
        assert(code == 0 && added == 0, "descriptor \(descriptor) cannot be watched: is it still open?")
    }

    /// Watches nothing any more and lets the handler go.
    public func cancel() {
        watch([])
        handler = nil
    }

    fileprivate func ready(_ events: Int16) {
        handler?(Events(rawValue: events).intersection([.readable, .writable]))
    }
}

@available(*, unavailable)
extension SocketWatcher: Sendable {}

private func descriptorReady(_ descriptor: Int32, _ events: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<SocketWatcher>.fromOpaque(context).takeUnretainedValue().ready(events)
}
