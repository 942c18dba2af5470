import CCurl
import EventLoops

/// A libcurl multi handle on an event loop: the transfers that run and the connections that are kept.
///
/// ```
///  socket or timer -> curl_multi_socket_action -> callbacks of transfers (wishes are only noted)
///                  -> wishes -> transfers that ended -> their owners
/// ```
///
/// libcurl's multi API must not be called from inside its callbacks; `isInsideCurl` says so, and `pause` and `abandon`
/// then wait in `wishes` until libcurl has returned.
///
/// A pool belongs to one snapshot of settings and policy. When those change, a new pool takes over, so that no
/// connection outlives the rules it was made under; the old one goes with its last transfer.
///
/// Owner: the loop.
@safe
final class TransferPool {
    // SAFETY: `multi` lives from `init` to `deinit`; libcurl keeps `self` unretained, and calls back only from within
    // calls of this class; transfers leave the multi handle before either goes.
    private let multi: UnsafeMutableRawPointer
    private let loop: EventLoop
    private let settings: OriginSettings
    private let policy: TargetPolicy
    private let sockets = KeptSockets()
    private var watchers: [Int32: WatchedSocket] = [:]
    private var timer: Timer?
    private let later: LaterActions
    private var isKicked = false
    private var running: [UInt: Transfer] = [:]
    private var resting: [Transfer] = []
    private var isInsideCurl = false
    private var wishes: [Wish] = []

    /// Transfers begun, and connections opened for them, for tests and counters.
    private(set) var counts = TransferCounts()

    private enum Wish {
        case pause(Transfer)
        case abandon(Transfer)
    }

    /// A socket of libcurl's, and whether libcurl wants to hear of it at the moment.
    private struct WatchedSocket {
        let watcher: SocketWatcher
        var isWanted = true
    }

    /// Connections kept for another transfer.
    private static let maxIdleConnections = 64
    /// Handles kept for another transfer; about 10 KB each.
    private static let maxRestingTransfers = 64

