import Glibc

extension AddressGuard {
    /// The addresses of this machine's interfaces, for listeners that are bound to all of them.
    ///
    /// A snapshot: read it when the listeners are bound and again at each reload. Empty when the kernel does not say.
    ///
    /// Source: `getifaddrs(3)`.
    public static func addressesOfThisMachine() -> [IPAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return [] }
        defer { unsafe freeifaddrs(list) }
        var addresses: [IPAddress] = []
        var entry = unsafe list
        while let current = unsafe entry {
            if let address = unsafe address(at: current.pointee.ifa_addr) { addresses.append(address) }
            unsafe entry = current.pointee.ifa_next
        }
        return addresses
    }

    /// Copies the address out of a socket address; nil for other families.
    private static func address(at pointer: UnsafeMutablePointer<sockaddr>?) -> IPAddress? {
        guard let pointer = unsafe pointer else { return nil }
        let raw = UnsafeRawPointer(pointer)
        switch unsafe Int32(pointer.pointee.sa_family) {
        case AF_INET:
            let address = unsafe raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            return .v4(UInt32(bigEndian: address.s_addr))
        case AF_INET6:
            var address = unsafe raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return unsafe withUnsafeBytes(of: &address) { unsafe IPAddress(networkBytes: Array($0).span) }
        default: return nil
        }
    }
}
