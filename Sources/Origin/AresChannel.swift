import CAres
import EventLoops
import Glibc
import HTTPMessages

/// What c-ares found out about a name.
enum AresAnswer {
    /// Addresses, in the order of the answer, and the shortest time to live among the records.
    case addresses([IPAddress], timeToLiveSeconds: Int64)
    /// None; c-ares's status.
    case failed(status: Int32)
}

/// A c-ares channel whose sockets and clock live on an event loop.
///
/// c-ares 1.18 cannot cancel one query, so whoever loses interest just stops listening: the query ends by its own
/// clock (`queryTimeout` below) and its answer is still delivered, to be kept or not. Nothing ever blocks, but for the
/// read of the hosts file at the beginning of a lookup.
///
/// Owner: the loop.
@safe
final class AresChannel {
    // SAFETY: `channel` lives from `init` to `deinit`; c-ares keeps `self` unretained and is destroyed before it goes;
    // queries are kept alive by `queries` until their callback, which comes exactly once.
    private let loop: EventLoop
    private var channel: OpaquePointer?
    private var watchers: [Int32: SocketWatcher] = [:]
    private var timer: Timer?
    private var queries: [ObjectIdentifier: AresQuery] = [:]

    /// Opens a channel to the system's name servers, or to `servers`.
    ///
    /// - Parameter dnsTimeout: what one lookup may take; two tries, the second twice as long as the first, fit into
    ///   nine tenths of it, so that one lost packet is made up for, and an answer for one address family alone is
    ///   still handed over in time.
    init(loop: EventLoop, servers: [String]?, dnsTimeout: Duration) throws(OriginSetupError) {
        loop.preconditionCurrent()
        try LibrarySetup.prepareAres()
        self.loop = loop
        unsafe channel = nil
        try open(queryTimeout: dnsTimeout * 3 / 10, searches: servers == nil)
        if let servers {
            let list = servers.joined(separator: ",")
            try unsafe LibrarySetup.check(ares: ares_set_servers_ports_csv(channel, list), "ares_set_servers_ports_csv")
        }
        timer = Timer(loop: loop) { [weak self] in self?.process(readable: -1, writable: -1) }
    }

    deinit {
        loop.preconditionCurrent()
        for query in queries.values { query.completion = nil }
        unsafe ares_destroy(channel)
    }

    private func open(queryTimeout: Duration, searches: Bool) throws(OriginSetupError) {
        var options = unsafe ares_options()
        unsafe options.timeout = Int32(clamping: max(1, queryTimeout.wholeNanoseconds / 1_000_000))
        unsafe options.tries = 2
        unsafe options.flags = searches ? 0 : ARES_FLAG_NOSEARCH
        unsafe options.sock_state_cb = aresSocketStateChanged
        unsafe options.sock_state_cb_data = Unmanaged.passUnretained(self).toOpaque()
        let mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_FLAGS | ARES_OPT_SOCK_STATE_CB | ARES_OPT_LOOKUPS
        // Hosts file first, then name servers, whatever the name service switch says. c-ares copies the text.
        var lookups = Array("fb".utf8CString)
        let code = unsafe lookups.withUnsafeMutableBufferPointer { text in
            unsafe options.lookups = text.baseAddress
            return unsafe ares_init_options(&channel, &options, mask)
        }
        try LibrarySetup.check(ares: code, "ares_init_options")
    }

    /// Looks a name up.
    ///
    /// - Parameter completion: called once, possibly before this call returns; never after the channel is gone.
    func lookUp(_ name: String, completion: @escaping (AresAnswer) -> Void) {
        loop.assertCurrent()
        let query = AresQuery(channel: self, completion: completion)
        queries[ObjectIdentifier(query)] = query
        var hints = ares_addrinfo_hints()
        hints.ai_family = AF_UNSPEC
        // libcurl orders the families itself; sorting would open a socket for each address.
        hints.ai_flags = ARES_AI_NOSORT
        let context = unsafe Unmanaged.passUnretained(query).toOpaque()
        unsafe ares_getaddrinfo(channel, name, nil, &hints, aresAnswered, context)
        scheduleTimer()
    }

    /// How many queries c-ares still works on.
    var queryCount: Int { queries.count }

