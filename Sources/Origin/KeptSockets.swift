import Glibc

/// The sockets of a pool's connections, found by the addresses at their ends.
///
/// libcurl tells which connection a request is about to go out on, but not by its descriptor; so every descriptor is
/// noted when it is opened, given a name when its connection is first used again, and forgotten when it is closed.
/// libcurl keeps this object as the context of connections, which outlive the transfers that opened them.
///
/// Owner: the loop of the pool.
final class KeptSockets {
    /// The two ends of a TCP connection, of which no two that live are alike.
    struct Ends: Hashable {
        var local: IPAddress
        var localPort: UInt16
        var peer: IPAddress
        var peerPort: UInt16
    }

    /// Hears of a descriptor that is about to be closed.
    var willClose: ((Int32) -> Void)?
    private var unnamed: Set<Int32> = []
    private var named: [Ends: Int32] = [:]
    private var names: [Int32: Ends] = [:]

    /// Takes note of a socket.
    func opened(_ descriptor: Int32) {
        forget(descriptor)
        unnamed.insert(descriptor)
    }

    /// Closes a socket and returns what `close(2)` did.
    func close(_ descriptor: Int32) -> Int32 {
        forget(descriptor)
        willClose?(descriptor)
        return Glibc.close(descriptor)
    }

    private func forget(_ descriptor: Int32) {
        unnamed.remove(descriptor)
        if let ends = names.removeValue(forKey: descriptor) { named[ends] = nil }
    }

    /// Whether nothing is to be read from a connection: neither bytes nor its end.
    ///
    /// False also when the socket is not known, or says anything unexpected: a new connection is always right.
    ///
    /// Cost: one system call; the first time for a connection three.
    func isQuiet(_ ends: Ends) -> Bool {
        guard let descriptor = descriptor(of: ends) else { return false }
        var byte: UInt8 = 0
        let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count < 0 && errno == EAGAIN
    }

    private func descriptor(of ends: Ends) -> Int32? {
        if let descriptor = named[ends] { return descriptor }
        for descriptor in unnamed {
            // Without a peer it is still being connected.
            guard let found = Self.ends(of: descriptor) else { continue }
            unnamed.remove(descriptor)
            named[found] = descriptor
            names[descriptor] = found
        }
        return named[ends]
    }

    private static func ends(of descriptor: Int32) -> Ends? {
        guard let (local, localPort) = unsafe address(of: descriptor, getsockname),
            let (peer, peerPort) = unsafe address(of: descriptor, getpeername)
        else { return nil }
        return Ends(local: local, localPort: localPort, peer: peer, peerPort: peerPort)
    }

    private typealias Ask = (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32

    @unsafe
    private static func address(of descriptor: Int32, _ ask: Ask) -> (IPAddress, UInt16)? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard unsafe ask(descriptor, generic, &length) == 0, let address = unsafe IPAddress(generic) else {
                    return nil
                }
                return unsafe (address, IPAddress.port(of: generic))
            }
        }
    }
}

@available(*, unavailable)
extension KeptSockets: Sendable {}
