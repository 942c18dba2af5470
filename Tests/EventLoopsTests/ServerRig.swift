import EventLoops
import Glibc
import TestSupport

/// The server's end of a connection: follows a script, and notes what it is told.
final class Peer: ConnectionDelegate, @unchecked Sendable {
    // SAFETY: `connection` is set and used on the loop only; the facts are in a monitor.

    /// Takes input, all that is not consumed, and returns how many bytes it consumes.
    typealias Script = @Sendable (Connection, [UInt8]) -> Int

    struct Facts: Sendable {
        var deliveries: [String] = []
        var largestDelivery = 0
        var consumed = 0
        var drained = 0
        var ended = 0
    }

    let facts = Monitor(Facts())
    fileprivate(set) var connection: Connection?
    private let script: Script

    init(script: @escaping Script) { self.script = script }

    func connection(_ connection: Connection, received bytes: Span<UInt8>) -> Int {
        let copy = bytes.withUnsafeBytes { Array($0) }
        facts.update {
            if copy.count < 1000 { $0.deliveries.append(String(decoding: copy, as: UTF8.self)) }
            $0.largestDelivery = max($0.largestDelivery, copy.count)
        }
        let consumed = script(connection, copy)
        facts.update { $0.consumed += consumed }
        return consumed
    }

    func connectionWantsInput(_ connection: Connection) -> Bool { true }

    func connectionDrained(_ connection: Connection) { facts.update { $0.drained += 1 } }

    func connectionEnded(_ connection: Connection) { facts.update { $0.ended += 1 } }

    /// Waits until the facts are as told; throws when they do not come.
    func wait(_ what: String, until condition: (Facts) -> Bool) throws {
        guard facts.wait(until: condition) else { throw ScriptFailure.timedOut("\(what): \(facts.read { "\($0)" })") }
    }
}

/// A listener on a running loop, whose connections all follow one script.
final class ServerRig: Sendable {
    let loop: LoopRig
    let address: SocketAddress
    let listener = Held<Listener>()
    private let peers = Monitor<[Peer]>([])

    init(at text: String = "127.0.0.1:0", script: @escaping Peer.Script = { _, bytes in bytes.count }) throws {
        let socket = try BoundSocket(SocketAddress(parsing: text), sharesPort: false)
        address = socket.address
        loop = try LoopRig()
        try loop.run { [self] in
            listener.value = Listener(loop: loop.loop, socket: socket) { [peers, loop] accepted in
                let peer = Peer(script: script)
                peer.connection = Connection(loop: loop.loop, socket: accepted, delegate: peer)
                peers.update { $0.append(peer) }
            }
        }
    }

    var accepted: Int { peers.read { $0.count } }

    func connect() throws -> Socket {
        if case .unix(let path) = address { return try Socket.connected(to: .unix(path)) }
        return try Socket.connected(to: .loopback(address.port ?? 0))
    }

    /// The server's end of the connection of that number, from 0.
    func peer(_ index: Int = 0) throws -> Peer {
        guard peers.wait(until: { $0.count > index }) else { throw ScriptFailure.timedOut("a connection") }
        return peers.read { $0[index] }
    }

    /// Does something with a connection on its loop.
    @discardableResult
    func on<Value: Sendable>(_ peer: Peer, _ body: @escaping @Sendable (Connection) throws -> Value) throws -> Value? {
        try loop.run { try peer.connection.map(body) }
    }

    /// Closes everything and ends the loop.
    func stop() {
        try? loop.run { [self] in
            listener.value?.close()
            for peer in peers.read({ $0 }) { peer.connection?.close() }
        }
        loop.stop()
    }
}

extension Socket {
    func write(_ text: String) throws { try write(Array(text.utf8)) }

    /// Reads so many bytes, fewer when the stream ends before.
    func read(exactly count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try read(most: min(count - bytes.count, 65_536))
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    func readText(_ count: Int) throws -> String { String(decoding: try read(exactly: count), as: UTF8.self) }

    func readToEnd() throws -> [UInt8] { try read(exactly: .max) }

    /// Whether the next read finds that the other side has reset the connection.
    func isReset() -> Bool {
        do {
            while try !read().isEmpty {}
            return false
        } catch ScriptFailure.system(_, let code) {
            return code == ECONNRESET
        } catch {
            return false
        }
    }
}

extension Connection {
    func append(_ text: String) { append(Array(text.utf8).span) }
}
