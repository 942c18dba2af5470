import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore
import Origin
import Settings

/// The ends of a flight: what is stored, and what the waiters are told.
///
/// Each end goes in the same order: leave the table, store, give the permit back, tell.
extension Flight {
    /// Lets head and body go to the waiters as they come.
    func announce() {
        guard let head, let response = storedResponse() else { return }
        let freshness = Freshness(of: response, settings: leader.snapshot.caching)
        stream = FlightStream(
            id: id, response: response, freshness: freshness,
            wireHead: HeadWriter.wireHead(of: response, length: nil, snapshot: leader.snapshot),
            length: head.contentLength.map { Int($0) }, reason: reason, isStored: isStorable(response), lease: lease)
        markDirty()
    }

    /// The body is whole: keeps it where the rules allow, and lets everyone have the end.
    func complete() {
        shard.remove(self)
        guard let stream else { return }
        let object = ObjectMaker.object(
            key: key, response: stamped(stream.response), variantKey: variantKey, body: body.joined(),
            snapshot: leader.snapshot, now: shard.loop.now, wallNow: WallClock.seconds())
        let isStored = isStorable(stream.response)
        if isStored { store(object) } else { discardStored() }
        if !isDetached {
            shard.supersedeOlder(than: self)
            shard.forgetFailure(of: key)
        }
        shard.counters.add(isStored ? .downloadsStored : .downloadsNotStored)
        endDownload()
        answerRemaining(object, .fetched(reason, isStored: isStored))
        endStream(.complete)
        dismissWaiters()
    }

    /// The origin confirmed what is stored: the same body with fresher fields.
    func answerFreshened() {
        shard.remove(self)
        guard let head, let stale else { return }
        let response = Revalidation.freshened(
            stale.response, with: head.fields, rules: leader.snapshot.rules,
            requestTime: HTTPDate(secondsSinceEpoch: head.requestTime),
            responseTime: HTTPDate(secondsSinceEpoch: head.responseTime), lifetimeLimitSeconds: lifetimeLimit)
        let object = ObjectMaker.object(
            key: key, response: stamped(response), variantKey: stale.variantKey, body: stale.body,
            snapshot: leader.snapshot, now: shard.loop.now, wallNow: WallClock.seconds())
        shard.supersedeOlder(than: self)
        keepFreshened(object, instead: stale)
        shard.counters.add(.downloadsNotModified)
        endDownload()
        answerRemaining(object, .revalidated(reason))
        dismissWaiters()
    }

    /// A 304 may also take the permission to store away.
    private func keepFreshened(_ object: CachedObject, instead stale: CachedObject) {
        let response = object.response
        guard isStorable(response.status, response.fields) else { return discardStored() }
        _ = shard.core.memory.store(object)
        if hasSameHead(response, stale.response), shard.disk?.contains(key) == .maybe {
            shard.disk?.updateTimes(key, RecordMapping.times(of: response.times))
        } else {
            write(object)
        }
    }

    /// Ends without an image: remembers the failure for a while, and answers with what is stale where that is allowed.
    func fail(_ failure: Failure) {
        shard.remove(self)
        // The origin's own word that the image is gone ends what is stored (RFC 9111 §4.3.3).
        if case .originStatus = failure { discardStored() }
        let seconds = isDetached ? 0 : shard.remember(failure, for: key)
        if startedAt != nil { shard.counters.add(failure == .cancelled ? .downloadsCancelled : .downloadsFailed) }
        fetch?.cancel()
        report(failure)
        endDownload()
        failRemaining(failure, remembersSeconds: seconds)
        endStream(.failed(failure))
        dismissWaiters()
    }

    // MARK: Parts

    /// A bad certificate is for an operator to mend; other failures are the origin's daily life.
    private func report(_ failure: Failure) {
        let keys: KeyValuePairs = [
            "failure": "\(failure)", "origin.host": leader.url.hostName, "flight.id": "\(id.home).\(id.number)",
        ]
        if case .originTLS = failure {
            shard.core.log.warn(oncePerMinute: "origin-tls", "TLS to an origin failed", keys)
        } else {
            shard.core.log.log(.debug, "download failed", keys)
        }
    }