    fileprivate func finished(_ query: AresQuery) {
        queries[ObjectIdentifier(query)] = nil
    }

    // MARK: Sockets and clock

    fileprivate func watch(_ descriptor: Int32, readable: Bool, writable: Bool) {
        guard readable || writable else {
            watchers.removeValue(forKey: descriptor)?.cancel()
            return
        }
        var events: SocketWatcher.Events = []
        if readable { events.insert(.readable) }
        if writable { events.insert(.writable) }
        watcher(for: descriptor).watch(events)
    }

    private func watcher(for descriptor: Int32) -> SocketWatcher {
        if let watcher = watchers[descriptor] { return watcher }
        let watcher = SocketWatcher(loop: loop, descriptor: descriptor) { [weak self] events in
            self?.ready(descriptor, events)
        }
        watchers[descriptor] = watcher
        return watcher
    }

    private func ready(_ descriptor: Int32, _ events: SocketWatcher.Events) {
        process(
            readable: events.contains(.readable) ? descriptor : -1,
            writable: events.contains(.writable) ? descriptor : -1)
    }

    /// Lets c-ares read, write and look at its clock; -1 stands for no socket.
    private func process(readable: Int32, writable: Int32) {
        unsafe ares_process_fd(channel, readable, writable)
        scheduleTimer()
    }

    private func scheduleTimer() {
        var wait = timeval()
        guard unsafe ares_timeout(channel, nil, &wait) != nil else {
            timer?.cancel()
            return
        }
        // A microsecond more, or the clock would be found not yet due.
        timer?.schedule(after: .seconds(wait.tv_sec) + .microseconds(wait.tv_usec + 1))
    }
}

@available(*, unavailable)
extension AresChannel: Sendable {}

/// One `ares_getaddrinfo`, alive until its callback.
private final class AresQuery {
    private weak var channel: AresChannel?
    var completion: ((AresAnswer) -> Void)?

    init(channel: AresChannel, completion: @escaping (AresAnswer) -> Void) {
        self.channel = channel
        self.completion = completion
    }

    func answered(_ answer: AresAnswer) {
        let completion = self.completion
        self.completion = nil
        channel?.finished(self)
        completion?(answer)
    }
}

private func aresSocketStateChanged(
    _ context: UnsafeMutableRawPointer?, _ descriptor: Int32, _ readable: Int32, _ writable: Int32
) {
    guard let context = unsafe context else { return }
    let channel = unsafe Unmanaged<AresChannel>.fromOpaque(context).takeUnretainedValue()
    channel.watch(descriptor, readable: readable != 0, writable: writable != 0)
}

private func aresAnswered(
    _ context: UnsafeMutableRawPointer?, _ status: Int32, _ timeouts: Int32,
    _ list: UnsafeMutablePointer<ares_addrinfo>?
) {
    guard let context = unsafe context else { return }
    let query = unsafe Unmanaged<AresQuery>.fromOpaque(context).takeUnretainedValue()
    unsafe query.answered(AresAnswer(status: status, consuming: list))
}

extension AresAnswer {
    /// Copies the addresses out of c-ares's list and frees it.
    fileprivate init(status: Int32, consuming list: UnsafeMutablePointer<ares_addrinfo>?) {
        guard let list = unsafe list else {
            self = .failed(status: status)
            return
        }
        defer { unsafe ares_freeaddrinfo(list) }
        guard status == ARES_SUCCESS else {
            self = .failed(status: status)
            return
        }
        var addresses: [IPAddress] = []
        var timeToLive = Int32.max
        var node = unsafe list.pointee.nodes
        while let current = unsafe node {
            if let address = unsafe IPAddress(current.pointee.ai_addr), !addresses.contains(address) {
                addresses.append(address)
            }
            unsafe timeToLive = min(timeToLive, current.pointee.ai_ttl)
            unsafe node = current.pointee.ai_next
        }
        var alias = unsafe list.pointee.cnames
        while let current = unsafe alias {
            unsafe timeToLive = min(timeToLive, current.pointee.ttl)
            unsafe alias = current.pointee.next
        }
        self = .addresses(addresses, timeToLiveSeconds: Int64(timeToLive))
    }
}
