/// What the scripted origin answers to one request, as a value that is refined step by step:
/// `.image(.png, bytes: 1000).header("ETag", "\"v1\"").delayed(.milliseconds(300))`.
public struct OriginReply: Sendable {
    /// What happens at a point of the reply besides bytes.
    enum Action: Sendable {
        case pause(Duration)
        case wait(Gate)
        case open(Gate)
    }

    /// How the reply tells where its body ends.
    enum Framing: Sendable, Equatable {
        case length(declared: Int?)
        case chunked(lastChunk: Bool)
        case untilClose
    }

    /// What becomes of the connection after the reply.
    enum Ending: Sendable, Equatable {
        case keepOpen, close, reset, silence
    }

    var statusLine: String
    var fields: [(name: String, value: String)]
    /// The bytes of the body.
    public var body: [UInt8]
    var framing = Framing.length(declared: nil)
    var ending = Ending.keepOpen
    var interim: [String] = []
    var beforeHead: [Action] = []
    var during: [(offset: Int, action: Action)] = []
    var drip: (bytes: Int, every: Duration)?
    var cut: Int?
    var raw: [UInt8]?
    var answersConditions = false
    var sendsDate = true

    // MARK: Making

    /// Any status with any body.
    public static func status(
        _ code: Int, _ reason: String = "Scripted", body: [UInt8] = [], headers: KeyValuePairs<String, String> = [:]
    ) -> OriginReply {
        OriginReply(
            statusLine: "HTTP/1.1 \(code) \(reason)", fields: headers.map { (name: $0.key, value: $0.value) },
            body: body)
    }

    /// A picture of the format with its media type, status 200.
    public static func image(
        _ format: Pictures.Format, bytes count: Int? = nil, seed: UInt64 = 1,
        headers: KeyValuePairs<String, String> = [:]
    ) -> OriginReply {
        var reply = status(200, "OK", body: Pictures.bytes(format, count: count, seed: seed), headers: headers)
        reply.fields.insert((name: "Content-Type", value: format.mediaType), at: 0)
        return reply
    }

    /// A redirect to the location.
    public static func redirect(
        _ code: Int = 302, to location: String, headers: KeyValuePairs<String, String> = [:]
    ) -> OriginReply {
        status(code, "Moved", headers: headers).header("Location", location)
    }

    /// These bytes as they are and nothing else, then the end of the connection.
    public static func raw(_ bytes: [UInt8]) -> OriginReply {
        var reply = status(0)
        reply.raw = bytes
        reply.ending = .close
        return reply
    }

    /// This text as it is and nothing else, then the end of the connection.
    public static func raw(_ text: String) -> OriginReply { raw(Array(text.utf8)) }

    /// Nothing, until the peer leaves.
    public static var silence: OriginReply {
        var reply = raw([])
        reply.ending = .silence
        return reply
    }

    // MARK: Head

    /// With one more field.
    public func header(_ name: String, _ value: String) -> OriginReply {
        with { $0.fields.append((name: name, value: value)) }
    }

    /// With this field in the place of any of that name; nil removes it.
    public func replacingHeader(_ name: String, _ value: String?) -> OriginReply {
        with { reply in
            reply.fields.removeAll { $0.name.lowercased() == name.lowercased() }
            if let value { reply.fields.append((name: name, value: value)) }
            if name.lowercased() == "date" { reply.sendsDate = false }
        }
    }

    /// With an interim head before the final one, such as `103 Early Hints`.
    public func interim(_ statusAndReason: String) -> OriginReply {
        with { $0.interim.append(statusAndReason) }
    }

    /// Answers 304 to a condition that matches its `ETag` or `Last-Modified`.
    public func answeringConditions() -> OriginReply { with { $0.answersConditions = true } }

    // MARK: Framing

    /// Declares another length than the body has.
    public func declaring(length: Int) -> OriginReply { with { $0.framing = .length(declared: length) } }

    /// In chunks; `lastChunk: false` leaves the last one out and closes.
    public func chunked(lastChunk: Bool = true) -> OriginReply {
        with {
            $0.framing = .chunked(lastChunk: lastChunk)
            if !lastChunk { $0.ending = .close }
        }
    }

    /// As HTTP/1.0 does it: no length, the end of the connection ends the body.
    public func closeDelimited() -> OriginReply {
        with {
            $0.framing = .untilClose
            $0.ending = .close
            $0.statusLine = $0.statusLine.replacingPrefix("HTTP/1.1", by: "HTTP/1.0")
        }
    }

    // MARK: Time

    /// Waits before the head.
    public func delayed(_ duration: Duration) -> OriginReply { with { $0.beforeHead.append(.pause(duration)) } }

    /// Waits for the gate before the head.
    public func holding(_ gate: Gate) -> OriginReply { with { $0.beforeHead.append(.wait(gate)) } }

    /// Waits for the gate after so many bytes of the body; 0 is right after the head.
    public func holding(_ gate: Gate, after offset: Int) -> OriginReply {
        with { $0.during.append((offset, .wait(gate))) }
    }

    /// Opens the gate after so many bytes of the body were written.
    public func opening(_ gate: Gate, after offset: Int) -> OriginReply {
        with { $0.during.append((offset, .open(gate))) }
    }

    /// Pauses after so many bytes of the body.
    public func pausing(_ duration: Duration, after offset: Int) -> OriginReply {
        with { $0.during.append((offset, .pause(duration))) }
    }

    /// Sends the body a few bytes at a time.
    public func dripping(_ bytes: Int, every interval: Duration) -> OriginReply {
        with { $0.drip = (bytes, interval) }
    }

    // MARK: Ending

    /// Stops after so many bytes of the body, with FIN, or with RST.
    public func cut(after bytes: Int, reset: Bool = false) -> OriginReply {
        with {
            $0.cut = bytes
            $0.ending = reset ? .reset : .close
        }
    }

    /// Ends otherwise than by FIN: with RST, or silently, with the connection open until the peer leaves.
    public func ending(reset: Bool = false, silently: Bool = false) -> OriginReply {
        with { $0.ending = reset ? .reset : silently ? .silence : .close }
    }

    /// Closes the connection after the reply.
    public func closing() -> OriginReply { with { $0.ending = .close } }

    private func with(_ change: (inout OriginReply) -> Void) -> OriginReply {
        var copy = self
        change(&copy)
        return copy
    }
}

extension String {
    fileprivate func replacingPrefix(_ prefix: String, by other: String) -> String {
        hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
    }
}

extension OriginReply: CustomStringConvertible {
    /// Short, since test reports print arguments.
    public var description: String {
        if let raw { return "raw \(raw.count) bytes, \(ending)" }
        let names = fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
        return
            "\(statusLine) [\(names)] \(body.count) bytes, \(framing), \(ending), cut \(cut.map(String.init) ?? "no")"
    }
}
