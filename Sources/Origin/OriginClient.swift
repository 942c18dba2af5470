import EventLoops
import HTTPMessages

/// The way to origins from one loop: names, connections, transfers.
///
/// ```
///  fetch -> OriginFetch: policy -> Resolver -> policy -> TransferPool -> head -> redirect? again : body
/// ```
///
/// Settings and policy are one snapshot, with a resolver and a pool of its own. A change makes a new snapshot: work that
/// runs keeps the one it began with, and no kept connection or answer passes from one set of rules to the next.
///
/// Owner: the loop.
public final class OriginClient {
    private let loop: EventLoop
    private let later: LaterActions
    private var snapshot: OriginSnapshot
    private var fetches: [ObjectIdentifier: OriginFetch] = [:]
    private var isClosed = false

    /// Makes a client.
    ///
    /// - Throws: when libcurl or c-ares cannot be made ready, or a name server's address is none.
    public init(loop: EventLoop, settings: OriginSettings, policy: TargetPolicy) throws(OriginSetupError) {
        loop.preconditionCurrent()
        self.loop = loop
        later = LaterActions(loop: loop)
        snapshot = OriginSnapshot(loop: loop, settings: settings, policy: policy)
        try snapshot.open()
    }

    /// Begins a fetch; the handler hears of it later in this turn at the earliest.
    ///
    /// - Parameter handler: kept until its last call or `cancel`.
    public func fetch(_ request: OriginRequest, handler: any OriginFetchHandler) -> OriginFetch {
        loop.assertCurrent()
        precondition(!isClosed, "the origin client is closed")
        let fetch = OriginFetch(request: request, handler: handler, snapshot: snapshot, client: self)
        fetches[ObjectIdentifier(fetch)] = fetch
        later.run { fetch.begin() }
        return fetch
    }

    /// Puts new rules in force for fetches that begin from now on; idle connections and known addresses are let go.
    public func update(settings: OriginSettings, policy: TargetPolicy) {
        loop.assertCurrent()
        snapshot = OriginSnapshot(loop: loop, settings: settings, policy: policy)
    }

    /// Ends everything; no handler hears of it.
    public func close() {
        loop.preconditionCurrent()
        guard !isClosed else { return }
        isClosed = true
        for fetch in Array(fetches.values) { fetch.cancel() }
        snapshot = OriginSnapshot(loop: loop, settings: OriginSettings(), policy: snapshot.policy)
    }

    /// Fetches that run.
    public var fetchCount: Int { fetches.count }

    /// Hops and connections since the rules last changed.
    public var counts: TransferCounts { snapshot.counts }

    /// Lookups begun since the rules last changed.
    public var lookupCount: Int { snapshot.lookupCount }

    func forget(_ fetch: OriginFetch) {
        fetches[ObjectIdentifier(fetch)] = nil
    }

    /// Runs an action later in this turn.
    func run(later action: @escaping () -> Void) {
        later.run(action)
    }
}

@available(*, unavailable)
extension OriginClient: Sendable {}

/// Settings and rules of one moment, and what works under them.
///
/// Resolver and pool are made on first use, so that a shortage at the moment of a change fails one fetch and not the
/// change.
final class OriginSnapshot {
    let loop: EventLoop
    let settings: OriginSettings
    let policy: TargetPolicy
    private let overrides: [String: IPAddress]
    private var madeResolver: Resolver?
    private var madePool: TransferPool?

    init(loop: EventLoop, settings: OriginSettings, policy: TargetPolicy) {
        self.loop = loop
        self.settings = settings
        self.policy = policy
        let pairs = settings.hostOverrides.map { ($0.host.lowercased(), $0.address) }
        overrides = Dictionary(pairs) { first, _ in first }
    }

    /// Makes everything now.
    func open() throws(OriginSetupError) {
        _ = try resolver()
        _ = try pool()
    }

    func resolver() throws(OriginSetupError) -> Resolver {
        if let madeResolver { return madeResolver }
        let resolver = try Resolver(loop: loop, servers: settings.resolverServers, dnsTimeout: settings.dnsTimeout)
        madeResolver = resolver
        return resolver
    }

    func pool() throws(OriginSetupError) -> TransferPool {
        if let madePool { return madePool }
        let pool = try TransferPool(loop: loop, settings: settings, policy: policy)
        madePool = pool
        return pool
    }

    /// The address that needs no lookup: a literal one, or one that the operator pinned.
    func fixedAddress(of url: TargetURL) -> IPAddress? {
        url.address ?? (overrides.isEmpty ? nil : overrides[url.hostName])
    }

    /// The addresses that may be connected to; when there is none, the rule that refused the first.
    func admit(_ addresses: [IPAddress], port: UInt16) -> Result<[IPAddress], OriginError> {
        var allowed: [IPAddress] = []
        var refusal: TargetRule?
        for address in addresses {
            switch policy.judge(address, port: port) {
            case .allowed: allowed.append(address)
            case .refused(let rule): refusal = refusal ?? rule
            }
        }
        if allowed.isEmpty, let refusal { return .failure(.notAllowed(refusal)) }
        return allowed.isEmpty ? .failure(.dns(.noAddress)) : .success(allowed)
    }

    var counts: TransferCounts { madePool?.counts ?? TransferCounts() }
    var lookupCount: Int { madeResolver?.lookupCount ?? 0 }
}
