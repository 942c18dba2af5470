import CAres
import Glibc

extension IPAddress {
    /// Reads the address out of a C structure; nil for families other than IPv4 and IPv6.
    @unsafe
    init?(_ address: UnsafePointer<sockaddr>?) {
        guard let address = unsafe address else { return nil }
        let raw = unsafe UnsafeRawPointer(address)
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            self = unsafe .v4(UInt32(bigEndian: raw.load(as: sockaddr_in.self).sin_addr.s_addr))
        case AF_INET6:
            guard let start = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) else { return nil }
            let high = unsafe raw.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            let low = unsafe raw.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)
            self = .v6(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
        default:
            return nil
        }
    }

    /// The port next to an address in a C structure; 0 for other families.
    @unsafe
    static func port(of address: UnsafePointer<sockaddr>) -> UInt16 {
        let raw = unsafe UnsafeRawPointer(address)
        // Both structures keep the port right after the family.
        let isInternet = unsafe [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family))
        return isInternet ? unsafe UInt16(bigEndian: raw.load(fromByteOffset: 2, as: UInt16.self)) : 0
    }
}
