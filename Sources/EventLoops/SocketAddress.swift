import CSystem
import Glibc

/// Where a listener listens or a peer sits.
public enum SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four bytes and a port.
    case ipv4([UInt8], port: UInt16)
    /// Sixteen bytes and a port.
    case ipv6([UInt8], port: UInt16)
    /// A path in the file system.
    case unix(String)

    /// Reads `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`, `:8080` (all IPv4 addresses) or `unix:/path`.
    ///
    /// - Throws: `LoopError.badAddress` for anything else, host names included.
    public init(parsing text: String) throws(LoopError) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty, path.utf8.count < 108 else { throw .badAddress(text) }  // sun_path, unix(7)
            self = .unix(path)
            return
        }
        guard let colon = text.lastIndex(of: ":"), text[text.index(after: colon)...].allSatisfy({ "0"..."9" ~= $0 }),
            let port = UInt16(text[text.index(after: colon)...])
        else { throw .badAddress(text) }
        let host = text[..<colon]
        guard let address = SocketAddress(host: String(host), port: port) else { throw .badAddress(text) }
        self = address
    }

    private init?(host: String, port: UInt16) {
        if host.hasPrefix("["), host.hasSuffix("]") {
            var bytes = [UInt8](repeating: 0, count: 16)
            guard unsafe inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &bytes) == 1 else { return nil }
            self = .ipv6(bytes, port: port)
            return
        }
        var bytes = [UInt8](repeating: 0, count: 4)
        let text = host == "localhost" ? "127.0.0.1" : host.isEmpty || host == "*" ? "0.0.0.0" : host
        guard unsafe inet_pton(AF_INET, text, &bytes) == 1 else { return nil }
        self = .ipv4(bytes, port: port)
    }

    /// The port, where there is one.
    public var port: UInt16? {
        switch self {
        case .ipv4(_, let port), .ipv6(_, let port): port
        case .unix: nil
        }
    }

    /// The address bytes, where there are any.
    public var addressBytes: [UInt8]? {
        switch self {
        case .ipv4(let bytes, _), .ipv6(let bytes, _): bytes
        case .unix: nil
        }
    }

    /// The same address with another port.
    public func with(port: UInt16) -> SocketAddress {
        switch self {
        case .ipv4(let bytes, _): .ipv4(bytes, port: port)
        case .ipv6(let bytes, _): .ipv6(bytes, port: port)
        case .unix: self
        }
    }

    /// The address as `init(parsing:)` reads it.
    public var description: String {
        switch self {
        case .ipv4(let bytes, let port): return "\(bytes.map(String.init).joined(separator: ".")):\(port)"
        case .ipv6(let bytes, let port):
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            _ = unsafe inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count))  // Fails only without room.
            let name = text.prefix { $0 != 0 }.map { Character(UnicodeScalar(UInt8(bitPattern: $0))) }
            return "[\(String(name))]:\(port)"
        case .unix(let path): return "unix:\(path)"
        }
    }

    /// The address family that `socket(2)` wants.
    var family: Int32 {
        switch self {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Runs `body` on the C form of the address.
    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        let length = unsafe withUnsafeMutableBytes(of: &storage) { unsafe fill($0) }
        return unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }

    private func fill(_ storage: UnsafeMutableRawBufferPointer) -> socklen_t {
        switch self {
        case .ipv4(let bytes, let port):
            unsafe storage.storeBytes(of: sa_family_t(AF_INET), as: sa_family_t.self)
            unsafe storage.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
            for (index, byte) in bytes.enumerated() { unsafe storage[4 + index] = byte }
            return socklen_t(MemoryLayout<sockaddr_in>.size)
        case .ipv6(let bytes, let port):
            unsafe storage.storeBytes(of: sa_family_t(AF_INET6), as: sa_family_t.self)
            unsafe storage.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
            for (index, byte) in bytes.enumerated() { unsafe storage[8 + index] = byte }
            return socklen_t(MemoryLayout<sockaddr_in6>.size)
        case .unix(let path):
            unsafe storage.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
            for (index, byte) in path.utf8.enumerated() { unsafe storage[2 + index] = byte }
            return socklen_t(2 + path.utf8.count + 1)
        }
    }

    /// Reads the C form back, as `getsockname` and `getpeername` give it.
    init?(_ storage: sockaddr_storage) {
        var storage = storage
        let bytes = unsafe withUnsafeBytes(of: &storage) { unsafe Array($0) }
        let port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        switch Int32(storage.ss_family) {
        case AF_INET: self = .ipv4(Array(bytes[4..<8]), port: port)
        case AF_INET6: self = .ipv6(Array(bytes[8..<24]), port: port)
        case AF_UNIX: self = .unix(String(decoding: bytes[2...].prefix { $0 != 0 }, as: UTF8.self))
        default: return nil
        }
    }
}
