import EventLoops
import HTTPMessages

/// One request to an origin, its redirects included.
///
/// | stage        | what happens                                  | what ends it                                        |
/// | ------------ | --------------------------------------------- | --------------------------------------------------- |
/// | waiting      | nothing yet, or paused before a hop began     | `begin`, `resume`                                   |
/// | resolving    | the resolver looks for the host               | an outcome                                          |
/// | transferring | libcurl connects, asks, receives              | the end of the hop: next hop, finished, or failed   |
/// | over         | nothing; the handler is let go                |                                                     |
///
/// `cancel` and every clock lead from any stage to *over*. Each hop goes through the same gate: policy on the URL,
/// addresses, policy on each of them, then the socket itself.
///
/// Owner: the client's loop.
public final class OriginFetch {
    private enum Stage {
        case waiting
        case resolving(Resolver, Resolver.Ticket)
        case transferring(TransferPool, Transfer)
        case over
    }

    /// What a hop's head decided, to be done when the hop has ended.
    private enum Course {
        case head
        case answer
        case next
        case failure(OriginError)
    }

    private let request: OriginRequest
    private let loop: EventLoop
    private let settings: OriginSettings
    /// Let go at the end, so that a fetch that somebody keeps does not keep connections.
    private var snapshot: OriginSnapshot?
    private weak var client: OriginClient?
    private var handler: (any OriginFetchHandler)?
    private var stage = Stage.waiting
    private var course = Course.head
    private var isPaused = false
    private var chain: RedirectChain
    private var deadlines: FetchDeadlines
    private var timer: Timer?
    /// When the timer fires; nil while it does not run.
    private var timerDue: Instant?
    /// When the hop was begun.
    private var requestInstant = Instant(nanoseconds: 0)
    private var drainedBytes = 0

    /// The body of a redirect up to which keeping the connection is worth reading it.
    private static let maxDrainedBytes = 16384

    init(request: OriginRequest, handler: any OriginFetchHandler, snapshot: OriginSnapshot, client: OriginClient) {
        self.request = request
        loop = snapshot.loop
        settings = snapshot.settings
        self.snapshot = snapshot
        self.client = client
        self.handler = handler
        chain = RedirectChain(start: request.url)
        deadlines = FetchDeadlines(settings: snapshot.settings, at: snapshot.loop.now)
        timer = Timer(loop: snapshot.loop) { [weak self] in self?.timerFired() }
    }

    private var now: Instant { loop.now }

    // MARK: What callers ask

    /// Ends the fetch; the handler hears nothing more.
    public func cancel() {
        loop.assertCurrent()
        end()
    }

    /// Stops bytes and all clocks.
    public func pause() {
        loop.assertCurrent()
        guard !isPaused, !isOver else { return }
        isPaused = true
        deadlines.pause(at: now)
        timer?.cancel()
        timerDue = nil
        if case .transferring(let pool, let transfer) = stage { pool.pause(transfer) }
    }

    /// Lets bytes and clocks go on, later in this turn.
    public func resume() {
        loop.assertCurrent()
        guard isPaused, !isOver else { return }
        isPaused = false
        deadlines.resume(at: now)
        scheduleTimer()
        client?.run { [weak self] in self?.goOnAfterPause() }
    }

    private var isOver: Bool {
        if case .over = stage { true } else { false }
    }

    private func goOnAfterPause() {
        guard !isPaused else { return }
        switch stage {
        case .waiting: beginHop()
        case .transferring(let pool, let transfer): pool.resume(transfer)
        case .resolving, .over: break
        }
    }

    // MARK: A hop

    /// Begins with the first hop, unless cancelled meanwhile.
    func begin() {
        guard case .waiting = stage else { return }
        beginHop()
        scheduleTimer()
    }

    private func beginHop() {
        stage = .waiting
        course = .head
        guard !isPaused, let snapshot else { return }
        deadlines.enter(.resolving, at: now)
        let url = chain.current
        if case .refused(let rule) = snapshot.policy.judge(url) { return fail(.notAllowed(rule)) }
        if let address = snapshot.fixedAddress(of: url) { return connect(to: [address]) }
        do {
            try resolve(url.hostName, snapshot.resolver())
        } catch {
            fail(error.asOriginError)
        }
    }

    private func resolve(_ host: String, _ resolver: Resolver) {
        if let addresses = resolver.known(host) { return connect(to: addresses) }
        let ticket = resolver.resolve(host) { [weak self] in self?.resolved($0) }
        stage = .resolving(resolver, ticket)
    }

    private func resolved(_ outcome: Resolver.Outcome) {
        stage = .waiting
        switch outcome {
        case .success(let addresses): connect(to: addresses)
        case .failure(let error): failUnlessPaused(error)
        }
    }

    private func connect(to addresses: [IPAddress]) {
        guard !isPaused, let snapshot else { return }
        switch snapshot.admit(addresses, port: chain.current.port) {
        case .success(let allowed): transfer(to: allowed, under: snapshot)
        case .failure(let error): fail(error)
        }
    }

