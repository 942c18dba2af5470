import EventLoops
import HTTPCaching
import HTTPMessages

/// A body that goes out while it comes in, at this client's own pace.
extension Exchange {
    /// Bytes that may wait for a slow client; past it the next piece stays where all followers share it.
    private static let unsentLimit = 256 * 1024

    /// A body is on its way: sends the head at once, unless this client can take the body only whole.
    func began(_ follower: Follower, isCollapsed: Bool) {
        self.follower = follower
        self.isCollapsed = isCollapsed
        // HTTP/1.0 has no chunks, and a body that ends with the connection cannot be told from a cut one: wait for it.
        guard follower.stream.length != nil || head.version == .http11 || !sendsBody else {
            return awaitWhole(follower)
        }
        sendHead(follower)
    }

    private func sendHead(_ follower: Follower) {
        let stream = follower.stream
        let length = stream.length ?? wholeLength
        let verdict = RequestConditions.judge(
            method: head.method, request: fields, response: stream.response, bodyBytes: length.map { Int64($0) })
        guard let range = appendHead(verdict, of: stream.response, wireHead: stream.wireHead, length: length) else {
            return unsatisfiable(length ?? 0)
        }
        window = range
        sendHeadEnd(stream, verdict, length: length)
    }

    /// Waits until a body of unknown length is whole, for a client that could not tell otherwise.
    private func awaitWhole(_ follower: Follower) {
        switch follower.body.end {
        case nil: break
        case .failed(let failure):
            serving.stopWaiting(number, follower: follower, key: key, tellsHome: false)
            self.follower = nil
            fail(failure)
        case .complete:
            wholeLength = follower.body.available
            sendHead(follower)
        }
    }

    /// The body is of no use to this client, but whoever else waits goes on.
    private func unsatisfiable(_ length: Int) {
        serving.stopWaiting(number, follower: follower, key: key, tellsHome: true)
        follower = nil
        fail(.rangeNotSatisfiable(length: length))
    }

    private func sendHeadEnd(_ stream: FlightStream, _ verdict: RequestConditions, length: Int?) {
        let hasBody = verdict != .notModified && !stream.response.status.forbidsContent
        if hasBody, verdict == .full { appendFraming(length) }
        let provenance = Provenance.fetched(stream.reason, isStored: stream.isStored)
        let age = stream.freshness.initialAgeSeconds
        serving.appendTail(
            age: age > 0 ? age : nil, status: provenance.status(ttl: 0, isCollapsed: isCollapsed),
            connectionField, to: connection)
        count(verdict == .notModified ? .requestsNotModified : provenance.result(isCollapsed: isCollapsed))
        guard hasBody, sendsBody else { return end(keepsAlive: keepsAlive, tellsHome: true) }
        beginStreaming()
        pump()
        connection.flush()
    }

    private func appendFraming(_ length: Int?) {
        var line: [UInt8] = []
        if let length {
            ResponseSerializer.appendField(.contentLength, UInt64(length), to: &line)
        } else if sendsBody {
            isChunked = true
            ResponseSerializer.appendField(.transferEncoding, "chunked", to: &line)
        }
        connection.append(line.span)
    }

    /// More of the body is there, or it has ended.
    func advanced(_ follower: Follower) {
        if state == .awaiting { awaitWhole(follower) }
        guard state == .streaming else { return }
        pump()
        connection.flush()
    }

    /// Sends what is there and fits; comes again when more arrived or the client has read.
    func pump() {
        guard let follower, state == .streaming, !connection.isClosed else { return }
        while connection.unsentBytes < Self.unsentLimit,
            let (chunk, range) = follower.body.piece(at: window.lowerBound, limit: window.upperBound)
        {
            send(chunk, range)
            window = (window.lowerBound + range.count)..<window.upperBound
        }
        guard window.lowerBound < min(window.upperBound, follower.body.available) else { return bodySent(follower) }
    }

    private func send(_ chunk: Chunk, _ range: Range<Int>) {
        serving.counters.add(.responseBytesOrigin, UInt64(range.count))
        guard isChunked else { return connection.append(chunk, range, owner: chunk) }
        connection.append(Array("\(String(range.count, radix: 16))\r\n".utf8).span)
        connection.append(chunk, range, owner: chunk)
        connection.append(Array("\r\n".utf8).span)
    }

    /// Everything that is there has been sent: the end, or a pause.
    private func bodySent(_ follower: Follower) {
        let isWindowDone = window.isEmpty
        switch follower.body.end {
        case .failed where !isWindowDone: breakOff()
        case .complete, .failed:
            if isChunked { connection.append(Array("0\r\n\r\n".utf8).span) }
            end(keepsAlive: keepsAlive)
        case nil where isWindowDone && !isWholeBody(follower): end(keepsAlive: keepsAlive, tellsHome: true)
        case nil: break
        }
    }

    /// Whether the window ends where the body does: then the last bytes count only once the download has ended well.
    private func isWholeBody(_ follower: Follower) -> Bool {
        (follower.stream.length ?? wholeLength).map { window.upperBound == $0 } ?? true
    }
}
