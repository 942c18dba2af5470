import CLibevent
import CSystem
import Glibc
import Synchronization

/// One thread and one `event_base`: the owner of everything that is bound to it.
///
/// libevent 2.1.12 has no hook before it sleeps, so the loop is an outer loop around `EVLOOP_ONCE`:
///
/// ```
///  drain mailboxes -> mark sleeping -> (still nothing?) -> epoll_wait -> callbacks -> mark awake -> again
/// ```
///
/// Only a loop that may sleep is woken by a write to its eventfd. libevent's own locks stay off: nothing but this
/// thread touches the base after `start`.
@safe
public final class EventLoop: @unchecked Sendable {
    // SAFETY: `base` and the loop-bound state are touched by the loop's thread only (before `start`, by the creator);
    // `pending` is under `pendingLock`; the flags are atomic.
    /// What libevent keeps of the loop; the wrappers of this target register their events with it.
    let base: OpaquePointer
    /// The place of this loop among its siblings, from 0.
    public let index: Int
    /// Buffers lent to whichever connection is being served.
    ///
    /// Owner: this loop.
    let lent = LentBuffers()

    private let wakeDescriptor: Int32
    private var wakeEvent: OpaquePointer?
    private var thread = pthread_t()
    private let runningThread = Atomic<UInt>(0)
    private let sleeping = Atomic<Bool>(false)
    private let hasPending = Atomic<Bool>(false)
    private let stopping = Atomic<Bool>(false)
    private let pendingLock = Lock()
    private var pending: [any Drainable] = []
    private var draining: [any Drainable] = []
    private var cachedNow: Instant?
    private var turnEndHandlers: [() -> Void] = []
    private var longTurnHandler: ((Duration) -> Void)?

    /// A turn as long as this holds up others for a time that is worth telling.
    private static let longTurn: Duration = .milliseconds(1)

    /// How often `epoll_wait` may have been entered, for the tests that count wake-ups.
    public private(set) var turns: UInt64 = 0

    /// Makes a loop that does not run yet.
    ///
    /// - Throws: `LoopError` when the base or the eventfd cannot be made (descriptors, memory).
    public init(index: Int) throws(LoopError) {
        self.index = index
        guard let base = unsafe event_base_new() else { throw .libevent(function: "event_base_new") }
        unsafe self.base = base
        wakeDescriptor = csystem_eventfd()
        guard wakeDescriptor >= 0 else { throw .system(function: "eventfd", code: errno) }
        let flags = Int16(EV_READ | EV_PERSIST)
        unsafe wakeEvent = event_new(base, wakeDescriptor, flags, drainWakeups, nil)
        guard let wakeEvent = unsafe wakeEvent, unsafe event_add(wakeEvent, nil) == 0 else {
            throw .libevent(function: "event_new")
        }
    }

    deinit {
        if let wakeEvent = unsafe wakeEvent { unsafe event_free(wakeEvent) }
        unsafe event_base_free(base)
        _ = close(wakeDescriptor)  // Nothing can be done about a failing close.
    }

    // MARK: Life

    /// Starts the thread; it runs until `stop`.
    ///
    /// - Parameter name: what `top -H` shows; at most 15 bytes are kept.
    /// - Throws: `LoopError.system` when the thread cannot be made.
    public func start(name: String) throws(LoopError) {
        let start = ThreadStart(loop: self, name: String(name.prefix(15)))
        let context = unsafe Unmanaged.passRetained(start).toOpaque()
        let code = unsafe pthread_create(&thread, nil, runLoopThread, context)
        guard code == 0 else {
            unsafe Unmanaged<ThreadStart>.fromOpaque(context).release()
            throw .system(function: "pthread_create", code: code)
        }
    }

    /// Asks the loop to return after the turn that runs.
    ///
    /// Any thread.
    public func stop() {
        stopping.store(true, ordering: .sequentiallyConsistent)
        wakeIfSleeping()
    }

    /// Waits until the thread has ended; call once, after `stop`, from another thread.
    public func join() {
        _ = pthread_join(thread, nil)  // Fails only when already joined.
    }

    fileprivate func run() {
        runningThread.store(UInt(bitPattern: Int(pthread_self())), ordering: .sequentiallyConsistent)
        while !stopping.load(ordering: .acquiring) {
            turn()
        }
        drainMailboxes()
        turnEndHandlers = []
        longTurnHandler = nil
        runningThread.store(0, ordering: .sequentiallyConsistent)
    }

