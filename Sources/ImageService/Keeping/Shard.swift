import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore
import Origin

/// The owner of a slice of keys: their flights, their remembered failures, their part of the disk.
///
/// One entry point, `receive`. A load takes these steps, and each may end it:
///
/// 1. a remembered failure, 2. the memory tier (a flight may have landed since the asker looked), 3. a flight to join,
/// 4. a flight of its own, which reads the disk and then asks the origin.
///
/// Where a URL's responses vary, `Shard+Variants` finds the one that a request selects.
///
/// Owner: its loop.
final class Shard {
    /// The place of its loop, and its part in the names of flights.
    let index: Int
    /// The loop that owns it.
    let loop: EventLoop
    /// What all loops share.
    let core: ServiceCore
    /// The counters of its loop.
    let counters: LoopCounters
    /// The configuration in force, for work that no request brings one for.
    private(set) var snapshot: Snapshot
    /// Its part of the disk tier; nil without one.
    let disk: DiskShard?
    /// Its way to origins.
    let origin: OriginClient
    /// The flights that run, by the key of their URL.
    private(set) var flights: [CacheKey: [Flight]] = [:]
    /// The flights that run, by the number in their names.
    private(set) var flightsByNumber: [UInt64: Flight] = [:]
    private var flightOfWaiter: [WaiterID: Flight] = [:]
    /// Failures that are remembered.
    var negatives = NegativeMemory()
    /// What was purged and may still be somewhere, and the purges under way.
    var purging: ShardPurges
    /// How far the walk has come that folds uses into the disk tier (`Shard+Disk`).
    var usesCursor = MemoryCursor()
    private var dirty: [Flight] = []
    private var lastNumber: UInt64 = 0
    /// Whether the end has begun: the disk takes nothing new.
    private(set) var isShutDown = false

    /// Makes the shard of a loop, before the loop runs.
    ///
    /// - Throws: `OriginSetupError` when libcurl or c-ares cannot be made ready.
    init(index: Int, loop: EventLoop, core: ServiceCore, counters: LoopCounters) throws(OriginSetupError) {
        self.index = index
        self.loop = loop
        self.core = core
        self.counters = counters
        snapshot = core.initialSnapshot
        purging = ShardPurges(core.purges.initial)
        disk = core.disk.map { DiskShard(tier: $0, loop: loop, shardIndex: index, shardCount: core.loopCount) }
        origin = try OriginClient(loop: loop, settings: snapshot.origin, policy: snapshot.policy)
        loop.onTurnEnd { [unowned self] in publish() }
    }

    // MARK: Messages

    /// Takes a message: the one entry point.
    func receive(_ message: ShardMessage) {
        switch message {
        case .load(let request): load(request)
        case .leave(let waiter): flightOfWaiter[waiter]?.leave(waiter)
        case .suspend(let key): for flight in flights[key] ?? [] { flight.suspend() }
        case .cancel(let key): for flight in flights[key] ?? [] { flight.cancel() }
        case .permitGranted(let number, let lease): granted(number, lease)
        case .permitRefused(let number, let failure): flightsByNumber[number]?.permitRefused(failure)
        case .configure(let snapshot): configure(snapshot)
        case .purge(let order): takePart(in: order)
        case .purgeSlice(let number): purgeNextSlice(number)
        case .judgeFiles(let keys, let batch): judgeFiles(keys, batch)
        case .forgetBans(let numbers): purging.bans.remove(numbers)
        case .walkLater(let delay): walkLater(delay)
        case .shutDown(let gate): shutDown(gate)
        }
    }

    /// A permit that comes too late goes back at once.
    private func granted(_ number: UInt64, _ lease: Lease) {
        guard let flight = flightsByNumber[number], !isShutDown else {
            return core.ports.downloads.post(.finished(FlightID(home: index, number: number)))
        }
        flight.permitGranted(lease)
    }

    private func configure(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        disk?.forgetObjects()
        origin.update(settings: snapshot.origin, policy: snapshot.policy)
    }

    private func shutDown(_ gate: Gate) {
        isShutDown = true
        endRuns()
        for flight in flightsByNumber.values { flight.cancel() }
        guard let disk else { return finishShutDown(gate) }
        disk.flush { [self] in
            disk.close()
            finishShutDown(gate)
        }
    }

    private func finishShutDown(_ gate: Gate) {
        origin.close()
        gate.open()
    }

    // MARK: Loading

