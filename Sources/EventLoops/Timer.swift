import CLibevent
import Glibc

/// A one-shot timer on a loop; may be scheduled again.
///
/// libevent reads the kernel's coarse clock, so it is exact to one tick (4 ms at 250 Hz), early or late.
@safe
public final class Timer {
    private let loop: EventLoop
    private var event: OpaquePointer?
    private let handler: () -> Void

    /// Makes a timer that does not run yet.
    ///
    /// It must be let go on its loop.
    public init(loop: EventLoop, handler: @escaping () -> Void) {
        loop.preconditionCurrent()
        self.loop = loop
        self.handler = handler
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe event = event_new(loop.base, -1, 0, timerFired, context)
        precondition(unsafe event != nil, "event_new failed: out of memory")
    }

    deinit {
        loop.preconditionCurrent()
        if let event = unsafe event { unsafe event_free(event) }
    }

    /// Runs the handler once, `delay` from now; replaces an earlier schedule.
    public func schedule(after delay: Duration) {
        loop.assertCurrent()
        let nanoseconds = max(0, delay.wholeNanoseconds)
        var time = timeval(
            tv_sec: Int(nanoseconds / 1_000_000_000),
            tv_usec: Int((nanoseconds % 1_000_000_000 + 999) / 1000))
        if time.tv_usec == 1_000_000 { time = timeval(tv_sec: time.tv_sec + 1, tv_usec: 0) }
        if let event = unsafe event { _ = unsafe event_add(event, &time) }  // Fails only without memory.
    }

    /// Forgets the schedule.
    public func cancel() {
        loop.assertCurrent()
        if let event = unsafe event { _ = unsafe event_del(event) }  // Fails only for a foreign event.
    }

    fileprivate func fire() {
        handler()
    }
}

@available(*, unavailable)
extension Timer: Sendable {}

private func timerFired(_ descriptor: Int32, _ events: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<Timer>.fromOpaque(context).takeUnretainedValue().fire()
}
