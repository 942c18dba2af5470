/// IPv4 addresses that travel inside IPv6 ones, through translators and tunnels.
///
/// A gateway takes the IPv4 address out and connects to it; so the guard must look at it as well.
enum EmbeddedIPv4 {
    /// What is inside an address.
    struct Content: Equatable {
        /// The IPv4 addresses; each of them is judged.
        var addresses: [IPAddress]
        /// True when the outer network is only a wrapper, so that the inner addresses alone decide.
        var replacesOuter: Bool
    }

    /// Takes out what a gateway would take out; nil when nothing is inside.
    static func content(of address: IPAddress) -> Content? {
        guard case .v6(let high, let low) = address else { return nil }
        if let wrapped = wrapped(high, low) {
            return Content(addresses: wrapped.map(IPAddress.v4), replacesOuter: true)
        }
        guard let tunneled = isatap(low) else { return nil }
        return Content(addresses: [.v4(tunneled)], replacesOuter: false)
    }

    private static func wrapped(_ high: UInt64, _ low: UInt64) -> [UInt32]? {
        let tail = UInt32(truncatingIfNeeded: low)
        switch high >> 32 {
        case 0 where high == 0 && low >> 32 == 0xFFFF: return [tail]  // IPv4-mapped, RFC 4291 §2.5.5.2
        // IPv4-compatible, RFC 4291 §2.5.5.1, deprecated; :: and ::1 are addresses of their own.
        case 0 where high == 0 && low >> 32 == 0 && low > 1: return [tail]
        case 0x0064_FF9B where high << 32 == 0 && low >> 32 == 0: return [tail]  // NAT64, RFC 6052 §2.1
        case 0x0064_FF9B where high >> 16 == 0x0064_FF9B_0001: return localNAT64(high, low)  // RFC 8215
        case 0x2001_0000:  // Teredo: server, and client with its bits inverted. RFC 4380 §4
            return [UInt32(truncatingIfNeeded: high), ~tail]
        case 0x2002_0000...0x2002_FFFF:  // 6to4, RFC 3056 §2
            let outer = UInt32(truncatingIfNeeded: high >> 16)
            return [outer] + [isatap(low)].compactMap(\.self)
        default: return nil
        }
    }

    /// The local-use NAT64 block leaves the length of the prefix to the operator.
    ///
    /// A zero middle shows a 96-bit prefix, a zero tail a 48-bit one. Where neither shows, every reading must pass.
    ///
    /// Source: RFC 6052 §2.2, the table of prefix lengths; bits 64 to 71 are skipped.
    private static func localNAT64(_ high: UInt64, _ low: UInt64) -> [UInt32] {
        let tail = UInt32(truncatingIfNeeded: low)
        if high << 48 == 0, low >> 32 == 0 { return [tail] }
        let behind48 = UInt32(truncatingIfNeeded: high << 16) & 0xFFFF_0000 | UInt32(low >> 40 & 0xFFFF)
        if low >> 56 == 0, low << 24 == 0 { return [behind48] }
        let behind56 = UInt32(truncatingIfNeeded: high << 24) & 0xFF00_0000 | UInt32(low >> 32 & 0xFF_FFFF)
        let behind64 = UInt32(truncatingIfNeeded: low >> 24)
        return [behind48, behind56, behind64, tail]
    }

    /// The address in an ISATAP interface identifier, whatever the prefix before it.
    ///
    /// Source: RFC 5214 §6.1; the universal bit may be set.
    private static func isatap(_ low: UInt64) -> UInt32? {
        switch low >> 32 {
        case 0x0000_5EFE, 0x0200_5EFE: UInt32(truncatingIfNeeded: low)
        default: nil
        }
    }
}