    /// Answers from what is stored, or sends the request on to a flight.
    func load(_ request: LoadRequest) {
        guard !isShutDown else { return answer(request, FailureReport(failure: .draining, remembersSeconds: 0)) }
        if let object = takeFromMemory(request.key, for: request) {
            consider(object, for: request, detail: .memory)
        } else if let object = takeFromDisk(request.key, admittedUnder: request.snapshot.epoch) {
            consider(object, for: request, detail: .disk)
        } else {
            fly(request, PriorKnowledge(record: onDisk(request.key)))
        }
    }

    /// Takes an object from memory, judged by the purges under way and rendered under the request's configuration.
    ///
    /// The tier then has it as it is now, for all who ask next.
    func takeFromMemory(_ key: CacheKey, for request: LoadRequest) -> CachedObject? {
        guard let found = core.memory.lookup(key)?.object, let object = judged(found) else { return nil }
        let renewed = ObjectMaker.renewed(
            object, snapshot: request.snapshot, now: loop.now, wallNow: WallClock.seconds())
        if renewed !== object { _ = core.memory.store(renewed) }
        return renewed
    }

    /// Answers with a stored object, or begins a flight that knows of it; a marker leads to another object first.
    ///
    /// - Parameter variants: what the marker lists that led to the object; nil when it lies under the URL's own key.
    func consider(
        _ object: CachedObject, for request: LoadRequest, detail: CacheStatus.Detail, among variants: VariantSet? = nil
    ) {
        if let variants = object.variants { return choose(among: variants, for: request) }
        guard object.freshness.isWorthKeeping(residentSeconds: object.residentSeconds(now: loop.now)) else {
            _ = core.memory.remove(object)
            _ = disk?.remove(object.key)
            return fly(request, PriorKnowledge(variants: variants))
        }
        let variance = request.snapshot.rules.variance(of: object.response.fields)
        guard variance.secondaryKey(request: request.forwarded) == object.variantKey else {
            return fly(request, PriorKnowledge(variants: variants, variance: variance))
        }
        let prior = PriorKnowledge(stale: object, variants: variants, variance: variants == nil ? variance : nil)
        switch reuse(object, for: request) {
        case .fresh: answer(request, object, .hit(detail))
        case .staleForClient: answer(request, object, .hit(.maxStale))
        case .staleOffline: answer(request, object, .hit(.offline))
        // In the background nobody's credentials are used.
        case .staleWhileRevalidate where request.hasCredentials: fly(request, prior, reason: .stale)
        case .staleWhileRevalidate:
            answer(request, object, .hit(.staleWhileRevalidate))
            refresh(prior, like: request)
        case .revalidate(let reason): fly(request, prior, reason: reason)
        case .notCached: answer(request, FailureReport(failure: .notCached, remembersSeconds: 0))
        }
    }

    /// Judges whether a stored object may answer a request, by the rules that the request came under.
    func reuse(_ object: CachedObject, for request: LoadRequest) -> Reuse {
        Reuse.judge(
            request: request.directives, freshness: object.freshness,
            residentSeconds: object.residentSeconds(now: loop.now), settings: request.snapshot.caching)
    }

    /// Fetches in the background what was just answered stale, unless somebody does already.
    private func refresh(_ prior: PriorKnowledge, like request: LoadRequest) {
        guard negatives.recall(request.key, for: request.forwarded, now: loop.now) == nil else { return }
        let background = LoadRequest(
            waiter: nil, key: request.key, url: request.url, forwarded: request.forwarded,
            directives: RequestDirectives(), priority: .low, snapshot: request.snapshot)
        if flights[request.key]?.contains(where: { $0.isAlike(background) }) == true { return }
        fly(background, prior, reason: .stale)
    }

    /// Joins a flight, or begins one.
    func fly(_ request: LoadRequest, _ prior: PriorKnowledge, reason: CacheStatus.ForwardReason? = nil) {
        if prior.stale == nil, answerWhileRevalidating(request) { return }
        if request.mayFetch, let running = flights[request.key]?.first(where: { $0.accepts(request) }) {
            return running.join(request)
        }
        let readsDisk = prior.record != nil
        guard request.mayFetch || readsDisk else {
            return answer(request, FailureReport(failure: .notCached, remembersSeconds: 0))
        }
        if !readsDisk, answerFromMemoryOfFailure(request, stale: prior.stale) { return }
        lastNumber += 1
        let isUnknown = prior.variants == nil && prior.variance == nil
        let flight = Flight(
            id: FlightID(home: index, number: lastNumber), leader: request, shard: self, prior: prior,
            reason: reason ?? (isUnknown ? .uriMiss : .varyMiss))
        flights[request.key, default: []].append(flight)
        flightsByNumber[lastNumber] = flight
        flight.begin(readsDisk: readsDisk)
    }

