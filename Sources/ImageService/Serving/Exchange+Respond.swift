import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore
import Origin
import Settings

/// Answers: whole, in part, not modified, as text, as a problem.
extension Exchange: Awaiting {
    /// The shard answers with a whole object.
    func received(_ object: CachedObject, _ provenance: Provenance, isCollapsed: Bool) {
        respond(object, provenance, isCollapsed: isCollapsed)
    }

    /// The shard answers with a failure; `Cache-Status` tells whether it was remembered.
    func received(_ report: FailureReport, isCollapsed: Bool) {
        var status: CacheStatus?
        if report.isRemembered {
            status = .hit(ttl: report.remembersSeconds, detail: .negative)
        } else if let reason = report.reason {
            status = .forward(reason, collapsed: isCollapsed)
        }
        fail(
            report.failure, status: status, remembersSeconds: report.remembersSeconds,
            result: report.isRemembered ? .requestsNegativeHit : .requestsError)
    }

    // MARK: Objects

    /// Answers with what was on disk.
    func respond(_ hit: DiskHit) {
        switch hit {
        case .object(let object): respond(object, .hit(.disk), isCollapsed: false)
        case .record(let object, let body): respond(object, .hit(.disk), isCollapsed: false, body: body)
        }
    }

    /// Answers with an object: whole, a range of it, or that the client has it.
    ///
    /// - Parameter body: where the body is, if not in the object.
    func respond(_ object: CachedObject, _ provenance: Provenance, isCollapsed: Bool, body: DiskBody? = nil) {
        let length = body?.count ?? object.body.count
        let verdict = RequestConditions.judge(
            method: head.method, request: fields, response: object.response, bodyBytes: Int64(length))
        let residentSeconds = object.residentSeconds(now: serving.loop.now)
        let age = object.freshness.currentAge(residentSeconds: residentSeconds)
        let ttl = object.freshness.remainingSeconds(residentSeconds: residentSeconds)
        let status = provenance.status(ttl: ttl, isCollapsed: isCollapsed)
        // RFC 9111 §5.1: Age tells of a response that comes from a cache, ours or one before us.
        let shownAge = provenance.isFetched && age == 0 ? nil : age
        guard let range = appendHead(verdict, of: object.response, wireHead: object.wireHead, length: length) else {
            return fail(.rangeNotSatisfiable(length: length), status: status)
        }
        serving.appendTail(age: shownAge, status: status, connectionField, to: connection)
        if sendsBody, !object.response.status.forbidsContent { append(object, body, range) }
        count(verdict == .notModified ? .requestsNotModified : provenance.result(isCollapsed: isCollapsed))
        serving.counters.add(provenance.bytesCounter, UInt64(sendsBody ? range.count : 0))
        end(keepsAlive: keepsAlive)
    }

    private func append(_ object: CachedObject, _ body: DiskBody?, _ range: Range<Int>) {
        if let body {
            connection.append(body, range)
        } else {
            connection.append(object.body, range, owner: object)
        }
    }

    /// Appends the head that a verdict asks for, but for what changes from answer to answer.
    ///
    /// - Parameters:
    ///   - wireHead: the head of the whole response, rendered.
    ///   - length: the length of its body; nil while it is not known.
    /// - Returns: the bytes of the body that follow; nil for a range outside of it, and nothing is appended then.
    func appendHead(
        _ verdict: RequestConditions, of response: StoredResponse, wireHead: [UInt8], length: Int?
    ) -> Range<Int>? {
        switch verdict {
        case .full:
            connection.append(wireHead.span)
            return 0..<(length ?? .max)
        case .notModified:
            connection.append(HeadWriter.notModifiedHead(of: response, snapshot: snapshot).span)
            return 0..<0
        case .partial(let part):
            let range = Int(part.lowerBound)..<Int(part.upperBound)
            let head = HeadWriter.partialHead(of: response, range: range, length: length ?? 0, snapshot: snapshot)
            connection.append(head.span)
            return range
        case .unsatisfiable: return nil
        }
    }

