/// Why an address is refused: what its network is for.
///
/// The raw value is the label in counters and logs; clients never see it.
public enum AddressRule: String, Hashable, Sendable, CaseIterable {
    /// `0.0.0.0/8`.
    case thisNetwork = "this-network"
    /// `::`.
    case unspecified
    /// `127.0.0.0/8`, `::1`.
    case loopback
    /// The private networks of RFC 1918.
    case privateUse = "private"
    /// Carrier-grade NAT.
    case sharedAddressSpace = "shared-address-space"
    /// Addresses of one link.
    case linkLocal = "link-local"
    /// Private networks of IPv6.
    case uniqueLocal = "unique-local"
    /// Private networks of early IPv6.
    case siteLocal = "site-local"
    /// Where clouds keep the secrets of an instance.
    case metadata
    /// Groups of receivers.
    case multicast
    /// All stations of a link.
    case broadcast
    /// For measuring equipment.
    case benchmarking
    /// For examples in texts.
    case documentation
    /// For protocols of the Internet's own.
    case protocolAssignment = "protocol-assignment"
    /// Where packets are thrown away.
    case discardOnly = "discard-only"
    /// Not handed out.
    case reserved
    /// This service itself.
    case ownListener = "own-listener"
}

/// What the guard says about one address.
public enum AddressVerdict: Hashable, Sendable {
    /// May be connected to.
    case allowed
    /// Must not be connected to.
    case refused(AddressRule)
}
