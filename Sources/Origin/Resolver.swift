import CAres
import EventLoops

/// Names to addresses: one lookup a name in flight, answers kept as long as their records say.
///
/// ```
///  resolve -> kept answer? -> running lookup? join : start -> c-ares -> keep -> tell everyone, later in the turn
/// ```
///
/// The resolver judges nothing: who asks judges every address, each time, with the rules then in force.
///
/// Owner: the loop.
final class Resolver {
    /// What became of a lookup.
    typealias Outcome = Result<[IPAddress], OriginError>

    private let loop: EventLoop
    private let dnsTimeout: Duration
    private let channel: AresChannel
    private let later: LaterActions
    private var cache = ResolverCache()
    private var lookups: [String: Lookup] = [:]
    /// Lookups started, for tests and counters.
    private(set) var lookupCount = 0

    /// Everyone who waits for one name.
    private final class Lookup {
        var waiters: [Int: (Outcome) -> Void] = [:]
        var timer: Timer?
    }

    /// A place among those who wait for a name.
    struct Ticket {
        fileprivate let host: String
        fileprivate let number: Int
    }
    private var nextNumber = 0

    /// Makes a resolver with a channel of its own.
    init(loop: EventLoop, servers: [String]?, dnsTimeout: Duration) throws(OriginSetupError) {
        self.loop = loop
        self.dnsTimeout = dnsTimeout
        channel = try AresChannel(loop: loop, servers: servers, dnsTimeout: dnsTimeout)
        later = LaterActions(loop: loop)
    }

    /// Gives the addresses of a name if they are known.
    func known(_ host: String) -> [IPAddress]? {
        loop.assertCurrent()
        return cache.addresses(of: host, at: loop.now)
    }

    /// Looks a name up, or joins the lookup that runs.
    ///
    /// - Parameter completion: called once, never before this call has returned; not called after `giveUp`.
    func resolve(_ host: String, completion: @escaping (Outcome) -> Void) -> Ticket {
        loop.assertCurrent()
        nextNumber += 1
        let ticket = Ticket(host: host, number: nextNumber)
        if let lookup = lookups[host] {
            lookup.waiters[ticket.number] = completion
        } else {
            start(host).waiters[ticket.number] = completion
        }
        return ticket
    }

    /// Leaves the lookup; with its last waiter it is over, and a late answer is only kept.
    func giveUp(_ ticket: Ticket) {
        loop.assertCurrent()
        guard let lookup = lookups[ticket.host], lookup.waiters.removeValue(forKey: ticket.number) != nil else {
            return
        }
        if lookup.waiters.isEmpty { end(ticket.host, lookup) }
    }

    private func start(_ host: String) -> Lookup {
        let lookup = Lookup()
        lookups[host] = lookup
        lookupCount += 1
        let end = Instant.now() + dnsTimeout
        let timer = Timer(loop: loop) { [weak self, weak lookup] in
            if let lookup { self?.timerFired(host, lookup, end) }
        }
        timer.schedule(after: dnsTimeout)
        lookup.timer = timer
        // c-ares answers at once from the hosts file, and inside its own processing otherwise: both are no place to
        // call anyone from.
        channel.lookUp(host) { [weak self, weak lookup] answer in
            self?.later.run { self?.answered(host, lookup, answer) }
        }
        return lookup
    }

    /// Ends a lookup whose time is over; timers count in coarse ticks and may be a few milliseconds early.
    private func timerFired(_ host: String, _ lookup: Lookup, _ end: Instant) {
        let rest = end - .now()
        guard rest > .zero else { return finish(host, lookup, .failure(.dnsTimeout)) }
        lookup.timer?.schedule(after: max(rest, .milliseconds(1)))
    }

    private func answered(_ host: String, _ lookup: Lookup?, _ answer: AresAnswer) {
        if case .addresses(let addresses, let seconds) = answer, !addresses.isEmpty {
            cache.keep(addresses, of: host, timeToLiveSeconds: seconds, at: loop.now)
        }
        // c-ares gives up a little before its time; how long a lookup may take is for our own clock to say.
        if case .failed(ARES_ETIMEOUT) = answer { return }
        if let lookup { finish(host, lookup, Self.outcome(of: answer)) }
    }

    /// Leaves the table, then tells the waiters.
    private func finish(_ host: String, _ lookup: Lookup, _ outcome: Outcome) {
        guard lookups[host] === lookup else { return }
        end(host, lookup)
        let waiters = lookup.waiters.sorted { $0.key < $1.key }
        lookup.waiters = [:]
        for (_, completion) in waiters { completion(outcome) }
    }

    private func end(_ host: String, _ lookup: Lookup) {
        lookups[host] = nil
        lookup.timer?.cancel()
    }

    private static func outcome(of answer: AresAnswer) -> Outcome {
        switch answer {
        case .addresses([], _): .failure(.dns(.noAddress))
        case .addresses(let addresses, _): .success(addresses)
        case .failed(ARES_ENOTFOUND): .failure(.dns(.notFound))
        case .failed(ARES_ENODATA): .failure(.dns(.noAddress))
        case .failed(let status): .failure(.dns(.serverFailure(status: status)))
        }
    }
}

@available(*, unavailable)
extension Resolver: Sendable {}