    /// Makes an empty pool.
    init(loop: EventLoop, settings: OriginSettings, policy: TargetPolicy) throws(OriginSetupError) {
        loop.preconditionCurrent()
        try LibrarySetup.prepareCurl()
        guard let multi = unsafe curl_multi_init() else { throw .curl(function: "curl_multi_init", code: 0) }
        unsafe self.multi = multi
        self.loop = loop
        self.settings = settings
        self.policy = policy
        later = LaterActions(loop: loop)
        timer = Timer(loop: loop) { [weak self] in self?.act(on: ccurl_timeout_socket(), []) }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        try check(unsafe ccurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, context))
        try check(unsafe ccurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, context))
        try check(unsafe ccurl_multi_set_socket_function(multi, poolWatchesSocket))
        try check(unsafe ccurl_multi_set_timer_function(multi, poolSetsTimer))
        try check(unsafe ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.maxIdleConnections))
        sockets.willClose = { [unowned self] descriptor in forgetSocket(descriptor) }
    }

    deinit {
        loop.preconditionCurrent()
        for socket in watchers.values { socket.watcher.cancel() }
        watchers = [:]
        sockets.willClose = nil
        // Closing kept connections must not call into an object that is going.
        _ = unsafe ccurl_multi_set_socket_function(multi, nil)
        _ = unsafe ccurl_multi_set_timer_function(multi, nil)
        for transfer in running.values { _ = unsafe curl_multi_remove_handle(multi, transfer.easy) }
        // Fails only when a handle is still in there.
        _ = unsafe curl_multi_cleanup(multi)
    }

    /// How many transfers run.
    var runningCount: Int { running.count }

    // MARK: Transfers

    /// Begins a hop; its owner hears of it later.
    func start(_ request: TransferRequest, owner: any TransferOwner) throws(OriginSetupError) -> Transfer {
        loop.assertCurrent()
        precondition(!isInsideCurl, "a transfer was begun from inside a libcurl callback")
        let transfer = try restedTransfer()
        try transfer.prepare(request, owner: owner)
        running[transfer.number] = transfer
        do {
            try check(unsafe curl_multi_add_handle(multi, transfer.easy), "curl_multi_add_handle")
        } catch {
            running[transfer.number] = nil
            throw error
        }
        counts.transfers += 1
        return transfer
    }

    private func restedTransfer() throws(OriginSetupError) -> Transfer {
        if let transfer = resting.popLast() { return transfer }
        return try Transfer(settings: settings, policy: policy, sockets: sockets)
    }

    /// Stops bytes; from inside a callback the few that libcurl has read already wait in its buffer.
    func pause(_ transfer: Transfer) {
        loop.assertCurrent()
        transfer.isPaused = true
        guard !isInsideCurl else {
            wishes.append(.pause(transfer))
            return
        }
        // Refused while there is no connection: then `transferConnected` pauses again.
        _ = unsafe curl_easy_pause(transfer.easy, ccurl_pause_receiving())
    }

    /// Lets bytes go on.
    ///
    /// They may arrive before this returns, so it is called from the mailbox, never for a caller of ours.
    func resume(_ transfer: Transfer) {
        loop.assertCurrent()
        precondition(!isInsideCurl, "a transfer was resumed from inside a libcurl callback")
        guard running[transfer.number] === transfer else { return }
        transfer.isPaused = false
        var code = CURLE_OK
        runInsideCurl { code = unsafe curl_easy_pause(transfer.easy, ccurl_pause_nothing()) }
        // BAD_FUNCTION_ARGUMENT: not even a connection yet, so there is nothing to let go on. Else the kept bytes were
        // refused, and libcurl does not end the transfer by itself.
        guard code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT, running[transfer.number] === transfer else {
            return
        }
        finish(transfer, code)
    }

    /// Ends a transfer without telling its owner; its connection is closed.
    func abandon(_ transfer: Transfer) {
        loop.assertCurrent()
        transfer.owner = nil
        guard !isInsideCurl else {
            wishes.append(.abandon(transfer))
            return
        }
        remove(transfer)
    }

    // MARK: Inside libcurl

    /// Lets libcurl see to a socket, or to its clock.
    private func act(on descriptor: Int32, _ events: SocketWatcher.Events) {
        var bits: Int32 = 0
        if events.contains(.readable) { bits |= CURL_CSELECT_IN }
        if events.contains(.writable) { bits |= CURL_CSELECT_OUT }
        var code = CURLM_OK
        runInsideCurl {
            var count: Int32 = 0
            code = unsafe curl_multi_socket_action(multi, descriptor, bits, &count)
        }
        // Everything else is a wrong call of ours; single transfers report through their messages.
        assert(code == CURLM_OK || code == CURLM_OUT_OF_MEMORY, "curl_multi_socket_action: \(code.rawValue)")
    }

    /// Runs a call that may call transfers back, then what they and their owners wished, then tells of what ended.
    private func runInsideCurl(_ call: () -> Void) {
        precondition(!isInsideCurl, "libcurl was entered from inside one of its callbacks")
        isInsideCurl = true
        call()
        isInsideCurl = false
        carryOutWishes()
        tellOwners()
    }

    private func carryOutWishes() {
        guard !wishes.isEmpty else { return }
        let noted = wishes
        wishes = []
        for wish in noted {
            switch wish {
            case .pause(let transfer):
                guard running[transfer.number] === transfer, transfer.isPaused else { continue }
                _ = unsafe curl_easy_pause(transfer.easy, ccurl_pause_receiving())
            case .abandon(let transfer):
                remove(transfer)
            }
        }
    }

    private func tellOwners() {
        while let (transfer, code) = nextEnded() {
            finish(transfer, code)
        }
    }

    private func nextEnded() -> (Transfer, CURLcode)? {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle else {
                continue
            }
            let code = unsafe ccurl_message_result(message)
            if let transfer = running[UInt(bitPattern: easy)] { return (transfer, code) }
        }
        return nil
    }

    /// Leaves the table, then tells the owner.
    private func finish(_ transfer: Transfer, _ code: CURLcode) {
        counts.connectionsOpened += transfer.connectionsOpened
        let owner = transfer.owner
        var failure = transfer.failure(for: code)
        if transfer.progress.isSpoilt, owner != nil {
            do {
                return try runAgain(transfer)
            } catch {
                failure = .failed(error.asOriginError)
            }
        }
        remove(transfer)
        owner?.transferEnded(transfer, failure)
    }

    /// Runs a hop anew on a fresh connection, unseen by its owner; nothing of the hop was sent or received.
    private func runAgain(_ transfer: Transfer) throws(OriginSetupError) {
        counts.spoiltConnections += 1
        _ = unsafe curl_multi_remove_handle(multi, transfer.easy)  // Fails only for a handle that is not in there.
        try transfer.prepareAgain()
        try check(unsafe curl_multi_add_handle(multi, transfer.easy), "curl_multi_add_handle")
    }

    private func remove(_ transfer: Transfer) {
        guard running.removeValue(forKey: transfer.number) != nil else { return }
        _ = unsafe curl_multi_remove_handle(multi, transfer.easy)  // Fails only for a handle that is not in there.
        transfer.rest()
        if resting.count < Self.maxRestingTransfers { resting.append(transfer) }
    }

    // MARK: Sockets and clock

    fileprivate func watch(_ descriptor: Int32, _ interest: Int32) {
        switch interest {
        case CURL_POLL_IN: watcher(for: descriptor).watch(.readable)
        case CURL_POLL_OUT: watcher(for: descriptor).watch(.writable)
        case CURL_POLL_INOUT: watcher(for: descriptor).watch([.readable, .writable])
        case CURL_POLL_NONE: watcher(for: descriptor).watch([])
        // At the end of each transfer. The next one on the same connection wants to read again: until something happens or
        // the socket is closed, it stays watched, which saves two calls to the kernel a transfer.
        default: watchers[descriptor]?.isWanted = false
        }
    }

    private func watcher(for descriptor: Int32) -> SocketWatcher {
        if let socket = watchers[descriptor] {
            if !socket.isWanted { watchers[descriptor]?.isWanted = true }
            return socket.watcher
        }
        let watcher = SocketWatcher(loop: loop, descriptor: descriptor) { [weak self] events in
            self?.ready(descriptor, events)
        }
        watchers[descriptor] = WatchedSocket(watcher: watcher)
        return watcher
    }

    /// Something happened on a socket: libcurl sees to it, or if it has no interest nobody does until it has.
    private func ready(_ descriptor: Int32, _ events: SocketWatcher.Events) {
        guard watchers[descriptor]?.isWanted == true else { return forgetSocket(descriptor) }
        act(on: descriptor, events)
    }

    /// Stops to watch a socket; before its descriptor is closed, and may mean another one.
    private func forgetSocket(_ descriptor: Int32) {
        watchers.removeValue(forKey: descriptor)?.watcher.cancel()
    }

    /// Zero means at once, but not from in here: later in this turn, once for all transfers that begin in it.
    fileprivate func setTimer(milliseconds: Int) {
        guard milliseconds != 0 else { return kick() }
        if milliseconds < 0 { timer?.cancel() } else { timer?.schedule(after: .milliseconds(milliseconds)) }
    }

    private func kick() {
        timer?.cancel()
        guard !isKicked else { return }
        isKicked = true
        later.run { [weak self] in
            guard let self else { return }
            isKicked = false
            act(on: ccurl_timeout_socket(), [])
        }
    }

    private func check(_ code: CURLMcode, _ function: String = "curl_multi_setopt") throws(OriginSetupError) {
        try LibrarySetup.check(code, function)
    }

    /// The pool whose callback runs.
    fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> TransferPool? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<TransferPool>.fromOpaque(context).takeUnretainedValue()
    }
}

@available(*, unavailable)
extension TransferPool: Sendable {}

/// How much a pool, or a client with all its pools, has done.
public struct TransferCounts: Sendable, Equatable {
    /// Hops begun.
    public var transfers = 0
    /// Connections opened for hops that ended; the others used a kept one.
    public var connectionsOpened = 0
    /// Kept connections that were not used again because something was to be read from them already.
    public var spoiltConnections = 0
}

/// `CURLMOPT_SOCKETFUNCTION`.
private func poolWatchesSocket(
    _ easy: UnsafeMutableRawPointer?, _ descriptor: Int32, _ interest: Int32, _ context: UnsafeMutableRawPointer?,
    _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe TransferPool.from(context)?.watch(descriptor, interest)
    return 0
}

/// `CURLMOPT_TIMERFUNCTION`.
private func poolSetsTimer(
    _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe TransferPool.from(context)?.setTimer(milliseconds: milliseconds)
    return 0
}
