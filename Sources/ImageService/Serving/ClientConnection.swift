import EventLoops
import HTTPMessages
import Settings

/// One client: bytes in, requests out, one after the other, until either side has had enough.
///
/// Pipelined requests are answered in order: while one waits for a download, the bytes behind it stay where they are.
///
/// | state | told by | what goes on | left by |
/// | --- | --- | --- | --- |
/// | reading | no `exchange` | bytes are parsed until a head is whole | a head, a bad head, the deadline, a drain |
/// | answering | `exchange` | the bytes behind the request wait | the answer's end |
/// | closing | `isClosing` | the answer goes out, input is thrown away | everything sent and heard, the deadline |
/// | ended | no `connection` | the serving loop has forgotten it | nothing |
///
/// The end of the socket ends every state.
///
/// Owner: its loop.
final class ClientConnection: ConnectionDelegate {
    /// Which listener it came by.
    let role: ListenerRole
    private unowned let serving: ServingLoop
    private var connection: Connection?
    private var parser: RequestParser
    private var exchange: Exchange?
    private var isClosing = false
    private var deadline: Instant
    private var isReadingHead = false
    private var hasAnswered = false
    private var unsentAtLastCheck = 0

    /// Makes a client without a socket; its time for the first head runs from now.
    init(serving: ServingLoop, role: ListenerRole) {
        self.serving = serving
        self.role = role
        parser = RequestParser(limits: serving.snapshot.requestLimits)
        deadline = serving.loop.now + serving.snapshot.configuration.headerTimeout
    }

    /// Takes the socket over; false when it could not be watched.
    func open(_ descriptor: OwnedDescriptor) -> Bool {
        connection = Connection(loop: serving.loop, socket: descriptor, delegate: self, isWatched: false)
        return connection != nil
    }

    /// Reads a request that has come with the connection; else waits for one.
    func begin() {
        connection?.readAtOnce()
    }

    // MARK: Input

    /// Parses and answers as many requests as can be answered now.
    ///
    /// - Returns: the bytes used up; what waits for an answer before it, or is no whole head yet, stays.
    func connection(_ connection: Connection, received bytes: Span<UInt8>) -> Int {
        var offset = 0
        while exchange == nil, !isClosing, offset < bytes.count, connection.unsentBytes < Connection.backlogLimit {
            let rest = bytes.extracting(offset..<bytes.count)
            switch parser.parse(rest) {
            case .needMore:
                beganHead()
                return offset
            case .failed(let error):
                refuse(Failure(error, limits: parser.limits))
                return bytes.count
            case .head(let head):
                offset += head.length
                answer(head, rest)
            }
        }
        // What follows a request that is refused is not read as another one.
        return isClosing ? bytes.count : offset
    }

    private func beganHead() {
        guard !isReadingHead else { return }
        isReadingHead = true
        deadline = serving.loop.now + serving.snapshot.configuration.headerTimeout
    }

    private func answer(_ head: RequestHead, _ bytes: Span<UInt8>) {
        guard let connection else { return }
        isReadingHead = false
        // A body is nothing that is served here: it is thrown away together with the connection.
        let isPlain = head.body == .none && !serving.isDraining
        if role == .data, isPlain, serving.answerAtOnce(head, bytes, connection) {
            return answeredAtOnce(head, isLast: head.length == bytes.count, connection)
        }
        let keepsAlive = head.keepAlive && isPlain
        let exchange = Exchange(
            serving: serving, client: self, connection: connection, head: head, keepsAlive: keepsAlive)
        self.exchange = exchange
        exchange.begin(bytes)
    }

    /// Goes on, or ends as the client wished.
    ///
    /// A client that closes after this answer sends nothing more, so no reset can destroy it: there is nothing to linger
    /// for (RFC 9112 §9.6), unless something has come all the same.
    private func answeredAtOnce(_ head: RequestHead, isLast: Bool, _ connection: Connection) {
        hasAnswered = true
        guard head.keepAlive else {
            isClosing = true
            connection.closeAfterSending(lingering: !isLast)
            return
        }
        deadline = serving.loop.now.advanced(nanoseconds: serving.snapshot.idleNanoseconds)
    }

    // MARK: Between requests

