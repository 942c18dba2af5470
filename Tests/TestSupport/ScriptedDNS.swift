import Glibc

/// A name server on loopback that answers from a table, or says nothing.
public final class ScriptedDNS: Sendable {
    struct State {
        var addresses: [String: [String]] = [:]
        var silent: Set<String> = []
        var isSilent = false
        var questions: [String] = []
    }

    private let state = Monitor(State())
    private let socket: Socket
    /// The port it listens on, UDP.
    public let port: UInt16

    /// Listens at once on a free port of 127.0.0.1; names that are not in the table do not exist.
    public init() throws {
        socket = try Socket.datagrams(at: .loopback(0))
        port = socket.localPort
        let (socket, state) = (socket, state)
        _ = ScriptThread {
            while let (bytes, sender) = socket.receiveDatagram() {
                guard let answer = Self.answer(to: bytes, state) else { continue }
                socket.sendDatagram(answer, to: sender)
            }
        }
    }

    deinit { close() }

    /// Stops answering.
    public func close() { socket.shutdown() }

    /// `127.0.0.1:PORT`.
    public var server: String { "127.0.0.1:\(port)" }

    /// Gives the name these addresses, IPv4 and IPv6 in any order.
    public func answer(_ name: String, with addresses: [String]) { state.update { $0.addresses[name] = addresses } }

    /// Never answers questions about the name.
    public func staySilent(about name: String) { state.update { _ = $0.silent.insert(name) } }

    /// Never answers anything, or answers again.
    public func staySilent(_ silent: Bool = true) { state.update { $0.isSilent = silent } }

    /// The names asked for, once for each question (A and AAAA count apart).
    public var questions: [String] { state.read { $0.questions } }

    /// Waits until so many questions have come.
    @discardableResult
    public func waitForQuestions(_ count: Int) -> Bool { state.wait { $0.questions.count >= count } }

    private static func answer(to query: [UInt8], _ state: Monitor<State>) -> [UInt8]? {
        guard query.count > 16, let (name, end) = questionName(query), end + 4 <= query.count else { return nil }
        let type = query[end + 1]
        let known = state.update { state -> [String]?? in
            state.questions.append(name)
            if state.isSilent || state.silent.contains(name) { return nil }
            return .some(state.addresses[name])
        }
        guard let known else { return nil }
        let records = (known ?? []).compactMap { address(of: $0, type: type) }
        var answer = Array(query[0..<2]) + [0x81, known == nil ? 0x83 : 0x80]
        answer += [0, 1, 0, UInt8(records.count), 0, 0, 0, 0] + query[12..<end + 4]
        for record in records {
            answer += [0xC0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, UInt8(record.count)] + record
        }
        return answer
    }

    private static func questionName(_ query: [UInt8]) -> (name: String, end: Int)? {
        var labels: [String] = []
        var index = 12
        while index < query.count, query[index] != 0 {
            let next = index + 1 + Int(query[index])
            guard next < query.count else { return nil }
            labels.append(latin1(query[index + 1..<next]).lowercased())
            index = next
        }
        return (labels.joined(separator: "."), index + 1)
    }

    private static func address(of text: String, type: UInt8) -> [UInt8]? {
        let isV6 = text.contains(":")
        guard type == (isV6 ? 28 : 1) else { return nil }
        var bytes = [UInt8](repeating: 0, count: isV6 ? 16 : 4)
        return inet_pton(isV6 ? AF_INET6 : AF_INET, text, &bytes) == 1 ? bytes : nil
    }
}

extension ScriptedDNS {
    /// Sends one query to a name server on loopback and waits for the answer.
    public static func ask(_ port: UInt16, _ query: [UInt8]) -> [UInt8]? {
        guard let socket = try? Socket.datagrams(at: .loopback(0)) else { return nil }
        socket.sendDatagram(query, to: .loopback(port))
        return socket.receiveDatagram()?.bytes
    }
}
