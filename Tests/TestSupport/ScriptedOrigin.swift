/// A request as the origin saw it.
public struct OriginRequestRecord: Sendable {
    /// The method as sent.
    public let method: String
    /// The request target, byte for byte (Latin-1).
    public let target: String
    /// `HTTP/1.1` or `HTTP/1.0`.
    public let version: String
    /// The fields in order.
    public let fields: [WireField]
    /// Which connection carried it, counted from 1.
    public let connection: Int
    /// When the head was complete.
    public let time: ContinuousClock.Instant

    /// The `Host` field.
    public var host: String { fields.first("host") ?? "" }
}

/// What became of one reply.
public struct OriginDelivery: Sendable {
    /// Whose reply it was.
    public let target: String
    /// The bytes of the body that were written.
    public let bodyBytes: Int
    /// Whether the peer left before the script was through.
    public let peerLeft: Bool
    /// When the last step was done.
    public let time: ContinuousClock.Instant
}

/// An HTTP server on loopback that follows a script and remembers what it was asked.
///
/// Routes go by request target; the handler for the rest answers 404. Every connection has a thread, so a script may wait.
public final class ScriptedOrigin: Sendable {
    /// Answers one request.
    public typealias Handler = @Sendable (OriginRequestRecord) -> OriginReply

    struct State {
        var routes: [String: Handler] = [:]
        var otherwise: Handler = { _ in .status(404, "Not Found", body: Array("no such picture".utf8)) }
        var requests: [OriginRequestRecord] = []
        var deliveries: [OriginDelivery] = []
        var connections: [Int: Socket] = [:]
        var connectionCount = 0
        var active: [String: Int] = [:]
        var highWater: [String: Int] = [:]
        var highWaterOfAll = 0
        var isClosed = false
    }

    let state = Monitor(State())
    private let listener: Socket
    /// Where it listens.
    public let endpoint: Endpoint

    /// Listens at once on a free port of the address.
    public init(address: String = "127.0.0.1") throws {
        let any: Endpoint = address.contains(":") ? .ipv6(address, 0) : .ipv4(address, 0)
        listener = try Socket.listening(at: any)
        endpoint = address.contains(":") ? .ipv6(address, listener.localPort) : .ipv4(address, listener.localPort)
        let listener = listener
        let state = state
        _ = ScriptThread {
            while let connection = listener.accepted() {
                let number = state.update { state -> Int? in
                    guard !state.isClosed else { return nil }
                    state.connectionCount += 1
                    state.connections[state.connectionCount] = connection
                    return state.connectionCount
                }
                guard let number else { return }
                _ = ScriptThread { OriginConnection(number: number, socket: connection, state: state).serve() }
            }
        }
    }

    deinit { close() }

    /// Stops listening and ends every connection.
    public func close() {
        listener.shutdown()
        state.update {
            $0.isClosed = true
            $0.connections.values.forEach { $0.shutdown() }
        }
        // Closed by the accepting thread's end: it could otherwise accept from whoever gets the descriptor next.
    }

    /// Ends every connection, but goes on listening.
    public func endConnections() { state.update { $0.connections.values.forEach { $0.shutdown() } } }

    // MARK: Script

    /// The port it listens on.
    public var port: UInt16 { endpoint.port }

    /// An absolute URL of a target here.
    public func url(_ target: String) -> String { "http://\(endpoint)\(target)" }

    /// Answers every request for the target with the reply.
    public func on(_ target: String, _ reply: OriginReply) { on(target) { _ in reply } }

    /// Answers the requests for the target with the replies in turn, then with the last one again and again.
    public func on(_ target: String, inTurn replies: [OriginReply]) {
        let turn = Monitor(0)
        on(target) { _ in
            let index = turn.update { count in
                defer { count += 1 }
                return count
            }
            return replies[min(index, replies.count - 1)]
        }
    }

    /// Answers requests for the target by a closure.
    public func on(_ target: String, _ handler: @escaping Handler) { state.update { $0.routes[target] = handler } }

    /// Answers whatever has no route.
    public func otherwise(_ handler: @escaping Handler) { state.update { $0.otherwise = handler } }

    // MARK: What was seen

    /// All requests in the order they came.
    public var requests: [OriginRequestRecord] { state.read { $0.requests } }

    /// The requests for one target.
    public func requests(_ target: String) -> [OriginRequestRecord] { requests.filter { $0.target == target } }

    /// How many requests came for the target.
    public func hits(_ target: String) -> Int { requests(target).count }

    /// How many requests came in all.
    public var hits: Int { state.read { $0.requests.count } }

    /// The targets asked for, in order.
    public var targets: [String] { requests.map(\.target) }

    /// How many connections were accepted.
    public var connections: Int { state.read { $0.connectionCount } }

    /// Requests that are being answered now.
    public var active: Int { state.read { $0.active.values.reduce(0, +) } }

    /// The most requests that were ever answered at once.
    public var highWater: Int { state.read { $0.highWaterOfAll } }

    /// The most requests for one `Host` that were ever answered at once.
    public func highWater(host: String) -> Int { state.read { $0.highWater[host] ?? 0 } }

    /// What became of the replies to the target so far.
    public func deliveries(_ target: String) -> [OriginDelivery] {
        state.read { $0.deliveries.filter { $0.target == target } }
    }

    /// Waits until the target was asked for so often; false when it was not within the time.
    @discardableResult
    public func waitForHits(_ target: String, _ count: Int = 1, upTo limit: Duration = Patience.limit) -> Bool {
        state.wait(upTo: limit) { $0.requests.count(where: { $0.target == target }) >= count }
    }

    /// Waits until so many requests have come in all.
    @discardableResult
    public func waitForRequests(_ count: Int, upTo limit: Duration = Patience.limit) -> Bool {
        state.wait(upTo: limit) { $0.requests.count >= count }
    }

    /// Waits until so many requests are being answered at once.
    @discardableResult
    public func waitForActive(_ count: Int, upTo limit: Duration = Patience.limit) -> Bool {
        state.wait(upTo: limit) { $0.active.values.reduce(0, +) == count }
    }

    /// Waits until so many replies to the target are over, and hands them back.
    public func waitForDeliveries(
        _ target: String, _ count: Int = 1, upTo limit: Duration = Patience.limit
    ) throws -> [OriginDelivery] {
        guard state.wait(upTo: limit, until: { $0.deliveries.count(where: { $0.target == target }) >= count }) else {
            throw ScriptFailure.timedOut("replies to \(target): \(deliveries(target).count) of \(count)")
        }
        return deliveries(target)
    }
}