    private func turn() {
        turns &+= 1
        drainMailboxes()
        for handler in turnEndHandlers { handler() }
        tellLongTurn()
        cachedNow = nil
        sleeping.store(true, ordering: .sequentiallyConsistent)
        let mayBlock =
            !hasPending.load(ordering: .sequentiallyConsistent) && !stopping.load(ordering: .sequentiallyConsistent)
        _ = unsafe event_base_loop(base, mayBlock ? EVLOOP_ONCE : EVLOOP_ONCE | EVLOOP_NONBLOCK)
        sleeping.store(false, ordering: .relaxed)
    }

    /// Measures the turn from the first look at the time, which whoever works in it takes early.
    ///
    /// Cost: one look at the clock, and only where the turn had one already.
    private func tellLongTurn() {
        guard let longTurnHandler, let began = cachedNow else { return }
        let length = Instant.now() - began
        if length > Self.longTurn { longTurnHandler(length) }
    }

    // MARK: Being on the loop

    /// Whether the calling thread is the loop's.
    public var isCurrent: Bool {
        runningThread.load(ordering: .relaxed) == UInt(bitPattern: Int(pthread_self()))
    }

    /// Whether no thread runs the loop: before `start`, its creator may touch what is bound to it.
    private var isIdle: Bool { runningThread.load(ordering: .relaxed) == 0 }

    /// Traps in debug builds when another thread calls.
    @inline(__always)
    public func assertCurrent() {
        assert(isCurrent || isIdle, "called off the loop \(index) that owns this value")
    }

    /// Traps when another thread calls.
    public func preconditionCurrent() {
        precondition(isCurrent || isIdle, "called off the loop \(index) that owns this value")
    }

    /// The time, read once a turn.
    public var now: Instant {
        if let cachedNow { return cachedNow }
        let now = Instant.now()
        cachedNow = now
        return now
    }

    /// Runs `handler` once a turn, after all callbacks and messages and before the loop may sleep.
    ///
    /// Creation only.
    public func onTurnEnd(_ handler: @escaping () -> Void) {
        preconditionCurrent()
        turnEndHandlers.append(handler)
    }

    /// Runs `handler` after each turn that was longer than a millisecond: for so long everybody else waited.
    ///
    /// Creation only.
    public func onLongTurn(_ handler: @escaping (Duration) -> Void) {
        preconditionCurrent()
        longTurnHandler = handler
    }

    // MARK: Messages

    /// Notes that `mailbox` has messages, and wakes the loop if it may sleep.
    ///
    /// Any thread.
    func schedule(_ mailbox: any Drainable) {
        pendingLock.withLock { pending.append(mailbox) }
        hasPending.store(true, ordering: .sequentiallyConsistent)
        if !isCurrent { wakeIfSleeping() }
    }

    private func wakeIfSleeping() {
        guard sleeping.exchange(false, ordering: .sequentiallyConsistent) else { return }
        var one: UInt64 = 1
        // Fails only when the counter is full: then the loop is awake anyway.
        _ = unsafe write(wakeDescriptor, &one, 8)
    }

    /// Delivers messages, those posted meanwhile included, but comes back for sockets and timers after a while.
    private func drainMailboxes() {
        for _ in 0..<16 where hasPending.load(ordering: .relaxed) {
            hasPending.store(false, ordering: .sequentiallyConsistent)
            pendingLock.withLock { swap(&pending, &draining) }
            for mailbox in draining { mailbox.drain() }
            draining.removeAll(keepingCapacity: true)
        }
    }
}

/// What a new loop thread is handed.
private final class ThreadStart {
    let loop: EventLoop
    let name: String

    init(loop: EventLoop, name: String) {
        self.loop = loop
        self.name = name
    }
}

private func runLoopThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let start = unsafe Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
    _ = unsafe csystem_name_thread(start.name)  // The name is a convenience.
    blockBrokenPipeSignal()
    start.loop.run()
    return nil
}

/// `sendfile` to a client that has gone raises SIGPIPE, which would end a program that embeds us and does not ignore it.
private func blockBrokenPipeSignal() {
    var signals = sigset_t()
    _ = unsafe sigemptyset(&signals)
    _ = unsafe sigaddset(&signals, SIGPIPE)
    _ = unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)  // Fails only for an unknown way to change the mask.
}

private func drainWakeups(_ descriptor: Int32, _ events: Int16, _ context: UnsafeMutableRawPointer?) {
    var count: UInt64 = 0
    _ = unsafe read(descriptor, &count, 8)  // Would-block means that there was nothing to drain.
}

extension EventLoop {
    /// Cores of the machine that are online.
    public static var coreCount: Int {
        max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }
}
