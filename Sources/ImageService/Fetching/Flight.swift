import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore
import Origin
import Settings

/// One lookup on disk and one download, for everyone who waits for the same response of a URL: the shell around
/// `FlightMachine`.
///
/// Bytes are copied once, into `body`; loops that follow get references, one message a turn. A waiter that is slow or
/// leaves costs the others nothing. The flight leaves the table before anyone is told how it ended.
///
/// Owner: the home loop of its key.
final class Flight {
    /// Its name in messages and log lines.
    let id: FlightID
    /// The URL that it fetches; the table of flights goes by it.
    let key: CacheKey
    /// The record that it reads from disk first: of the URL itself, or of one of its variants.
    let record: CacheKey?
    /// The request that began it; its fields, rules and limits are those of the fetch.
    let leader: LoadRequest
    /// Its owner, which outlives it.
    unowned let shard: Shard
    /// Why the origin is asked, for `Cache-Status`.
    let reason: CacheStatus.ForwardReason
    /// Where it stands.
    var machine = FlightMachine(state: .lookingUp)
    /// What is stored already and may be confirmed by the origin or stand in for it.
    var stale: CachedObject?
    /// What the marker of the URL lists, kept up to date by the shard; nil when there is none.
    var variants: VariantSet?
    /// The transfer, while there is one.
    var fetch: OriginFetch?
    /// The bytes reserved for the body, from the permit to the end of the download.
    var lease: Lease?
    /// The head that was accepted, or that confirmed what is stored.
    var head: OriginHead?
    /// The body so far.
    var body = FlightBody(declaredLength: nil)
    /// The head as it may be stored; nil until the body's first bytes agreed with it.
    var announced: AnnouncedHead?
    /// What the followers share; nil until the first of them is told.
    private var stream: FlightStream?
    /// How long a 206 said that the whole is, where it was taken for the whole.
    var promisedLength: Int?
    /// Whether somebody paused it; the next request that joins resumes it.
    var isSuspended = false
    /// Whether a younger flight of the key has ended before this one.
    var isSuperseded = false
    /// How a head varies that was refused.
    var refusalVariance: Variance?
    /// Whether a 304 came that speaks of something else than what is stored.
    var wantsWhole = false
    /// Whose validators the fetch carries; nil when it carries none.
    var conditionalURL: [UInt8]?
    /// Whether its key was purged after the origin was asked: its waiters get what comes, and nothing else does.
    var isDetached = false
    /// Whether its key was marked stale after the origin was asked: what comes is stored as stale.
    var isSoftPurged = false
    /// Whether those who come after the head may have the answer, too: it may be stored.
    var isShared = false
    /// Whether every client so far said `no-store`.
    var everyoneSaidNoStore = true
    /// Whether every client so far sent `Authorization`.
    var everyoneIsAuthorized = true
    /// When the flight began, for the duration of the download.
    var startedAt: Instant?
    /// How the response will vary, by what is known besides the set.
    let predictedVariance: Variance?
    private var waiters: [WaiterID: FlightWaiter] = [:]
    private var unannounced: [WaiterID] = []
    /// Chunks that each following loop has been told of.
    private var toldChunks: [Int: Int] = [:]
    private var isDirty = false

    /// Makes a flight that does nothing before `begin`.
    ///
    /// - Parameters:
    ///   - prior: what is stored, as far as the shard knows.
    init(
        id: FlightID, leader: LoadRequest, shard: Shard, prior: PriorKnowledge, reason: CacheStatus.ForwardReason
    ) {
        self.id = id
        self.leader = leader
        key = leader.key
        self.shard = shard
        stale = prior.stale
        variants = prior.variants
        record = prior.record
        predictedVariance = prior.variance
        self.reason = reason
    }

    // MARK: Waiters

    /// Takes the leader in and starts, with the disk or with the queue.
    func begin(readsDisk: Bool) {
        add(leader, isCollapsed: false)
        let (machine, action) = FlightMachine.start(readsDisk: readsDisk)
        self.machine = machine
        perform(action)
    }

    /// Whether a request may share this flight: same variant as far as is known, and not too late for a client that
    /// wants a fetch begun after it asked.
    func accepts(_ request: LoadRequest) -> Bool {
        guard machine.state != .ended, !isDetached, !isSoftPurged, !isSuperseded else { return false }
        guard !request.hasCredentials, !leader.hasCredentials else { return false }
        if request.joinsOnlyAlike || leader.joinsOnlyAlike {
            guard FailureScope.areAlike(request.forwarded, leader.forwarded) else { return false }
        }
        if machine.hasHead, request.wantsNewFetch || !isShared { return false }
        return isAlike(request)
    }

    /// Takes another one in who wants the same; a paused flight goes on for it.
    func join(_ request: LoadRequest) {
        add(request, isCollapsed: true)
        if request.priority > leader.priority, machine.state == .queued {
            shard.core.ports.downloads.post(.raise(id))
        }
        resume()
        if announced != nil { markDirty() }
    }

