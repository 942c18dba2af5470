import EventLoops

/// The clocks of one fetch: a limit for the phase it is in and one for everything; all stand still while paused.
///
/// Pure: the time comes with the event. One timer serves all limits: it asks `expired`, and if nothing is due sleeps
/// until `next` again, so that arriving bytes only move an instant.
struct FetchDeadlines: Equatable {
    /// What the fetch is waiting for.
    enum Phase: Equatable {
        /// An address, or its turn; the resolver has its own clock.
        case resolving
        /// A connection with TLS.
        case connecting
        /// A complete head.
        case awaitingHead
        /// Bytes of the body.
        case receiving
        /// The end of a redirect's body, which nobody needs.
        case draining
    }

    /// Which limit was passed.
    enum Expiry: Equatable {
        case phase(Phase)
        case total
    }

    /// A redirect's small body is worth a connection, but not much of a wait.
    static let drainLimit: Duration = .seconds(1)

    private(set) var phase: Phase = .resolving
    private var phaseStart: Instant
    private var totalEnd: Instant
    private var pausedSince: Instant?
    private let settings: OriginSettings

    /// Starts the clocks.
    init(settings: OriginSettings, at now: Instant) {
        self.settings = settings
        phaseStart = now
        totalEnd = now + settings.totalTimeout
    }

    /// Enters a phase: its clock starts anew.
    mutating func enter(_ phase: Phase, at now: Instant) {
        self.phase = phase
        phaseStart = pausedSince ?? now
    }

    /// Something arrived: the clock of the phase starts anew.
    mutating func progressed(at now: Instant) {
        phaseStart = pausedSince ?? now
    }

    /// Stops all clocks.
    mutating func pause(at now: Instant) {
        if pausedSince == nil { pausedSince = now }
    }

    /// Lets the clocks go on from where they stood.
    mutating func resume(at now: Instant) {
        guard let since = pausedSince else { return }
        let gap = now - since
        phaseStart = phaseStart + gap
        totalEnd = totalEnd + gap
        pausedSince = nil
    }

    /// The limit that has been passed, the phase's before the total.
    func expired(at now: Instant) -> Expiry? {
        guard pausedSince == nil else { return nil }
        if let phaseEnd, phaseEnd <= now { return .phase(phase) }
        return totalEnd <= now ? .total : nil
    }

    /// When to look again; nil while paused.
    var next: Instant? {
        guard pausedSince == nil else { return nil }
        return min(phaseEnd ?? totalEnd, totalEnd)
    }

    private var phaseEnd: Instant? {
        switch phase {
        case .resolving: nil
        case .connecting: phaseStart + settings.connectTimeout
        case .awaitingHead: phaseStart + settings.firstByteTimeout
        case .receiving: phaseStart + settings.transferIdleTimeout
        case .draining: phaseStart + min(Self.drainLimit, settings.transferIdleTimeout)
        }
    }
}
