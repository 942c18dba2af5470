import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore

/// The hit path: a plain request for a fresh object in memory, without an exchange, an allocation or a hop.
extension ServingLoop {
    /// Fields that leave the fast path: what they ask for needs a look at the stored response.
    private static let slowFeatures: RequestFeatures = [
        .conditions, .range, .ifRange, .cacheControl, .pragma, .authorization, .proxyAuthorization, .via,
        .expectContinue, .expectOther,
    ]

    /// Answers a request whose raw target is known to lead to a fresh object; false when it has to go the long way.
    func answerAtOnce(_ head: RequestHead, _ bytes: Span<UInt8>, _ connection: Connection) -> Bool {
        guard head.method == .get || head.method == .head, head.features.isDisjoint(with: Self.slowFeatures) else {
            return false
        }
        let target = bytes.extracting(head.target)
        let fingerprint = aliases.fingerprint(target)
        guard let alias = aliases.find(target, fingerprint: fingerprint, epoch: snapshot.epoch),
            let object = core.memory.lookup(slot: alias.slot, generation: alias.generation, hash: alias.hash),
            object.expiry > loop.now, object.variantKey.isEmpty
        else { return false }
        append(object, .memory, to: connection, sendsBody: head.method == .get, connectionField: .none)
        counters.add(.requestsMemoryHit)
        counters.observeRequest(.requestsMemoryHit, seconds: (Instant.now() - loop.now).inSeconds)
        counters.add(.responseBytesMemory, UInt64(head.method == .get ? object.body.count : 0))
        return true
    }

    /// Appends a whole object: its rendered head, what changes from answer to answer, the body by reference.
    func append(
        _ object: CachedObject, _ detail: CacheStatus.Detail, to connection: Connection, sendsBody: Bool,
        connectionField: ConnectionField
    ) {
        let age = object.freshness.currentAge(residentSeconds: object.residentSeconds(now: loop.now))
        let head = object.wireHead
        connection.append(head.span)
        let status = CacheStatus.hit(ttl: object.freshness.lifetimeSeconds - age, detail: detail)
        appendTail(age: age, status: status, connectionField, to: connection)
        if sendsBody { connection.append(object.body, 0..<object.body.count, owner: object) }
    }

    /// Appends `Age`, `Cache-Status`, `Connection` and the end of a head.
    func appendTail(
        age: Int64?, status: CacheStatus, _ connectionField: ConnectionField, to connection: Connection
    ) {
        scratch.removeAll(keepingCapacity: true)
        if let age { ResponseSerializer.appendField(.age, UInt64(max(0, age)), to: &scratch) }
        Self.append("Cache-Status: ", to: &scratch)
        status.append(to: &scratch)
        Self.append("\r\n", to: &scratch)
        connectionField.append(to: &scratch)
        Self.append("\r\n", to: &scratch)
        let tail = scratch
        connection.append(tail.span)
    }

    /// Appends text as it stands.
    static func append(_ text: String, to output: inout [UInt8]) {
        output.append(contentsOf: text.utf8)
    }
}

/// What an answer says about the connection.
enum ConnectionField: Hashable {
    /// Nothing: it is HTTP/1.1 and lives on.
    case none
    /// An HTTP/1.0 client asked to keep it.
    case keepAlive
    /// The connection ends after this answer.
    case close

    /// Appends the line, if there is one.
    func append(to output: inout [UInt8]) {
        switch self {
        case .none: break
        case .keepAlive: ServingLoop.append("Connection: keep-alive\r\n", to: &output)
        case .close: ServingLoop.append("Connection: close\r\n", to: &output)
        }
    }
}