    // MARK: Texts and problems

    /// Answers with a text of our own.
    func respond(text: String, type: String = "text/plain; charset=utf-8", cacheControl: String) {
        respond(body: Array(text.utf8), type: type, cacheControl: cacheControl)
    }

    /// Answers with a body of our own, which is not an image and is not counted as one.
    func respond(body: [UInt8], type: String, cacheControl: String, status: Status = .ok) {
        var output: [UInt8] = []
        ResponseSerializer.appendStatusLine(status, to: &output)
        ResponseSerializer.appendField(.contentType, type, to: &output)
        let date = String(decoding: HTTPDate.now().written(), as: UTF8.self)
        ResponseSerializer.appendField(.date, date, to: &output)
        ResponseSerializer.appendField(.cacheControl, cacheControl, to: &output)
        ResponseSerializer.appendField(.xContentTypeOptions, "nosniff", to: &output)
        ResponseSerializer.appendField(.contentLength, UInt64(body.count), to: &output)
        if role == .data { snapshot.addedFields.serialize(into: &output) }
        connectionField.append(to: &output)
        ResponseSerializer.appendEnd(to: &output)
        if sendsBody { output += body }
        connection.append(output.span)
        end(keepsAlive: keepsAlive)
    }

    /// Answers with a problem, and logs the failure with its private facts.
    ///
    /// - Parameters:
    ///   - status: the `Cache-Status`, where the cache was asked at all.
    ///   - remembersSeconds: for how long the failure is remembered; the client may keep it as long.
    ///   - allow: the methods that would be served.
    ///   - result: how the request is counted.
    func fail(
        _ failure: Failure, status: CacheStatus? = nil, remembersSeconds: Int64 = 0, allow: String? = nil,
        result: Counter = .requestsError
    ) {
        let answer = ProblemWriter.Answer(
            failure: failure, url: url?.bytes, keepsAlive: connectionField != .close, isHTTP10: head.version == .http10,
            sendsBody: sendsBody, cacheStatus: status?.written(), remembersSeconds: remembersSeconds, allow: allow,
            addedFields: role == .data ? snapshot.addedFields : Fields())
        ProblemWriter.append(answer, to: connection, date: HTTPDate.now())
        serving.core.log.log(
            .debug, "request failed",
            ["failure": "\(failure)", "origin.host": url?.hostName ?? "", "exchange.id": "\(number)"])
        count(result)
        end(keepsAlive: keepsAlive)
    }

    /// Counts the request under its result, with the time that it took until its head went out.
    func count(_ result: Counter) {
        serving.counters.add(result)
        serving.counters.observeRequest(result, seconds: (Instant.now() - startedAt).inSeconds)
    }
}

extension Provenance {
    /// Whether the body comes straight from the origin: then it has no `Age` of ours.
    var isFetched: Bool {
        switch self {
        case .fetched: true
        case .hit, .revalidated: false
        }
    }

    /// Source: RFC 9211 §2.
    func status(ttl: Int64, isCollapsed: Bool) -> CacheStatus {
        switch self {
        case .hit(let detail): .hit(ttl: ttl, detail: detail)
        case .fetched(let reason, let isStored):
            .forward(reason, stored: isStored && !isCollapsed, collapsed: isCollapsed)
        case .revalidated(let reason): .forward(reason, status: 304, collapsed: isCollapsed)
        }
    }

    /// How the request is counted.
    func result(isCollapsed: Bool) -> Counter {
        switch self {
        case .hit(.memory): .requestsMemoryHit
        case .hit(.disk): .requestsDiskHit
        case .hit: .requestsStale
        case .fetched: isCollapsed ? .requestsCoalesced : .requestsMiss
        case .revalidated: isCollapsed ? .requestsCoalesced : .requestsRevalidated
        }
    }

    /// Where the bytes of the body are counted.
    var bytesCounter: Counter {
        switch self {
        case .hit(.disk): .responseBytesDisk
        case .hit, .revalidated: .responseBytesMemory
        case .fetched: .responseBytesOrigin
        }
    }
}