    /// Whether nothing but the date has changed: then the record's times say it all, and the file need not be rewritten.
    private func hasSameHead(_ one: StoredResponse, _ other: StoredResponse) -> Bool {
        var (one, other) = (one.fields, other.fields)
        one.remove(.date)
        other.remove(.date)
        return one.serialized().sorted() == other.serialized().sorted()
    }

    private func store(_ object: CachedObject) {
        _ = shard.core.memory.store(object)
        write(object)
    }

    /// Queues the record; what becomes of it is counted by the tier, and the request has its answer.
    private func write(_ object: CachedObject) {
        shard.disk?.write(RecordMapping.record(of: object)) { _ in }
    }

    /// An older answer must not outlive a newer one that may not be stored.
    private func discardStored() {
        guard !isSuperseded, !isDetached else { return }
        _ = shard.core.memory.remove(key)
        _ = shard.disk?.remove(key)
    }

    private func endDownload() {
        if let startedAt { shard.counters.observeDownload(seconds: (shard.loop.now - startedAt).inSeconds) }
        fetch = nil
        lease = nil
        shard.core.ports.downloads.post(.finished(id))
        shard.core.ports.downloads.post(.cancel(id))
    }

    private func storedResponse() -> StoredResponse? {
        guard let head else { return nil }
        let requestTime = HTTPDate(secondsSinceEpoch: head.requestTime)
        let responseTime = HTTPDate(secondsSinceEpoch: head.responseTime)
        return StoredResponse(
            status: head.status, fields: leader.snapshot.rules.storedFields(of: head.fields, receivedAt: responseTime),
            times: StoredTimes(
                of: head.fields, requestTime: requestTime, responseTime: responseTime,
                lifetimeLimitSeconds: lifetimeLimit))
    }

    private var lifetimeLimit: Int64? {
        guard let head, !head.hops.isEmpty else { return nil }
        return RedirectLifetime.limit(
            of: head.hops.map { RedirectLifetime.Hop(status: $0.status, fields: $0.fields) },
            requestTime: HTTPDate(secondsSinceEpoch: head.requestTime),
            responseTime: HTTPDate(secondsSinceEpoch: head.responseTime), settings: leader.snapshot.caching)
    }

    /// Judged on the fields as received: those that decide may not be among those that are kept.
    private func isStorable(_ response: StoredResponse) -> Bool {
        guard let head else { return false }
        return isStorable(head.status, head.fields) && isWorthStoring(response)
    }

    /// Whether the rules allow a response to be stored, and there is a tier to store it in.
    func isStorable(_ status: Status, _ fields: Fields) -> Bool {
        let configuration = leader.snapshot.configuration
        guard !isSuperseded, !isDetached, configuration.cacheLimit > 0 || shard.disk != nil else { return false }
        var facts = Storability.RequestFacts()
        facts.everyoneSaidNoStore = everyoneSaidNoStore
        let verdict = Storability.judge(
            status: status, fields: fields, request: facts, isComplete: true,
            scope: leader.snapshot.rules.scope, settings: leader.snapshot.caching)
        return verdict == .store
    }

    /// What is stale at once and has no validator can never be reused.
    private func isWorthStoring(_ response: StoredResponse) -> Bool {
        let freshness = Freshness(of: response, settings: leader.snapshot.caching)
        if freshness.unconditionalSeconds > 0 { return true }
        let hasValidator = response.entityTag != nil || response.lastModified != nil
        return hasValidator || freshness.staleWhileRevalidateSeconds > 0 || freshness.staleIfErrorSeconds > 0
    }

    private var variantKey: [UInt8] {
        guard let head else { return [] }
        return Variance(of: head.fields).secondaryKey(request: leader.forwarded) ?? []
    }
}
