extension OriginReply {
    /// One thing to do on the connection.
    enum Step: Sendable {
        /// Write these bytes, so many of which are body.
        case send([UInt8], body: Int)
        case act(Action)
        case end(Ending)
    }

    /// The reply to this request as a list of steps in order.
    func steps(for request: OriginRequestRecord) -> [Step] {
        if let raw { return raw.isEmpty ? [.end(ending)] : [.send(raw, body: 0), .end(ending)] }
        var plan = Plan()
        beforeHead.forEach { plan.act($0) }
        for line in interim { plan.send(Array("HTTP/1.1 \(line)\r\n\r\n".utf8)) }
        if answersConditions, matchesConditions(of: request) {
            plan.send(head(status: "HTTP/1.1 304 Not Modified", framing: nil))
            plan.steps.append(.end(.keepOpen))
            return plan.steps
        }
        plan.send(head(status: statusLine, framing: framing))
        if request.method != "HEAD" { appendBody(to: &plan) }
        plan.steps.append(.end(request.method == "HEAD" ? .keepOpen : ending))
        return plan.steps
    }

    private func appendBody(to plan: inout Plan) {
        let end = min(cut ?? body.count, body.count)
        var points = Set(during.map { min($0.offset, end) })
        if let drip { points.formUnion(stride(from: drip.bytes, to: end, by: drip.bytes)) }
        points.insert(end)
        var position = 0
        for point in points.sorted() {
            let piece = Array(body[position..<point])
            if !piece.isEmpty { plan.send(framing.isChunked ? Self.chunk(piece) : piece, body: piece.count) }
            for entry in during where min(entry.offset, end) == point { plan.act(entry.action) }
            if let drip, point < end, point % drip.bytes == 0 { plan.act(.pause(drip.every)) }
            position = point
        }
        if framing == .chunked(lastChunk: true), cut == nil { plan.send(Array("0\r\n\r\n".utf8)) }
    }

    private func head(status: String, framing: Framing?) -> [UInt8] {
        var text = status + "\r\n"
        let isNotModified = framing == nil
        for field in fields where !(isNotModified && field.name.lowercased().hasPrefix("content-")) {
            text += "\(field.name): \(field.value)\r\n"
        }
        if sendsDate, !fields.contains(where: { $0.name.lowercased() == "date" }) { text += "Date: \(httpDate())\r\n" }
        switch framing {
        case .length(let declared): text += "Content-Length: \(declared ?? body.count)\r\n"
        case .chunked: text += "Transfer-Encoding: chunked\r\n"
        case .untilClose, nil: break
        }
        if ending == .close, !isNotModified { text += "Connection: close\r\n" }
        return Array((text + "\r\n").utf8)
    }

    private func matchesConditions(of request: OriginRequestRecord) -> Bool {
        func own(_ name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }
        if let tags = request.fields.first("if-none-match") {
            return own("etag").map { tags.contains($0) } ?? false
        }
        guard let since = request.fields.first("if-modified-since") else { return false }
        return since == own("last-modified")
    }

    private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
        Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10]
    }

    /// Collects steps and joins neighbouring bytes, so that a plain reply is one write.
    private struct Plan {
        var steps: [Step] = []

        mutating func send(_ bytes: [UInt8], body: Int = 0) {
            if case .send(let before, let count)? = steps.last {
                steps[steps.count - 1] = .send(before + bytes, body: count + body)
            } else {
                steps.append(.send(bytes, body: body))
            }
        }

        mutating func act(_ action: Action) { steps.append(.act(action)) }
    }
}

extension OriginReply.Framing {
    var isChunked: Bool {
        if case .chunked = self { true } else { false }
    }
}
