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
        .conditions, .range, .ifRange, .cacheControl, .pragma, .authorization, .proxyAuthorization, .via,
        .expectContinue, .expectOther,
    ]

    /// Answers a request whose target leads to a fresh object at hand; false when it has to go the long way.
    func answerAtOnce(_ head: RequestHead, _ bytes: Span<UInt8>, _ connection: Connection) -> Bool {
        guard head.method == .get || head.method == .head, head.features.isDisjoint(with: Self.slowFeatures) else {
            return false
        }
        let target = bytes.extracting(head.target)
        let hash = readPlainTarget(target)
        guard let object = object(hash, at: target) else {
            return answerFromDisk(hash, connection, sendsBody: head.method == .get)
        }
        guard isReady(object) else { return false }
        append(object, .memory, to: connection, sendsBody: head.method == .get, connectionField: .none)
        counters.add(.requestsMemoryHit)
        counters.observeRequest(.requestsMemoryHit, seconds: (Instant.now() - loop.now).inSeconds)
        counters.add(.responseBytesMemory, UInt64(head.method == .get ? object.body.count : 0))
        return true
    }

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
    private func answerFromDisk(_ hash: KeyHash?, _ connection: Connection, sendsBody: Bool) -> Bool {
        guard let hash, hash.shard(of: core.loopCount) == index,
            let record = plainTarget.withKeyBytes({ shard.takeSendable(hash, $0, where: isReady) })
        else { return false }
        appendHead(of: record.object, .disk, to: connection, connectionField: .none)
        if sendsBody { connection.append(record.body, 0..<record.body.count) }
        counters.add(.requestsDiskHit)
        counters.observeRequest(.requestsDiskHit, seconds: (Instant.now() - loop.now).inSeconds)
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
    @inline(__always)
    func append(
        _ object: CachedObject, _ detail: CacheStatus.Detail, to connection: Connection, sendsBody: Bool,
        connectionField: ConnectionField
    ) {
        appendHead(of: object, detail, to: connection, connectionField: connectionField)
        if sendsBody { connection.append(object.body, 0..<object.body.count, owner: object) }
    }

    private func appendHead(
        of object: CachedObject, _ detail: CacheStatus.Detail, to connection: Connection,
        connectionField: ConnectionField
    ) {
        let age = object.freshness.currentAge(residentSeconds: object.residentSeconds(now: loop.now))
        let head = object.wireHead
        connection.append(head.span)
        let status = CacheStatus.hit(ttl: object.freshness.lifetimeSeconds - age, detail: detail)
        appendTail(age: age, status: status, connectionField, to: connection)
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

extension Connection {
    /// Appends a part of a body that was on disk.
    func append(_ body: DiskBody, _ range: Range<Int>) {
        switch body {
        case .chunk(let chunk): append(chunk, range, owner: chunk)
        case .file(let region): append(region, range)
        }
    }
}
