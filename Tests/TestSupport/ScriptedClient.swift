/// A raw HTTP/1.1 client on one connection: what it sends is what the test says, byte for byte.
///
/// Every wait ends after ten seconds with `ScriptFailure.timedOut`. For one thread at a time.
public final class ScriptedClient: Sendable {
    private let socket: Socket
    private let buffer = Monitor<[UInt8]>([])
    private let limit: Duration
    private let server: (any AnyObject & Sendable)?

    /// Connects.
    ///
    /// - Parameter server: what has to live as long as the connection is of use.
    public init(
        _ endpoint: Endpoint, of server: (any AnyObject & Sendable)? = nil, waitingUpTo limit: Duration = Patience.limit
    ) throws {
        self.limit = limit
        self.server = server
        socket = try Socket.connected(to: endpoint, upTo: limit)
    }

    // MARK: Sending

    /// Sends bytes as they are.
    public func send(_ bytes: [UInt8]) throws { try socket.write(bytes, upTo: limit) }

    /// Sends text as it is.
    public func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Sends a request head with `Host`, and the fields given.
    public func request(
        _ method: String = "GET", _ target: String, _ fields: KeyValuePairs<String, String> = [:],
        version: String = "HTTP/1.1"
    ) throws {
        var text = "\(method) \(target) \(version)\r\n"
        if !fields.contains(where: { $0.key.lowercased() == "host" }) { text += "Host: imagestore.test\r\n" }
        for field in fields { text += "\(field.key): \(field.value)\r\n" }
        try send(text + "\r\n")
    }

    /// Sends a request and reads the answer to it.
    public func exchange(
        _ method: String = "GET", _ target: String, _ fields: KeyValuePairs<String, String> = [:],
        version: String = "HTTP/1.1"
    ) throws -> Answer {
        try request(method, target, fields, version: version)
        return try readAnswer(to: method)
    }

    // MARK: Reading

    /// Reads one whole answer.
    public func readAnswer(to method: String = "GET") throws -> Answer {
        let head = try readHead()
        return try readBody(of: head, to: method)
    }

    /// The head of an answer whose body is still to be read.
    public struct Head: Sendable {
        /// The version of the status line.
        public let version: String
        /// The status code.
        public let status: Int
        /// The fields in order.
        public let fields: [WireField]
        /// When it was complete.
        public let time: ContinuousClock.Instant

        /// The value of the first field of that name.
        public subscript(_ name: String) -> String? { fields.first(name) }
    }

    /// Reads the head of the next answer; interim ones are skipped.
    public func readHead() throws -> Head {
        while true {
            let bytes = try take("a head") { $0[...].endOfHead }
            guard let head = WireHead(bytes), head.firstLine.count >= 2, let status = Int(head.firstLine[1]),
                head.firstLine[0].hasPrefix("HTTP/1.")
            else { throw ScriptFailure.malformed(latin1(bytes)) }
            if (100..<200).contains(status), status != 101 { continue }
            return Head(version: String(head.firstLine[0]), status: status, fields: head.fields, time: .now)
        }
    }

    /// Reads the body that the head announces, to its end or to the cut.
    public func readBody(of head: Head, to method: String = "GET") throws -> Answer {
        var body: [UInt8] = []
        let ending = try read(into: &body, of: head, to: method)
        return Answer(
            version: head.version, status: head.status, fields: head.fields, body: body, ending: ending,
            headTime: head.time, endTime: .now)
    }

    /// Reads exactly so many bytes of what comes next, whatever they are.
    public func readBytes(_ count: Int) throws -> [UInt8] {
        try take("\(count) bytes") { $0.count >= count ? count : nil }
    }

    /// Reads until the peer closes, and hands back what still came; throws when it stays open.
    @discardableResult
    public func readToEnd() throws -> [UInt8] {
        while try fill() {}
        return buffer.update { bytes in
            defer { bytes = [] }
            return bytes
        }
    }

    /// Whether the peer has closed, at the latest after the time; bytes that come are kept.
    public func isClosedByPeer(within limit: Duration = Patience.limit) -> Bool {
        do {
            while try fill(upTo: limit) {}
            return true
        } catch ScriptFailure.timedOut {
            return false
        } catch {
            return true
        }
    }

    // MARK: Ending

    /// Leaves at once, reading nothing more.
    public func leave() { socket.close() }

    /// Leaves with RST.
    public func reset() { socket.reset() }

    /// Ends its own direction only.
    public func finishWriting() { socket.finishWriting() }

    /// Takes little at a time from now on, as a slow client does.
    public func narrowReceiveBuffer(to bytes: Int32 = 32768) { socket.narrowReceiveBuffer(to: bytes) }

    // MARK: Private

    private func read(into body: inout [UInt8], of head: Head, to method: String) throws -> Answer.Ending {
        if method == "HEAD" || head.status == 204 || head.status == 304 { return .clean }
        if head["transfer-encoding"]?.lowercased() == "chunked" { return try readChunks(into: &body) }
        if let text = head["content-length"] {
            guard let length = Int(text) else { throw ScriptFailure.malformed("Content-Length: \(text)") }
            return try readExactly(length, into: &body) ? .clean : .cut
        }
        do {
            body = try readToEnd()
            return .clean
        } catch ScriptFailure.system {
            body = buffer.read { $0 }
            return .cut
        }
    }

    private func readChunks(into body: inout [UInt8]) throws -> Answer.Ending {
        do {
            while true {
                let line = try take("a chunk size") { $0.firstIndex(of: 10).map { $0 + 1 } }
                guard let size = Int(trimmed(latin1(line.dropLast(2))[...]), radix: 16) else {
                    throw ScriptFailure.malformed("chunk size \(latin1(line))")
                }
                if size == 0 {
                    _ = try take("the end of the chunks") { $0.count >= 2 ? 2 : nil }
                    return .clean
                }
                guard try readExactly(size, into: &body) else { return .cut }
                _ = try take("the end of a chunk") { $0.count >= 2 ? 2 : nil }
            }
        } catch ScriptFailure.ended, ScriptFailure.system {
            return .cut
        }
    }

    /// Moves so many bytes over; false when the stream ended before.
    private func readExactly(_ count: Int, into body: inout [UInt8]) throws -> Bool {
        let deadline = ContinuousClock.now + limit
        var left = count
        while left > 0 {
            let taken = buffer.update { bytes -> [UInt8] in
                let part = Array(bytes.prefix(left))
                bytes.removeFirst(part.count)
                return part
            }
            body += taken
            left -= taken.count
            guard left > 0 else { return true }
            do {
                guard try fill(until: deadline) else { return false }
            } catch ScriptFailure.system {
                return false
            }
        }
        return true
    }

    private func take(_ what: String, _ find: ([UInt8]) -> Int?) throws -> [UInt8] {
        let deadline = ContinuousClock.now + limit
        while true {
            let found = buffer.update { bytes -> [UInt8]? in
                guard let end = find(bytes) else { return nil }
                defer { bytes.removeFirst(end) }
                return Array(bytes[..<end])
            }
            if let found { return found }
            guard try fill(until: deadline) else {
                throw ScriptFailure.ended("\(what): \(latin1(buffer.read { $0.prefix(200) }))")
            }
        }
    }

    private func fill(upTo duration: Duration? = nil) throws -> Bool { try fill(until: .now + (duration ?? limit)) }

    private func fill(until deadline: ContinuousClock.Instant) throws -> Bool {
        let bytes = try socket.read(until: deadline)
        buffer.update { $0 += bytes }
        return !bytes.isEmpty
    }
}