    /// Lets a waiter go whose client has left; the last one may end the flight.
    func leave(_ waiter: WaiterID) {
        guard waiters.removeValue(forKey: waiter) != nil else { return }
        shard.forget(waiter)
        guard waiters.isEmpty else { return }
        perform(machine.receive(.abandoned(isKept: leader.snapshot.configuration.abandonedDownloads == .finish)))
    }

    private func add(_ request: LoadRequest, isCollapsed: Bool) {
        everyoneSaidNoStore = everyoneSaidNoStore && request.directives.noStore
        everyoneIsAuthorized = everyoneIsAuthorized && request.isAuthorized
        guard let id = request.waiter else { return }
        waiters[id] = FlightWaiter(request: request, isCollapsed: isCollapsed)
        unannounced.append(id)
        shard.note(id, in: self)
    }

    // MARK: Control

    /// Stops to read from the origin; what has come stays.
    func suspend() {
        isSuspended = true
        fetch?.pause()
    }

    /// Reads on after `suspend`.
    func resume() {
        guard isSuspended else { return }
        isSuspended = false
        fetch?.resume()
    }

    /// Ends the flight; everyone who waits is told.
    func cancel() {
        perform(machine.receive(.cancelled))
    }

    /// The queue lets the download begin, with `lease` for its bytes.
    func permitGranted(_ lease: Lease) {
        self.lease = lease
        perform(machine.receive(.permitGranted))
    }

    /// The queue lets it not.
    func permitRefused(_ failure: Failure) {
        perform(machine.receive(.permitRefused(failure)))
    }

    // MARK: Telling

    /// Tells the followers at the end of the turn.
    func markDirty() {
        guard !isDirty else { return }
        isDirty = true
        shard.markDirty(self)
    }

    /// Tells each loop what is new, in one message; those who newly wait get the stream with it.
    func publish() {
        isDirty = false
        guard machine.state == .streaming, let stream = stream ?? makeStream() else { return }
        self.stream = stream
        let newcomers = recipientsByLoop(of: unannounced)
        unannounced = []
        for loop in Set(newcomers.keys).union(toldChunks.keys) {
            let port = shard.core.ports.serving[loop]
            let progress = progress(for: loop, end: nil)
            if let recipients = newcomers[loop] {
                port.post(.streamBegan(stream, progress, recipients))
            } else {
                port.post(.streamAdvanced(id, progress))
            }
        }
    }

    private func progress(for loop: Int, end: BodyProgress.End?) -> BodyProgress {
        let told = toldChunks[loop] ?? 0
        toldChunks[loop] = body.chunks.count
        return BodyProgress(newChunks: Array(body.chunks[told...]), available: body.count, end: end)
    }

    private func recipientsByLoop(of ids: [WaiterID]) -> [Int: [Recipient]] {
        var byLoop: [Int: [Recipient]] = [:]
        for id in ids {
            guard let waiter = waiters[id] else { continue }
            byLoop[id.loop, default: []].append(Recipient(number: id.number, isCollapsed: waiter.isCollapsed))
        }
        return byLoop
    }

    /// Answers those who have not been told of a stream with a whole object.
    func answerRemaining(_ object: CachedObject, _ provenance: Provenance) {
        for (loop, recipients) in recipientsByLoop(of: unannounced) {
            shard.core.ports.serving[loop].post(.object(object, provenance, recipients))
        }
    }

    /// Tells the loops that follow how the stream ended.
    func endStream(_ end: BodyProgress.End) {
        for loop in toldChunks.keys.sorted() {
            shard.core.ports.serving[loop].post(.streamAdvanced(id, progress(for: loop, end: end)))
        }
    }

    /// Tells those who have not been told of a stream that there will be none; stale comes before failure where the
    /// rules and the client allow it.
    func failRemaining(_ failure: Failure, remembersSeconds: Int64) {
        for id in unannounced {
            guard let waiter = waiters[id] else { continue }
            if let stale, failure.allowsStale, shard.isAllowedOnError(stale, for: waiter.request) {
                shard.answer(waiter.request, stale, .hit(.staleIfError))
            } else {
                let isForbidden = stale.map { !$0.freshness.mayBeStale } ?? false
                let report = FailureReport(
                    failure: failure.forbidding(stale: isForbidden), remembersSeconds: remembersSeconds,
                    reason: reason)
                let recipient = Recipient(number: id.number, isCollapsed: waiter.isCollapsed)
                shard.core.ports.serving[id.loop].post(.failed(report, [recipient]))
            }
        }
    }

    /// Each waiter with its request, for decisions that differ between them.
    var requests: [LoadRequest] { unannounced.compactMap { waiters[$0]?.request } }

    /// Takes one waiter out to be answered apart.
    func release(_ request: LoadRequest) {
        guard let id = request.waiter else { return }
        waiters[id] = nil
        shard.forget(id)
    }

    /// Lets go of the waiters: they have been told.
    func dismissWaiters() {
        for id in waiters.keys { shard.forget(id) }
        waiters = [:]
        unannounced = []
    }
}

@available(*, unavailable)
extension Flight: Sendable {}

/// One who waits for a flight.
struct FlightWaiter {
    /// What it asked for.
    let request: LoadRequest
    /// Whether it joined, rather than began the flight.
    let isCollapsed: Bool
}
