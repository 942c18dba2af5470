import EventLoops
import Settings
import Synchronization

/// The service: an `ImageStore` with listeners before it.
public final class Server: Sendable {
    /// The store that answers.
    public let store: ImageStore
    /// Where applications ask, ports resolved.
    public let dataAddresses: [SocketAddress]
    /// Where operators ask, ports resolved.
    public let adminAddresses: [SocketAddress]
    private let drainTimeout: Duration
    private let log: Log
    private let isStopped = Atomic<Bool>(false)

    /// Binds the listeners, opens the tiers and makes the loops; nothing is answered before `start`.
    ///
    /// - Throws: `StartError`: an address in use, a cache directory that cannot be had, and their like.
    public init(_ configuration: Configuration, log: Log, resolverServers: [String]? = nil) throws {
        let loopCount = configuration.loops > 0 ? configuration.loops : EventLoop.coreCount
        let data: [Binding]
        let admin: [Binding]
        do throws(LoopError) {
            data = try configuration.listen.map { address throws(LoopError) in
                try Binding(address, count: loopCount, mode: configuration.socketMode)
            }
            admin = try configuration.adminListen.map { address throws(LoopError) in
                try Binding(address, count: 1, mode: configuration.socketMode)
            }
        } catch { throw StartError.loop(error) }
        dataAddresses = data.map(\.address)
        adminAddresses = admin.map(\.address)
        drainTimeout = configuration.drainTimeout
        self.log = log
        store = try ImageStore(
            configuration, listeners: dataAddresses + adminAddresses, log: log, resolverServers: resolverServers)
        attach(data, role: .data)
        attach(admin, role: .admin)
    }

    /// Starts to answer.
    public func start() throws {
        try store.start()
        for address in dataAddresses { log.log(.info, "listening", ["for": "data", "address": "\(address)"]) }
        for address in adminAddresses { log.log(.info, "listening", ["for": "admin", "address": "\(address)"]) }
    }

    /// Accepts what the kernel already queued, refuses new connections, finishes what runs, at most `drainTimeout`,
    /// writes out what waits for the disk, and ends.
    ///
    /// Blocks; a second call returns at once.
    ///
    /// - Returns: whether everything that ran was finished in time.
    @discardableResult
    public func drain() -> Bool {
        guard !isStopped.exchange(true, ordering: .sequentiallyConsistent) else { return true }
        log.log(.info, "draining", [:])
        store.core.isDraining.store(true, ordering: .sequentiallyConsistent)
        let drained = Gate(count: store.core.loopCount)
        for port in store.core.ports.serving { port.post(.drain(drained)) }
        let isDone = drained.wait(atMost: drainTimeout)
        if !isDone { log.log(.warning, "drainTimeout is over; running requests are cut", [:]) }
        store.stop()
        log.log(.info, "stopped", [:])
        return isDone
    }

    private func attach(_ bindings: [Binding], role: ListenerRole) {
        for binding in bindings {
            for (index, socket) in binding.sockets.enumerated() {
                store.serving(index)?.listen(socket, role: role, deals: binding.sockets.count == 1 && role == .data)
            }
        }
    }
}

/// One configured address with its sockets: one a loop for TCP, one in all for Unix.
private struct Binding {
    let sockets: [BoundSocket]
    let address: SocketAddress

    init(_ listen: ListenAddress, count: Int, mode: UInt32) throws(LoopError) {
        let wanted = try SocketAddress(parsing: "\(listen)")
        guard wanted.port != nil, count > 1 else {
            let socket = try BoundSocket(wanted, sharesPort: false, mode: mode)
            sockets = [socket]
            address = socket.address
            return
        }
        // A bind without SO_REUSEPORT tells whether a second process listens; with it the port would be shared.
        try BoundSocket.probe(wanted)
        let first = try BoundSocket(wanted, sharesPort: true)
        address = first.address
        var all = [first]
        for _ in 1..<count { all.append(try BoundSocket(first.address, sharesPort: true)) }
        sockets = all
    }
}
