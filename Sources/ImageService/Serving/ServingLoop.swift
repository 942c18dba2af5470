import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore
import Settings
import Synchronization

/// What one loop knows of its clients: connections, those who wait for an answer, the flights it follows.
///
/// Owner: its loop.
final class ServingLoop {
    /// The place of the loop, and its part in the names of waiters.
    let index: Int
    /// The loop that owns it.
    let loop: EventLoop
    /// What all loops share.
    let core: ServiceCore
    /// The keys that have their home on this loop.
    unowned let shard: Shard
    /// The counters of its loop.
    let counters: LoopCounters
    /// The configuration in force; each request keeps the one it began with.
    private(set) var snapshot: Snapshot
    /// Targets seen before whose spelling is not plain, for the hit path.
    var aliases = AliasTable()
    /// What a plain target spells, for the hit path.
    var plainTarget = PlainTarget()
    /// The end of the head of a hit in memory.
    var memoryTail = HitTail(.memory)
    /// The end of the head of a hit on disk.
    var diskTail = HitTail(.disk)
    /// Lent to whoever renders the changing end of a head; keeps its room.
    var scratch: [UInt8] = []
    private var clients: [ObjectIdentifier: ClientConnection] = [:]
    private var awaiting: [UInt64: any Awaiting] = [:]
    private var followers: [FlightID: Follower] = [:]
    private var listeners: [(role: ListenerRole, listener: Listener)] = []
    private var lastNumber: UInt64 = 0
    private var nextDealt = 0
    private var sweep: Timer?
    /// When the next sweep should begin; how much later it does is the loop's lag.
    private var sweepDue = Instant.now()
    /// Whether the end has begun: answers close their connections.
    private(set) var isDraining = false
    private var drainGate: Gate?
    private var dataClients = 0
    private var adminClients = 0

    /// How often deadlines are looked at.
    private static let sweepInterval: Duration = .milliseconds(250)

    /// Makes the clients' side of a loop, before the loop runs.
    init(index: Int, loop: EventLoop, core: ServiceCore, shard: Shard, counters: LoopCounters) {
        self.index = index
        self.loop = loop
        self.core = core
        self.shard = shard
        self.counters = counters
        snapshot = core.initialSnapshot
        scratch.reserveCapacity(1024)
        // The sweep samples the lag; it would miss most pauses that are shorter than its interval.
        loop.onLongTurn { counters.observeLag(seconds: $0.inSeconds) }
        sweep = Timer(loop: loop) { [unowned self] in checkDeadlines() }
        scheduleSweep()
    }

    // MARK: Messages

    /// Takes a message.
    func receive(_ message: ServingMessage) {
        switch message {
        case .accepted(let descriptor, let role): open(descriptor, role)
        case .refusedEmbedded(let failure, let completion): completion(.failure(failure))
        case .embedded(let request): EmbeddedLoad(request, serving: self).begin()
        case .object(let object, let provenance, let recipients):
            for recipient in recipients {
                take(recipient.number)?.received(object, provenance, isCollapsed: recipient.isCollapsed)
            }
        case .failed(let report, let recipients):
            for recipient in recipients {
                take(recipient.number)?.received(report, isCollapsed: recipient.isCollapsed)
            }
        case .streamBegan(let stream, let progress, let recipients): began(stream, progress, recipients)
        case .streamAdvanced(let flight, let progress): advanced(flight, progress)
        case .purged(let outcome, let completion): completion(outcome)
        case .configure(let snapshot): self.snapshot = snapshot
        case .drain(let gate): drain(gate)
        case .closeAll(let gate): closeAll(gate)
        }
    }

    private func began(_ stream: FlightStream, _ progress: BodyProgress, _ recipients: [Recipient]) {
        let follower = followers[stream.id] ?? Follower(stream)
        followers[stream.id] = follower
        follower.merge(progress)
        for recipient in recipients {
            guard let awaiting = awaiting[recipient.number] else { continue }
            follower.add(awaiting, number: recipient.number)
            awaiting.began(follower, isCollapsed: recipient.isCollapsed)
        }
        forgetIfUnused(follower)
    }

    private func advanced(_ flight: FlightID, _ progress: BodyProgress) {
        guard let follower = followers[flight] else { return }
        follower.advance(progress)
        forgetIfUnused(follower)
    }

    private func forgetIfUnused(_ follower: Follower) {
        // A flight that runs goes on telling this loop; what it says is not missed once nobody here waits.
        if follower.isUnused, follower.body.end != nil { followers[follower.stream.id] = nil }
    }

    // MARK: Those who wait

