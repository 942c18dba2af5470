import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore
import Origin

/// One request and its answer, on the loop of its connection.
///
/// The steps, in order; each may end it with an answer:
///
/// 1. route (`Exchange+Route`), 2. parameters and URL, 3. policy, 4. memory tier, 5. home loop (`Shard`), 6. respond
/// (`Exchange+Respond`).
///
/// | state | what goes on | left by |
/// | --- | --- | --- |
/// | awaiting | nothing has been sent; a shard may have been asked | an answer, `beginStreaming`, `clientLeft` |
/// | streaming | the head is out, the body follows as it comes | the body's end, `breakOff`, `clientLeft` |
/// | ended | the exchange waits for nothing and follows nothing | nothing |
///
/// Owner: its loop.
final class Exchange {
    /// The loop's clients, which outlive it.
    unowned let serving: ServingLoop
    private unowned let client: ClientConnection
    /// Where the answer goes.
    let connection: Connection
    /// The request, parsed; its ranges point into bytes that only `begin` has.
    let head: RequestHead
    /// The configuration that it began with.
    let snapshot: Snapshot
    /// Its name on this loop: as a waiter, and in log lines.
    let number: UInt64
    /// Whether the connection may go on after a good answer.
    let keepsAlive: Bool
    /// When its head was read, for its duration.
    let startedAt: Instant
    /// The request fields, once a step needs them.
    var fields = Fields()
    /// What its `Cache-Control` allows and asks; known once the URL was admitted.
    var directives = RequestDirectives()
    /// The image's URL, once it was read.
    var url: TargetURL?
    /// The image's key, once it was looked for.
    var key: CacheKey?
    /// The bytes of the body that go to this client, and how far they have gone.
    var window = 0..<0
    /// The body that it follows, while one is on its way.
    var follower: Follower?
    /// Whether the body goes out in chunks, for want of a length.
    var isChunked = false
    /// Whether the body is of a download that another request began.
    var isCollapsed = false
    /// The length of a body that was waited for.
    var wholeLength: Int?
    /// Where it stands.
    private(set) var state = State.awaiting
    private var isInsideReceive = true

    /// Where an exchange stands; the table above tells what ends each state.
    enum State {
        /// Nothing has been sent.
        case awaiting
        /// The head has been sent, the body follows as it comes.
        case streaming
        /// The answer is with the connection, or nobody is left to take it.
        case ended
    }

    /// Takes a parsed head over; nothing is answered before `begin`.
    init(
        serving: ServingLoop, client: ClientConnection, connection: Connection, head: RequestHead, keepsAlive: Bool
    ) {
        self.serving = serving
        self.client = client
        self.connection = connection
        self.head = head
        self.keepsAlive = keepsAlive
        snapshot = serving.snapshot
        number = serving.newNumber()
        startedAt = serving.loop.now
    }

    /// Which listener the request came by.
    var role: ListenerRole { client.role }
    /// Whether the client wants the body, not the head alone.
    var sendsBody: Bool { head.method != .head }

    /// What the answer says about the connection, which depends on the client's version.
    var connectionField: ConnectionField {
        if !keepsAlive || serving.isDraining { return .close }
        return head.version == .http10 ? .keepAlive : .none
    }

    /// Starts with the bytes of the head, which live no longer than this call.
    func begin(_ bytes: Span<UInt8>) {
        route(bytes)
        isInsideReceive = false
    }

    // MARK: Ends

    /// Notes that the head is out: from here on a failure can only break the answer off.
    func beginStreaming() {
        guard state == .awaiting else { return }
        state = .streaming
    }

    /// The whole answer is with the connection.
    func end(keepsAlive: Bool, tellsHome: Bool = false) {
        guard state != .ended else { return }
        state = .ended
        serving.stopWaiting(number, follower: follower, key: key, tellsHome: tellsHome)
        follower = nil
        client.finished(keepsAlive: keepsAlive)
        // Inside of `received` the connection goes on by itself.
        if !isInsideReceive { client.resume() }
    }

    /// The body will not be whole: the client must be able to tell.
    func breakOff() {
        guard state != .ended else { return }
        state = .ended
        serving.stopWaiting(number, follower: follower, key: key, tellsHome: false)
        follower = nil
        // Short of its length, or without its last chunk.
        connection.abort()
    }

    /// Ends without an answer; the flight is told, which may end with its last waiter.
    func clientLeft() {
        guard state != .ended else { return }
        state = .ended
        serving.stopWaiting(number, follower: follower, key: key, tellsHome: true)
        follower = nil
    }

    /// The client has read: sends more of the body that it follows.
    func drained() {
        if state == .streaming { pump() }
    }
}

@available(*, unavailable)
extension Exchange: Sendable {}
