import CSystem
import Glibc

/// Accepts connections on one loop.
public final class Listener {
    /// Where it listens.
    public let address: SocketAddress

    private let loop: EventLoop
    private let descriptor: Int32
    private var watcher: SocketWatcher?
    private var retry: Timer?
    private let onAccept: (OwnedDescriptor) -> Void

    /// The most connections accepted before the loop turns to others again.
    private static let batch = 64

    /// Takes `socket` over and hands each connection to `onAccept`.
    public init(loop: EventLoop, socket: BoundSocket, onAccept: @escaping (OwnedDescriptor) -> Void) {
        loop.preconditionCurrent()
        self.loop = loop
        self.onAccept = onAccept
        address = socket.address
        descriptor = socket.owned.release()
        if case .unix = address {
        } else {
            // Accepted sockets inherit it, which saves a call for each.
            SystemCalls.setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_NODELAY)
        }
        watcher = SocketWatcher(loop: loop, descriptor: descriptor) { [unowned self] _ in acceptBatch() }
        retry = Timer(loop: loop) { [unowned self] in watcher?.watch(.readable) }
        watcher?.watch(.readable)
    }

    /// Accepts what the kernel already queued, then stops listening: closing first would reset those connections.
    public func close() {
        guard watcher != nil else { return }
        while accept() {}
        watcher?.cancel()
        watcher = nil
        retry = nil
        _ = Glibc.close(descriptor)  // Nothing can be done about a failing close.
        if case .unix(let path) = address { _ = unsafe unlink(path) }  // Already gone is as good.
    }

    deinit {
        precondition(watcher == nil, "a listener was let go without close()")
    }

    private func acceptBatch() {
        for _ in 0..<Self.batch where !accept() { return }
    }

    /// Accepts one; false when there is none or the process is short of descriptors.
    private func accept() -> Bool {
        switch SystemCalls.accept(descriptor) {
        case .done(let accepted):
            onAccept(OwnedDescriptor(Int32(accepted)))
            return true
        case .wouldBlock: return false
        case .failed(let code) where [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code):
            // Level-triggered readiness would spin: look again when some descriptors may have come back.
            watcher?.watch([])
            retry?.schedule(after: .milliseconds(100))
            return false
        case .failed: return true  // The peer gave up while queued (ECONNABORTED and kin, accept(2)).
        }
    }
}

@available(*, unavailable)
extension Listener: Sendable {}