    /// Answers with what a running flight validates, where no tier but the disk has it (RFC 5861 §3).
    private func answerWhileRevalidating(_ request: LoadRequest) -> Bool {
        let known = flights[request.key]?.first { $0.validatesSelection(of: request) }?.stale
        guard let known, reuse(known, for: request) == .staleWhileRevalidate else { return false }
        answer(request, known, .hit(.staleWhileRevalidate))
        return true
    }

    /// Answers with a failure that is remembered, or with what is stale where it may stand in; false when a fetch is due.
    func answerFromMemoryOfFailure(_ request: LoadRequest, stale: CachedObject?) -> Bool {
        let remembered = negatives.recall(request.key, for: request.forwarded, now: loop.now)
        guard let (failure, seconds) = remembered else { return false }
        if let stale, failure.allowsStale, isAllowedOnError(stale, for: request) {
            answer(request, stale, .hit(.staleIfError))
        } else {
            let seen = failure.forbidding(stale: stale.map { !$0.freshness.mayBeStale } ?? false)
            answer(request, FailureReport(failure: seen, remembersSeconds: seconds, isRemembered: true))
        }
        return true
    }

    /// Whether a stale object may stand in for what the origin failed to give (RFC 5861 §4).
    func isAllowedOnError(_ object: CachedObject, for request: LoadRequest) -> Bool {
        Reuse.isAllowedOnError(
            request: request.directives, freshness: object.freshness,
            residentSeconds: object.residentSeconds(now: loop.now), settings: request.snapshot.caching)
    }

    // MARK: Keeping the books of flights

    /// Notes by whom a waiter is served, so that it can leave by its name alone.
    func note(_ waiter: WaiterID, in flight: Flight) {
        flightOfWaiter[waiter] = flight
        counters.setWaiters(flightOfWaiter.count)
    }

    /// Forgets a waiter that was answered or has left.
    func forget(_ waiter: WaiterID) {
        flightOfWaiter[waiter] = nil
        counters.setWaiters(flightOfWaiter.count)
    }

    /// Takes a flight out of the table, before anyone is told of its end.
    func remove(_ flight: Flight) {
        flightsByNumber[flight.id.number] = nil
        var others = flights[flight.key] ?? []
        others.removeAll { $0 === flight }
        flights[flight.key] = others.isEmpty ? nil : others
    }

    /// Tells older flights that what they bring is out of date: it must not replace what this one stores.
    ///
    /// Those that fetch another variant go on as before.
    ///
    /// - Parameter variance: how the response of the younger flight varies.
    func supersedeOlder(than flight: Flight, variance: Variance) {
        for other in flights[flight.key] ?? [] where other.id.number < flight.id.number {
            if other.isOutdated(by: flight, variance) { other.isSuperseded = true }
        }
    }

    /// Has a flight tell its followers the news when the turn ends, once for all that happened in it.
    func markDirty(_ flight: Flight) {
        dirty.append(flight)
    }

    private func publish() {
        guard !dirty.isEmpty else { return }
        let flights = dirty
        dirty.removeAll(keepingCapacity: true)
        for flight in flights { flight.publish() }
    }

    // MARK: Remembering

    /// Remembers a failure for as long as its class allows, and for those for whom it counts.
    ///
    /// - Parameter variance: how the responses of the URL vary, as far as is known.
    /// - Returns: the seconds; 0 when it is not remembered.
    func remember(_ failure: Failure, of request: LoadRequest, variance: Variance) -> Int64 {
        guard let kind = failure.negativeKind else { return 0 }
        let seconds = snapshot.negative.seconds(for: kind, retryAfterSeconds: failure.retryAfterSeconds)
        let scope = FailureScope(of: failure, variance: variance, request: request.forwarded)
        negatives.remember(failure, for: request.key, scope: scope, seconds: seconds, now: loop.now)
        return seconds
    }

    /// Forgets the failure of a request that has been answered.
    func forgetFailure(of request: LoadRequest) {
        negatives.forget(request.key, for: request.forwarded)
    }

    // MARK: Answering

    /// Answers one request with an object; for work that nobody waits for this is nothing.
    func answer(_ request: LoadRequest, _ object: CachedObject, _ provenance: Provenance) {
        guard let waiter = request.waiter else { return }
        let recipient = Recipient(number: waiter.number, isCollapsed: false)
        core.ports.serving[waiter.loop].post(.object(object, provenance, [recipient]))
    }

    /// Answers one request with a failure; for work that nobody waits for this is nothing.
    func answer(_ request: LoadRequest, _ report: FailureReport) {
        guard let waiter = request.waiter else { return }
        let recipient = Recipient(number: waiter.number, isCollapsed: false)
        core.ports.serving[waiter.loop].post(.failed(report, [recipient]))
    }
}

@available(*, unavailable)
extension Shard: Sendable {}
