import Glibc

/// Where a socket listens or connects to.
public enum Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// An IPv4 address in digits, and a port.
    case ipv4(String, UInt16)
    /// An IPv6 address in digits, and a port.
    case ipv6(String, UInt16)
    /// The path of a Unix socket.
    case unix(String)

    /// A port of 127.0.0.1.
    public static func loopback(_ port: UInt16) -> Endpoint { .ipv4("127.0.0.1", port) }

    /// As it stands in a URL or a configuration.
    public var description: String {
        switch self {
        case .ipv4(let address, let port): "\(address):\(port)"
        case .ipv6(let address, let port): "[\(address)]:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// The port; 0 for a Unix socket.
    public var port: UInt16 {
        switch self {
        case .ipv4(_, let port), .ipv6(_, let port): port
        case .unix: 0
        }
    }

    var family: Int32 {
        switch self {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        switch self {
        case .ipv4(let text, let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            inet_pton(AF_INET, text, &address.sin_addr)
            return Self.erased(&address, body)
        case .ipv6(let text, let port):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            inet_pton(AF_INET6, text, &address.sin6_addr)
            return Self.erased(&address, body)
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
            return Self.erased(&address, body)
        }
    }

    private static func erased<Address, Result>(
        _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}

/// A blocking socket whose every wait is bounded; the one file of the test support with socket calls.
///
/// One thread reads and writes; `shutdown` may come from any.
public final class Socket: Sendable {
    private let descriptor: Int32
    private let isClosed = Monitor(false)

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close() }

    private static func check(_ code: Int32, _ call: String) throws {
        if code < 0 { throw ScriptFailure.system(call: call, code: errno) }
    }

    /// Connects, within the time.
    public static func connected(to endpoint: Endpoint, upTo limit: Duration = Patience.limit) throws -> Socket {
        let descriptor = socket(endpoint.family, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        try check(descriptor, "socket")
        let result = Socket(descriptor: descriptor)
        let code = endpoint.withSocketAddress { connect(descriptor, $0, $1) }
        if code < 0, errno != EINPROGRESS { throw ScriptFailure.system(call: "connect", code: errno) }
        try result.waitFor(Int16(POLLOUT), until: .now + limit, "connect")
        var failure: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size)
        if failure != 0 { throw ScriptFailure.system(call: "connect", code: failure) }
        result.sendAtOnce()
        return result
    }

    /// Listens; port 0 takes a free one.
    static func listening(at endpoint: Endpoint, backlog: Int32 = 1024) throws -> Socket {
        let descriptor = socket(endpoint.family, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        try check(descriptor, "socket")
        let result = Socket(descriptor: descriptor)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        try check(endpoint.withSocketAddress { bind(descriptor, $0, $1) }, "bind")
        try check(listen(descriptor, backlog), "listen")
        return result
    }

    /// A bound datagram socket.
    static func datagrams(at endpoint: Endpoint) throws -> Socket {
        let descriptor = socket(endpoint.family, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        try check(descriptor, "socket")
        let result = Socket(descriptor: descriptor)
        try check(endpoint.withSocketAddress { bind(descriptor, $0, $1) }, "bind")
        return result
    }

    /// The next connection; nil once the listener was shut down.
    func accepted() -> Socket? {
        while true {
            let peer = accept(descriptor, nil, nil)
            if peer >= 0 {
                let flags = fcntl(peer, F_GETFL)
                _ = fcntl(peer, F_SETFL, flags | O_NONBLOCK)
                _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
                let connection = Socket(descriptor: peer)
                connection.sendAtOnce()
                return connection
            }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    /// The port this end is bound to.
    public var localPort: UInt16 {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return UInt16(bigEndian: address.sin6_port)  // stands at the same place in both families
    }

    /// Writes all of it, or throws; what the peer takes slowly is waited for.
    public func write(_ bytes: [UInt8], upTo limit: Duration = Patience.limit) throws {
        let deadline = ContinuousClock.now + limit
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Self.sendFlags) }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN {
                try waitFor(Int16(POLLOUT), until: deadline, "write")
            } else if errno != EINTR {
                throw ScriptFailure.system(call: "send", code: errno)
            }
        }
    }

    /// Reads what is there, at most `most` bytes, waiting for the first of them; empty at the end of the stream.
    public func read(
        most: Int = 65536, until deadline: ContinuousClock.Instant = .now + Patience.limit
    ) throws -> [UInt8] {
        while true {
            try waitFor(Int16(POLLIN), until: deadline, "read")
            var code = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
                code = recv(descriptor, buffer.baseAddress, most, Int32(MSG_DONTWAIT))
                count = max(0, code)
            }
            if code >= 0 { return bytes }
            if errno != EINTR, errno != EAGAIN { throw ScriptFailure.system(call: "recv", code: errno) }
        }
    }

    /// Receives one datagram; nil once shut down.
    func receiveDatagram() -> (bytes: [UInt8], sender: sockaddr_in)? {
        var sender = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var code = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            code = withUnsafeMutablePointer(to: &sender) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(descriptor, buffer.baseAddress, 4096, 0, $0, &size)
                }
            }
            count = max(0, code)
        }
        return code > 0 ? (bytes, sender) : nil
    }

    /// Sends one datagram.
    func sendDatagram(_ bytes: [UInt8], to receiver: sockaddr_in) {
        var receiver = receiver
        withUnsafePointer(to: &receiver) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Sends one datagram to an endpoint.
    func sendDatagram(_ bytes: [UInt8], to receiver: Endpoint) {
        _ = receiver.withSocketAddress { sendto(descriptor, bytes, bytes.count, 0, $0, $1) }
    }

    /// Says that nothing more will be written (FIN); the other direction stays open.
    public func finishWriting() { _ = Glibc.shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends both directions, and every wait on them in other threads.
    public func shutdown() {
        isClosed.update { if !$0 { _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) } }
    }

    /// Gives the descriptor back; unread bytes make the kernel send RST.
    public func close() {
        isClosed.update {
            if !$0 { _ = Glibc.close(descriptor) }
            $0 = true
        }
    }

    /// Closes so that the peer sees RST, not FIN.
    public func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Makes the kernel keep little for this end, so that the peer notices soon when nobody reads.
    public func narrowReceiveBuffer(to bytes: Int32) {
        var size = bytes
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    private static let sendFlags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)

    private func sendAtOnce() {
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    private func waitFor(_ events: Int16, until deadline: ContinuousClock.Instant, _ what: String) throws {
        while true {
            let left = (deadline - .now).components
            let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1
            var entry = pollfd(fd: descriptor, events: events, revents: 0)
            let code = poll(&entry, 1, Int32(clamping: max(0, milliseconds)))
            if code > 0 { return }
            if code == 0 { throw ScriptFailure.timedOut(what) }
            if errno != EINTR { throw ScriptFailure.system(call: "poll", code: errno) }
        }
    }
}
