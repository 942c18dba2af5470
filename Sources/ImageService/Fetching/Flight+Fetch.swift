import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore
import Origin
import Settings

/// Carrying out the machine's actions, and turning what the origin does into events.
extension Flight {
    /// Carries out what the machine asks for, after it has settled.
    func perform(_ action: FlightMachine.Action) {
        switch action {
        case .none: break
        case .readDisk: readDisk()
        case .requestPermit: requestPermit()
        case .fetch: startFetch()
        case .hold: break
        case .announce: announce()
        case .answerFromDisk: break  // The record is at hand where the event is raised.
        case .answerFreshened: answerFreshened()
        case .complete: complete()
        case .fail(let failure): fail(failure)
        case .withdraw: withdraw()
        }
    }

    // MARK: Disk

    private func readDisk() {
        shard.readDisk(record ?? key) { [weak self] record in self?.diskAnswered(record) }
    }

    private func diskAnswered(_ record: DiskRecord?) {
        let object = record.flatMap {
            RecordMapping.object(
                of: $0, snapshot: leader.snapshot, now: shard.loop.now, wallNow: WallClock.seconds())
        }
        guard machine.state == .lookingUp else { return }
        guard let object, let record else { return missedOnDisk() }
        shard.disk?.keep(object, madeOf: record)
        _ = shard.core.memory.store(object)
        answerOrAsk(object)
    }

    /// Nothing on disk: those who must not fetch are told, the others go to the queue.
    private func missedOnDisk() {
        for request in requests where !request.mayFetch {
            release(request)
            shard.answer(request, FailureReport(failure: .notCached, remembersSeconds: 0))
        }
        for request in requests where shard.answerFromMemoryOfFailure(request, stale: nil) { release(request) }
        guard !requests.isEmpty || leader.waiter == nil else { return endUnasked() }
        perform(machine.receive(.diskAnswered(isUsable: false)))
    }

    /// Each waiter judges the record by its own directives; whoever cannot use it loads again, now from memory.
    private func answerOrAsk(_ object: CachedObject) {
        let waiting = requests
        for request in waiting { release(request) }
        endUnasked()
        for request in waiting { shard.consider(object, for: request, detail: .disk, among: variants) }
    }

    /// Ends a flight that needed no download.
    private func endUnasked() {
        _ = machine.receive(.diskAnswered(isUsable: true))
        shard.remove(self)
    }

    // MARK: Permit

    private func requestPermit() {
        let configuration = leader.snapshot.configuration
        let request = PermitRequest(
            flight: id, host: leader.url.origin, priority: leader.priority, bytes: configuration.maxDownloadSize)
        shard.core.ports.downloads.post(.request(request))
    }

    private func withdraw() {
        shard.remove(self)
        dismissWaiters()
        shard.core.ports.downloads.post(.cancel(id))
    }

    // MARK: Fetch

    private func startFetch() {
        startedAt = startedAt ?? shard.loop.now
        var fields = leader.forwarded
        if let via = leader.via { fields.append(.via, via) }
        fields.append(.via, Instance.viaToOrigin)
        var request = OriginRequest(url: leader.url, fields: fields)
        if let stale, !wantsWhole {
            request.conditions = Revalidation.conditions(for: stale.response)
            request.conditionalURL = stale.response.source.isEmpty ? leader.url.bytes : stale.response.source
        }
        conditionalURL = request.conditions.isEmpty ? nil : request.conditionalURL
        fetch = shard.origin.fetch(request, handler: self)
        if isSuspended { fetch?.pause() }
    }

    private func receive(_ head: OriginHead) {
        for hop in head.hops { shard.counters.countOriginResponse(hop.status.code) }
        shard.counters.countOriginResponse(head.status.code)
        let verdict = OriginVerdict.judge(
            head, isConditional: conditionalURL == head.finalURL.bytes,
            limit: leader.snapshot.configuration.maxDownloadSize, relays: leader.snapshot.relaysEverything,
            now: WallClock.seconds())
        switch verdict {
        case .notModified: confirm(head)
        case .failure(let failure): refused(head, failure)
        case .body(let status, let length):
            guard !(500...599).contains(status.code) || hasReaders(insteadOf: head) else { return }
            accept(head, status: status, length: length)
        }
    }