    /// The answer has been handed to the connection.
    func finished(keepsAlive: Bool) {
        exchange = nil
        hasAnswered = true
        let isInputEnded = connection?.isInputEnded ?? true
        guard keepsAlive, !serving.isDraining, !isInputEnded else {
            isClosing = true
            connection?.closeAfterSending(lingering: !isInputEnded)
            return
        }
        deadline = serving.loop.now + serving.snapshot.configuration.idleTimeout
    }

    /// Takes up the requests that came while the last one waited.
    ///
    /// Called from outside of `received`.
    func resume() {
        connection?.flush()
        if exchange == nil, !isClosing { connection?.redeliver() }
    }

    /// Says that input can wait while a request is under way: pipelined ones are answered in order.
    func connectionWantsInput(_ connection: Connection) -> Bool { exchange == nil && !isClosing }

    /// Goes on with a body that waited for the client to read, or with the requests behind it.
    func connectionDrained(_ connection: Connection) {
        exchange?.drained()
        if exchange == nil, !isClosing { connection.redeliver() }
    }

    /// Lets everything go; nobody is left to answer.
    func connectionEnded(_ connection: Connection) {
        self.connection = nil
        isClosing = true
        exchange?.clientLeft()
        exchange = nil
        serving.closed(self)
    }

    // MARK: Ends

    /// Answers with a failure that ends the connection.
    func refuse(_ failure: Failure) {
        guard let connection, !isClosing else { return }
        isClosing = true
        exchange = nil
        ProblemWriter.append(
            ProblemWriter.Answer(failure: failure, keepsAlive: false), to: connection, date: HTTPDate.now())
        serving.counters.add(.requestsError)
        connection.closeAfterSending(lingering: true)
        connection.flush()
    }

    /// Closes what has waited too long: for a request, for the rest of a head, for a reader that reads nothing.
    func check(now: Instant) {
        guard let connection else { return }
        if connection.unsentBytes > 0 || isClosing {
            checkProgress(connection, now: now)
        } else if exchange == nil, now >= deadline {
            isReadingHead ? refuse(.requestTimeout) : connection.close()
        }
    }

    private func checkProgress(_ connection: Connection, now: Instant) {
        if connection.unsentBytes != unsentAtLastCheck {
            unsentAtLastCheck = connection.unsentBytes
            deadline = now + serving.snapshot.configuration.idleTimeout
        } else if isClosing, connection.unsentBytes == 0, deadline > now + .seconds(2) {
            deadline = now + .seconds(2)  // Lingering: long enough for the client to read the answer.
        } else if now >= deadline {
            // What the kernel has taken still goes out; what it has not is lost either way.
            connection.unsentBytes == 0 ? connection.close() : connection.abort()
        }
    }

    /// Closes when nothing is under way.
    ///
    /// A request that the kernel holds already is read first, and a client that has only just connected gets a moment
    /// to send its own.
    func drain() {
        connection?.readAtOnce()
        guard exchange == nil, !isClosing, let connection else { return }
        if connection.unsentBytes > 0 {
            isClosing = true
            connection.closeAfterSending(lingering: true)
        } else if hasAnswered, !isReadingHead {
            connection.close()
        } else {
            deadline = min(deadline, serving.loop.now + Self.firstRequestGrace)
        }
    }

    /// How long a drain waits for a request that has begun, or the first one of a new connection.
    private static let firstRequestGrace: Duration = .seconds(1)

    /// Cuts the connection off, whatever runs on it.
    func close() {
        connection?.abort()
    }
}

@available(*, unavailable)
extension ClientConnection: Sendable {}

extension Failure {
    /// What a client hears of a head that cannot be read.
    init(_ error: RequestParseError, limits: RequestLimits) {
        switch error.kind {
        case .badRequest: self = .badRequest("\(error)")
        case .targetTooLong: self = .urlTooLong(limit: limits.maxTargetLength)
        case .headTooLarge: self = .headTooLarge(limit: limits.maxHeaderSize)
        case .notImplemented: self = .notImplemented("\(error)")
        case .versionNotSupported: self = .versionNotSupported
        }
    }
}

extension HTTPDate {
    /// The present.
    static func now() -> HTTPDate { HTTPDate(secondsSinceEpoch: WallClock.seconds()) }
}