    private func transfer(to addresses: [IPAddress], under snapshot: OriginSnapshot) {
        var fields = request.fields
        if chain.current.bytes == request.conditionalURL { fields.append(contentsOf: request.conditions) }
        let hop = TransferRequest(url: chain.current, fields: fields, addresses: addresses)
        requestInstant = .now()
        drainedBytes = 0
        enter(.connecting)
        do {
            let pool = try snapshot.pool()
            stage = .transferring(pool, try pool.start(hop, owner: self))
        } catch {
            fail(error.asOriginError)
        }
    }

    // MARK: Clocks

    private func enter(_ phase: FetchDeadlines.Phase) {
        deadlines.enter(phase, at: now)
        scheduleTimer()
    }

    /// A timer that fires too early asks again, so only an earlier moment is worth setting it anew.
    private func scheduleTimer() {
        guard let next = deadlines.next else { return }
        if let timerDue, timerDue <= next { return }
        timerDue = next
        timer?.schedule(after: next - now)
    }

    private func timerFired() {
        timerDue = nil
        switch deadlines.expired(at: now) {
        case nil: scheduleTimer()
        case .phase(.draining): leaveRedirectBody()
        case .phase(.connecting): fail(.connectTimeout)
        case .phase(.awaitingHead): fail(.firstByteTimeout)
        case .phase(.receiving): fail(.idleTimeout)
        case .phase(.resolving), .total: fail(.totalTimeout)
        }
    }

    private func leaveRedirectBody() {
        if case .transferring(let pool, let transfer) = stage { pool.abandon(transfer) }
        beginHop()
    }

    // MARK: Ends

    /// A clock of somebody else's ran out: while paused it had no right to, and the hop begins again on `resume`.
    private func failUnlessPaused(_ error: OriginError) {
        guard isPaused, error.isTimeout else { return fail(error) }
        stage = .waiting
    }

    private func fail(_ error: OriginError) {
        guard let handler = end() else { return }
        handler.originFetch(self, failed: error)
    }

    /// Leaves the tables and lets everything go; returns the handler if it was not over before.
    @discardableResult
    private func end() -> (any OriginFetchHandler)? {
        switch stage {
        case .waiting, .over: break
        case .resolving(let resolver, let ticket): resolver.giveUp(ticket)
        case .transferring(let pool, let transfer): pool.abandon(transfer)
        }
        stage = .over
        timer?.cancel()
        timer = nil
        snapshot = nil
        client?.forget(self)
        defer { handler = nil }
        return handler
    }
}

@available(*, unavailable)
extension OriginFetch: Sendable {}

extension OriginFetch: TransferOwner {
    func transferConnected(_ transfer: Transfer) {
        guard case .transferring(let pool, _) = stage else { return }
        enter(.awaitingHead)
        // A pause that came before the connection is forgotten by libcurl when it sets the request up.
        if isPaused { pool.pause(transfer) }
    }

    func transfer(_ transfer: Transfer, received head: CheckedHead) -> TransferVerdict {
        switch chain.judge(status: head.status, fields: head.fields, settings: settings) {
        case .final:
            course = .answer
            enter(.receiving)
            handler?.originFetch(self, received: originHead(head))
            return isOver ? .enough : .more
        case .follow:
            course = .next
            enter(.draining)
            if case .length(let length) = head.framing, length > Self.maxDrainedBytes { return .enough }
            return .more
        case .fail(let error):
            course = .failure(error)
            return .enough
        }
    }

    func transfer(_ transfer: Transfer, received bytes: Span<UInt8>) -> TransferVerdict {
        guard case .answer = course else {
            drainedBytes += bytes.count
            return drainedBytes > Self.maxDrainedBytes ? .enough : .more
        }
        deadlines.progressed(at: now)
        handler?.originFetch(self, received: bytes)
        return isOver ? .enough : .more
    }

    func transferEnded(_ transfer: Transfer, _ failure: TransferFailure?) {
        stage = .waiting
        switch (course, failure) {
        case (.next, _): beginHop()
        case (.failure(let error), _): fail(error)
        case (_, .failed(let error)): failUnlessPaused(error)
        case (.answer, nil): finish()
        // A hop without a head is never a success, and nobody but us drops one.
        case (.head, nil), (.head, .dropped), (.answer, .dropped): fail(.broken("no response"))
        }
    }

    private func finish() {
        guard let handler = end() else { return }
        handler.originFetchFinished(self)
    }

    private func originHead(_ head: CheckedHead) -> OriginHead {
        // Whole seconds of two clock readings would count a request across a second's end as a second long.
        let responseTime = WallClock.seconds()
        let delay = (Instant.now() - requestInstant).wholeSeconds
        return OriginHead(
            status: head.status, fields: head.fields, contentLength: head.declaredLength, hops: chain.hops,
            requestTime: responseTime - delay, responseTime: responseTime, finalURL: chain.current)
    }
}

extension CheckedHead {
    /// The length of the body that will come, where it is known.
    var declaredLength: UInt64? {
        switch framing {
        case .none: 0
        case .length(let length): length
        case .chunked, .close: nil
        }
    }
}