    /// Gives a number to somebody who will wait.
    func newNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Takes a stored response from disk where its key is at home on this loop and nothing has to be waited for.
    ///
    /// - Parameters:
    ///   - epoch: the configuration under which the URL was admitted.
    ///   - isUsable: whether an object can be the answer as it is.
    func takeFromDisk(
        _ key: CacheKey, admittedUnder epoch: UInt64, where isUsable: (CachedObject) -> Bool
    ) -> DiskHit? {
        guard key.hash.shard(of: core.loopCount) == index else { return nil }
        return shard.takeAtOnce(key, admittedUnder: epoch, where: isUsable)
    }

    /// Sends a load to the home loop of its key and keeps who waits for it.
    func load(_ request: LoadRequest, for waiting: any Awaiting) {
        if let waiter = request.waiter { awaiting[waiter.number] = waiting }
        core.home(of: request.key).post(.load(request))
    }

    /// Forgets one who has its whole answer, or wants none any more.
    ///
    /// - Parameter key: whose home loop is told; nil when it was never asked.
    func stopWaiting(_ number: UInt64, follower: Follower?, key: CacheKey?, tellsHome: Bool) {
        guard let key else { return }
        awaiting[number] = nil
        if let follower {
            follower.remove(number)
            forgetIfUnused(follower)
        }
        if tellsHome { core.home(of: key).post(.leave(WaiterID(loop: index, number: number))) }
    }

    private func take(_ number: UInt64) -> (any Awaiting)? {
        awaiting.removeValue(forKey: number)
    }

    // MARK: Connections

    /// Starts to listen.
    ///
    /// Before the loop runs, or on it.
    func listen(_ socket: BoundSocket, role: ListenerRole, deals: Bool) {
        let listener = Listener(loop: loop, socket: socket) { [unowned self] descriptor in
            guard deals else { return open(descriptor, role) }
            // Unix sockets have one listener: connections are dealt out in turn.
            nextDealt = (nextDealt + 1) % core.loopCount
            core.ports.serving[nextDealt].post(.accepted(descriptor, role))
        }
        listeners.append((role, listener))
    }

    private func open(_ descriptor: OwnedDescriptor, _ role: ListenerRole) {
        let client = ClientConnection(serving: self, role: role)
        guard client.open(descriptor) else { return }
        clients[ObjectIdentifier(client)] = client
        count(role, 1)
        if isDraining, role == .data {
            client.drain()  // It was accepted before the listener closed.
        } else if role == .data, core.clients.load(ordering: .relaxed) > snapshot.configuration.maxConnections {
            counters.add(.connectionsRejectedTooMany)
            client.refuse(.tooManyConnections)
        } else {
            client.begin()
        }
    }

    /// Forgets a connection that has ended; the last one may end a drain.
    func closed(_ client: ClientConnection) {
        guard clients.removeValue(forKey: ObjectIdentifier(client)) != nil else { return }
        count(client.role, -1)
        openDrainGateIfDone()
    }

    private func count(_ role: ListenerRole, _ change: Int) {
        switch role {
        case .data:
            dataClients += change
            core.clients.wrappingAdd(change, ordering: .relaxed)
        case .admin: adminClients += change
        }
        counters.setConnections(data: dataClients, admin: adminClients)
    }

    private func checkDeadlines() {
        let now = loop.now
        counters.observeLag(seconds: max(0, (now - sweepDue).inSeconds))
        for client in Array(clients.values) { client.check(now: now) }
        scheduleSweep()
    }

    private func scheduleSweep() {
        sweepDue = Instant.now() + Self.sweepInterval
        sweep?.schedule(after: Self.sweepInterval)
    }

    // MARK: Ends

    /// Accepts what the kernel queued, then no more; idle connections go, busy ones after their answer.
    ///
    /// Operators are served to the end: `/readyz` says that we drain.
    private func drain(_ gate: Gate) {
        for (role, listener) in listeners where role == .data { listener.close() }
        listeners.removeAll { $0.role == .data }
        isDraining = true
        drainGate = gate
        for client in Array(clients.values) where client.role == .data { client.drain() }
        openDrainGateIfDone()
    }

    private func openDrainGateIfDone() {
        guard isDraining, dataClients == 0, let gate = drainGate else { return }
        drainGate = nil
        gate.open()
    }

    /// Stops to listen; the last chance of a listener whose loop never ran.
    func closeListeners() {
        for (_, listener) in listeners { listener.close() }
        listeners = []
    }

    private func closeAll(_ gate: Gate) {
        closeListeners()
        for client in Array(clients.values) { client.close() }
        sweep = nil
        gate.open()
    }
}

@available(*, unavailable)
extension ServingLoop: Sendable {}