    /// Ends with the origin's refusal for those for whom it counts; the others are sent round once more, all at once.
    private func refused(_ head: OriginHead, _ failure: Failure) {
        let variance = leader.snapshot.rules.variance(of: head.fields)
        refusalVariance = variance
        let scope = FailureScope(of: failure, variance: variance, request: leader.forwarded)
        let others = requests.filter { !scope.covers($0.forwarded) }
        for request in others { release(request) }
        perform(machine.receive(.failed(failure)))
        for var request in others {
            request.joinsOnlyAlike = true
            shard.load(request)
        }
    }

    /// Gives what is stale to those who may have it, where a 5xx would be passed on.
    ///
    /// Source: RFC 9111 §4.3.3, RFC 5861 §4.
    ///
    /// - Returns: whether anyone is left to pass it on to; the flight has ended if not.
    private func hasReaders(insteadOf head: OriginHead) -> Bool {
        guard let stale else { return true }
        for request in requests where shard.isAllowedOnError(stale, for: request) {
            release(request)
            shard.answer(request, stale, .hit(.staleIfError))
        }
        if !requests.isEmpty { return true }
        let retryAfter = OriginVerdict.retryAfterSeconds(head, now: WallClock.seconds())
        perform(machine.receive(.failed(.originError(head.status.code, retryAfterSeconds: retryAfter))))
        return false
    }

    /// A 304 that speaks of another representation than ours helps nobody: ask again for the whole.
    private func confirm(_ head: OriginHead) {
        let now = HTTPDate(secondsSinceEpoch: WallClock.seconds())
        guard let stale, Revalidation.selects(head.fields, stored: stale.response, now: now) else {
            // What is stored may still stand in, should the whole not come.
            wantsWhole = true
            fetch?.cancel()
            return startFetch()
        }
        self.head = head
        perform(machine.receive(.notModified))
    }

    private func accept(_ head: OriginHead, status: Status, length: Int?) {
        var head = head
        if head.status.code == 206 {
            // It was taken for the whole, so it becomes a 200; on other statuses the field means nothing.
            promisedLength = head.fields.first(.contentRange).flatMap { ContentRange($0)?.length }
            head.fields.remove(.contentRange)
        }
        head.status = status
        self.head = head
        isShared = isStorable(status, head.fields)
        body = FlightBody(declaredLength: length)
        if let length { lease?.shrink(to: length) }
        separateMisfits(leader.snapshot.rules.variance(of: head.fields))
        let needsSniffing = !leader.snapshot.relaysEverything
        perform(machine.receive(.headAccepted(needsSniffing: needsSniffing)))
        if length == 0 { judgeContent(isComplete: true) }
    }

    private func receive(_ bytes: Span<UInt8>) {
        let limit = leader.snapshot.configuration.maxDownloadSize
        guard body.count + bytes.count <= limit else {
            return perform(machine.receive(.failed(.imageTooLarge(limit: limit))))
        }
        body.append(bytes)
        shard.counters.add(.downloadBytes, UInt64(bytes.count))
        judgeContent(isComplete: false)
        if announced != nil { markDirty() }
    }

    private func judgeContent(isComplete: Bool) {
        guard machine.state == .judging, let fields = head?.fields else { return }
        let verdict = ContentJudge.judge(
            fields: fields, beginning: body.beginning, isComplete: isComplete, snapshot: leader.snapshot)
        switch verdict {
        case .needMore: break
        case .refuse(let failure): perform(machine.receive(.failed(failure)))
        case .accept(let mediaType):
            if let mediaType { head?.fields.set(.contentType, to: mediaType) }
            perform(machine.receive(.contentAccepted))
        }
    }

    private func finished() {
        if let promisedLength, promisedLength != body.count {
            return perform(machine.receive(.failed(.originBroken("the body is not as long as its range"))))
        }
        judgeContent(isComplete: true)
        perform(machine.receive(.bodyFinished))
    }
}

extension Flight: OriginFetchHandler {
    /// Judges the head of the final response; redirects were followed before.
    func originFetch(_ fetch: OriginFetch, received head: OriginHead) { receive(head) }
    /// Takes body bytes, which live no longer than this call.
    func originFetch(_ fetch: OriginFetch, received bytes: Span<UInt8>) { receive(bytes) }
    /// The body is whole by HTTP's measure.
    func originFetchFinished(_ fetch: OriginFetch) { finished() }
    /// The fetch ended without a whole response; a rule that refused an address is counted.
    func originFetch(_ fetch: OriginFetch, failed error: OriginError) {
        if case .notAllowed(let rule) = error { shard.counters.countBlocked(rule.label) }
        perform(machine.receive(.failed(Failure(error))))
    }
}
