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
        guard let response = storedResponse() else { return }
        announced = AnnouncedHead(
            response: response, freshness: Freshness(of: response, settings: leader.snapshot.caching))
        markDirty()
    }

    /// What followers are told of first.
    ///
    /// Made at the end of a turn: a small body is whole by then, and nobody follows it.
    func makeStream() -> FlightStream? {
        guard let head, let announced else { return nil }
        return FlightStream(
            id: id, response: announced.response, freshness: announced.freshness,
            wireHead: HeadWriter.wireHead(of: announced.response, length: nil, snapshot: leader.snapshot).bytes,
            length: head.contentLength.map { Int($0) }, reason: reason, isStored: isStorable(announced), lease: lease)
    }

    /// The body is whole: keeps it where the rules allow, and lets everyone have the end.
    func complete() {
        shard.remove(self)
        guard let announced, let head else { return }
        let variance = leader.snapshot.rules.variance(of: head.fields)
        let placement = placement(variance)
        let object = ObjectMaker.object(
            key: placement.record, response: stamped(announced.response), variantKey: placement.secondaryKey,
            body: body.joined(), snapshot: leader.snapshot, now: shard.loop.now, wallNow: WallClock.seconds(),
            freshness: isSoftPurged ? nil : announced.freshness)
        let isStored = isStorable(announced)
        if isStored {
            store(object, placement)
        } else if head.status.code < 500, storability(head.status, head.fields).endsStored {
            // RFC 9111 §4.3.3: a server's failure says nothing about what is stored.
            discardStored()
        }
        if !isDetached {
            shard.supersedeOlder(than: self, variance: variance)
            shard.forgetFailure(of: leader)
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
        // The 304 may bring another Vary: what it says of our request decides.
        let variance = leader.snapshot.rules.variance(of: response.fields)
        separateMisfits(variance)
        let placement = placement(variance)
        let object = ObjectMaker.object(
            key: placement.record, response: stamped(response), variantKey: placement.secondaryKey, body: stale.body,
            snapshot: leader.snapshot, now: shard.loop.now, wallNow: WallClock.seconds())
        shard.supersedeOlder(than: self, variance: variance)
        keepFreshened(object, placement, instead: stale)
        shard.counters.add(.downloadsNotModified)
        endDownload()
        answerRemaining(object, .revalidated(reason))
        dismissWaiters()
    }

    /// A 304 may also take the permission to store away.
    private func keepFreshened(_ object: CachedObject, _ placement: VariantPlacement, instead stale: CachedObject) {
        let response = object.response
        let verdict = storability(response.status, response.fields)
        guard verdict == .store else {
            if verdict.endsStored { discardStored() }
            return
        }
        guard mayStore else { return }
        _ = shard.core.memory.store(object)
        if object.key == stale.key, hasSameHead(response, stale.response), shard.onDisk(object.key) != nil {
            shard.disk?.updateTimes(object.key, RecordMapping.times(of: response.times))
        } else {
            write(object)
        }
        shard.settle(placement, of: key, instead: variants)
    }

    /// Ends without an image: remembers the failure for a while, and answers with what is stale where that is allowed.
    func fail(_ failure: Failure) {
        shard.remove(self)
        if failure.endsStored, !leader.hasCredentials { discardStored() }
        let seconds = isDetached ? 0 : shard.remember(failure, of: leader, variance: knownVariance)
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

    private func store(_ object: CachedObject, _ placement: VariantPlacement) {
        _ = shard.core.memory.store(object)
        write(object)
        shard.settle(placement, of: key, instead: variants)
    }

    /// Queues the record; what becomes of it is counted by the tier, and the request has its answer.
    private func write(_ object: CachedObject) {
        shard.writeToDisk(object)
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
                lifetimeLimitSeconds: lifetimeLimit),
            source: head.hops.isEmpty ? [] : head.finalURL.bytes)
    }

    private var lifetimeLimit: Int64? {
        guard let head, !head.hops.isEmpty else { return nil }
        return RedirectLifetime.limit(
            of: head.hops.map { RedirectLifetime.Hop(status: $0.status, fields: $0.fields) },
            requestTime: HTTPDate(secondsSinceEpoch: head.requestTime),
            responseTime: HTTPDate(secondsSinceEpoch: head.responseTime), settings: leader.snapshot.caching)
    }

    /// Judged on the fields as received: those that decide may not be among those that are kept.
    private func isStorable(_ announced: AnnouncedHead) -> Bool {
        guard let head else { return false }
        return isStorable(head.status, head.fields) && announced.isWorthStoring
    }

    /// Whether the rules allow a response to be stored, and there is a tier to store it in.
    func isStorable(_ status: Status, _ fields: Fields) -> Bool {
        mayStore && storability(status, fields) == .store
    }

    /// Whether there is a tier to store in, nothing newer in it, and no purge since the origin was asked.
    private var mayStore: Bool {
        !isSuperseded && !isDetached && (leader.snapshot.configuration.cacheLimit > 0 || shard.disk != nil)
    }

    private func storability(_ status: Status, _ fields: Fields) -> Storability {
        var facts = Storability.RequestFacts()
        // RFC 9111 §3.5 speaks of the request that came; an image was fetched without, so it is nobody's own.
        facts.sentAuthorization =
            leader.forwarded.contains(.authorization) || (leader.snapshot.relaysEverything && everyoneIsAuthorized)
        facts.sentCookie = leader.forwarded.contains(.cookie)
        facts.everyoneSaidNoStore = everyoneSaidNoStore
        return Storability.judge(
            status: status, fields: fields, request: facts, isComplete: true,
            scope: leader.snapshot.rules.scope, settings: leader.snapshot.caching)
    }
}

/// A head that was accepted, as it may be stored.
struct AnnouncedHead {
    /// What is stored.
    let response: StoredResponse
    /// For how long it may be reused.
    let freshness: Freshness

    /// What is stale at once and has no validator can never be reused.
    var isWorthStoring: Bool {
        if freshness.unconditionalSeconds > 0 { return true }
        let hasValidator = response.entityTag != nil || response.lastModified != nil
        return hasValidator || freshness.staleWhileRevalidateSeconds > 0 || freshness.staleIfErrorSeconds > 0
    }
}
