import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore

/// The hit path: a plain request for a fresh object in memory, without an exchange, an allocation or a hop.
///
/// What memory does not keep may be on disk, its file open: then an answer takes no exchange and no hop either.
extension ServingLoop {
    /// Fields that leave the fast path: what they ask for needs a look at the stored response.
    private static let slowFeatures: RequestFeatures = [
        .ifMatch, .ifUnmodifiedSince, .range, .ifRange, .cacheControl, .pragma, .authorization, .proxyAuthorization,
        .via, .expectContinue, .expectOther,
    ]

    /// Answers a request whose target leads to a fresh object at hand; false when it has to go the long way.
    func answerAtOnce(_ head: RequestHead, _ bytes: Span<UInt8>, _ connection: Connection) -> Bool {
        guard head.method == .get || head.method == .head, head.features.isDisjoint(with: Self.slowFeatures) else {
            return false
        }
        let target = bytes.extracting(head.target)
        let hash = readPlainTarget(target)
        guard let object = object(hash, at: target) else { return answerFromDisk(hash, head, connection) }
        guard isReady(object) else { return false }
        guard head.features.isDisjoint(with: .validation) else {
            guard isKnown(object, to: head, bytes) else { return false }
            appendNotModified(object, ConnectionField(for: head), to: connection)
            count(.requestsNotModified)
            return true
        }
        appendWhole(object, to: connection, sendsBody: head.method == .get, ConnectionField(for: head))
        count(.requestsMemoryHit)
        counters.add(.responseBytesMemory, UInt64(head.method == .get ? object.body.count : 0))
        return true
    }

    private func count(_ result: Counter) {
        counters.add(result)
        counters.observeRequest(result, nanoseconds: Instant.now().nanoseconds &- loop.now.nanoseconds)
    }

    // MARK: Conditions

    /// Whether a client's condition names what is stored byte for byte; any other condition is judged the long way.
    ///
    /// Source: RFC 9110 §13.2.2: `If-None-Match` puts `If-Modified-Since` out of force.
    private func isKnown(_ object: CachedObject, to head: RequestHead, _ bytes: Span<UInt8>) -> Bool {
        head.features.contains(.ifNoneMatch)
            ? object.hasEntityTag(bytes.extracting(head.ifNoneMatch))
            : object.hasLastModified(bytes.extracting(head.ifModifiedSince))
    }

    private static let notModifiedLine = Array("HTTP/1.1 304 Not Modified\r\n".utf8)

    /// Appends a 304: of the rendered head what does not describe the body.
    private func appendNotModified(
        _ object: CachedObject, _ connectionField: ConnectionField, to connection: Connection
    ) {
        let line = Self.notModifiedLine
        connection.append(line.span)
        let head = object.wireHead
        connection.append(head.span.extracting(object.marks.notModifiedStart..<head.count))
        appendTail(of: object, connectionField, &memoryTail, to: connection)
    }

    // MARK: Whole answers

    /// Whether an object can answer any plain request as it is.
    ///
    /// Of the configuration in force: its URL was admitted under it, and its head rendered.
    @inline(__always)
    private func isReady(_ object: CachedObject) -> Bool {
        object.epoch == snapshot.epoch && object.expiry > loop.now && !object.isSelectedByFields
    }

    /// Finds the object in memory that a target leads to: by what it spells, else by what it led to before.
    @inline(__always)
    private func object(_ hash: KeyHash?, at target: Span<UInt8>) -> CachedObject? {
        if let hash,
            let hit = plainTarget.withKeyBytes({ core.memory.lookup(hash: hash, keyBytes: $0) })
        {
            return hit.object
        }
        let fingerprint = aliases.fingerprint(target)
        guard let alias = aliases.find(target, fingerprint: fingerprint, epoch: snapshot.epoch) else { return nil }
        return core.memory.lookup(slot: alias.slot, generation: alias.generation, hash: alias.hash)
    }

    /// Answers with the record on disk of the key that was read last, if nothing has to be waited for.
    private func answerFromDisk(_ hash: KeyHash?, _ head: RequestHead, _ connection: Connection) -> Bool {
        guard let hash, hash.shard(of: core.loopCount) == index, head.features.isDisjoint(with: .validation),
            let record = plainTarget.withKeyBytes({ shard.takeSendable(hash, $0, where: isReady) })
        else { return false }
        let wireHead = record.object.wireHead
        connection.append(wireHead.span)
        appendTail(of: record.object, ConnectionField(for: head), &diskTail, to: connection)
        let sendsBody = head.method == .get
        if sendsBody { connection.append(record.body, 0..<record.body.count) }
        count(.requestsDiskHit)
        counters.add(.responseBytesDisk, UInt64(sendsBody ? record.body.count : 0))
        return true
    }

    /// Reads the key that a plain target spells; `plainTarget` has its bytes until the next target is read.
    ///
    /// What lies under this key in either tier is what the long way would find, if the URL is admitted at all: an
    /// object of this epoch says that it is.
    ///
    /// - Returns: the hash of the key; nil when the target has to be looked at with more care.
    @inline(__always)
    func readPlainTarget(_ target: Span<UInt8>) -> KeyHash? {
        guard plainTarget.read(target) else { return nil }
        return plainTarget.withKeyBytes { KeyHash(ofURL: $0, seed: core.hashSeed) }
    }

    /// Notes where a target led that the long way had to be taken for; a plain spelling needs no note.
    func note(_ target: Span<UInt8>, epoch: UInt64, ledTo hit: MemoryHit) {
        if plainTarget.read(target), plainTarget.withKeyBytes({ hit.object.key.hasBytes($0) }) { return }
        aliases.note(target, fingerprint: aliases.fingerprint(target), epoch: epoch, hit: hit)
    }

    /// Appends a whole object: its rendered head, what changes from answer to answer, the body by reference.
    private func appendWhole(
        _ object: CachedObject, to connection: Connection, sendsBody: Bool, _ connectionField: ConnectionField
    ) {
        let head = object.wireHead
        connection.append(head.span)
        appendTail(of: object, connectionField, &memoryTail, to: connection)
        if sendsBody { connection.append(object.body, 0..<object.body.count, owner: object) }
    }

    private func appendTail(
        of object: CachedObject, _ field: ConnectionField, _ tail: inout HitTail, to connection: Connection
    ) {
        let age = object.freshness.currentAge(residentSeconds: object.residentSeconds(now: loop.now))
        tail.set(age: age, ttl: object.freshness.lifetimeSeconds - age, field)
        tail.withBytes { connection.append($0) }
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

    /// What the client's own wish comes to, where nothing speaks against it.
    init(for head: RequestHead) {
        if !head.keepAlive {
            self = .close
        } else {
            self = head.version == .http10 ? .keepAlive : .none
        }
    }

    /// Appends the line, if there is one.
    func append(to output: inout [UInt8]) {
        switch self {
        case .none: break
        case .keepAlive: ServingLoop.append("Connection: keep-alive\r\n", to: &output)
        case .close: ServingLoop.append("Connection: close\r\n", to: &output)
        }
    }
}

extension Connection {
    /// Appends a part of a body that was on disk.
    func append(_ body: DiskBody, _ range: Range<Int>) {
        switch body {
        case .chunk(let chunk): append(chunk, range, owner: chunk)
        case .file(let region): append(region, range)
        }
    }
}
