import CSystem
import Glibc

/// A socket that is bound and listens, not yet tied to a loop; closes itself unless a `Listener` takes it.
public struct BoundSocket: Sendable {
    /// The descriptor; a `Listener` takes it, and closes it from then on.
    let owned: OwnedDescriptor
    /// Where it is bound, the port resolved.
    public let address: SocketAddress

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - sharesPort: several sockets of this process bind the same port (`SO_REUSEPORT`), one a loop.
    ///   - mode: the permissions of a Unix socket.
    /// - Throws: `addressInUse`, `notASocket`, or `cannotBind` with the reason.
    public init(_ address: SocketAddress, sharesPort: Bool, mode: UInt32 = 0o660) throws(LoopError) {
        let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue | UInt32(SOCK_CLOEXEC.rawValue)), 0)
        guard descriptor >= 0 else { throw .cannotBind("\(address)", code: errno) }
        owned = OwnedDescriptor(descriptor)
        self.address = try BoundSocket.prepare(descriptor, address, sharesPort: sharesPort, mode: mode)
    }

    /// Finds out whether anybody listens on `address`: a bind without `SO_REUSEPORT` fails where a second process
    /// would otherwise silently share the port.
    public static func probe(_ address: SocketAddress) throws(LoopError) {
        guard address.port != 0, address.port != nil else { return }
        _ = try BoundSocket(address, sharesPort: false)
    }

    private static func prepare(
        _ descriptor: Int32, _ address: SocketAddress, sharesPort: Bool, mode: UInt32
    ) throws(LoopError) -> SocketAddress {
        if case .unix(let path) = address { try removeStale(path, address) }
        if case .ipv6 = address { SystemCalls.setOption(descriptor, level: Int32(IPPROTO_IPV6), name: IPV6_V6ONLY) }
        SystemCalls.setOption(descriptor, level: SOL_SOCKET, name: SO_REUSEADDR)
        if sharesPort { SystemCalls.setOption(descriptor, level: SOL_SOCKET, name: SO_REUSEPORT) }
        let bound = unsafe address.withSockaddr { unsafe bind(descriptor, $0, $1) }
        if bound != 0 {
            let code = errno
            throw code == EADDRINUSE ? .addressInUse("\(address)") : .cannotBind("\(address)", code: code)
        }
        if case .unix(let path) = address { _ = unsafe chmod(path, mode) }  // The default mode is narrower than asked.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        guard listen(descriptor, 4096) == 0 else {
            let code = errno
            throw code == EADDRINUSE ? .addressInUse("\(address)") : .cannotBind("\(address)", code: code)
        }
        return localAddress(descriptor) ?? address
    }

    private static func localAddress(_ descriptor: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        return code == 0 ? SocketAddress(storage) : nil
    }

    /// A socket file that nobody answers on is left over from a crash; one that answers is in use.
    private static func removeStale(_ path: String, _ address: SocketAddress) throws(LoopError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket("\(address)") }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { _ = close(probe) }
        if unsafe address.withSockaddr({ unsafe connect(probe, $0, $1) }) == 0 { throw .addressInUse("\(address)") }
        if errno == ECONNREFUSED { _ = unsafe unlink(path) }
    }
}
