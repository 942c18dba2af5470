/// The networks that no image is fetched from, each with the document that sets it apart.
///
/// Every row of the special-purpose registries is here, the globally reachable ones too: anycast services for relays
/// and reverse DNS hold no images. Networks that carry an IPv4 address inside are not here when the address decides
/// (see `EmbeddedIPv4`).
///
/// Source: IANA IPv4 Special-Purpose Address Registry, IANA IPv6 Special-Purpose Address Registry (RFC 6890 and the
/// documents named per row), IANA IPv6 Address Space.
enum SpecialNetworks {
    /// One row: a network and why it is closed.
    struct Row: Sendable {
        /// The addresses.
        let network: NetworkRange
        /// What they are for.
        let rule: AddressRule
    }

    /// The first row that holds an address; nil for an ordinary unicast address.
    static func rule(for address: IPAddress) -> AddressRule? {
        switch address {
        case .v4: return v4.first { $0.network.contains(address) }?.rule
        case .v6:
            if let row = v6.first(where: { $0.network.contains(address) }) { return row.rule }
            return globalUnicast.contains(address) ? nil : .reserved
        }
    }

    /// IPv4, narrower rows before wider ones.
    static let v4: [Row] = [
        v4(0, 0, 0, 0, 8, .thisNetwork),  // RFC 791 §3.2; Linux connects 0.0.0.0 to itself
        v4(10, 0, 0, 0, 8, .privateUse),  // RFC 1918
        v4(100, 100, 100, 200, 32, .metadata),  // instance data of Alibaba Cloud
        v4(100, 64, 0, 0, 10, .sharedAddressSpace),  // RFC 6598
        v4(127, 0, 0, 0, 8, .loopback),  // RFC 1122 §3.2.1.3
        v4(168, 63, 129, 16, 32, .metadata),  // platform services of Azure; a public address by number
        v4(169, 254, 169, 254, 32, .metadata),  // instance data of AWS, Google Cloud, Azure and others
        v4(169, 254, 170, 2, 32, .metadata),  // container credentials of AWS
        v4(169, 254, 0, 0, 16, .linkLocal),  // RFC 3927
        v4(172, 16, 0, 0, 12, .privateUse),  // RFC 1918
        v4(192, 0, 0, 192, 32, .metadata),  // instance data of Oracle Cloud, first generation
        v4(192, 0, 0, 0, 24, .protocolAssignment),  // RFC 6890; holds RFC 7335, 7600, 7723, 8155, 7050
        v4(192, 0, 2, 0, 24, .documentation),  // RFC 5737
        v4(192, 31, 196, 0, 24, .protocolAssignment),  // RFC 7535, AS112
        v4(192, 52, 193, 0, 24, .protocolAssignment),  // RFC 7450, AMT
        v4(192, 88, 99, 0, 24, .protocolAssignment),  // RFC 7526, deprecated 6to4 relay anycast
        v4(192, 168, 0, 0, 16, .privateUse),  // RFC 1918
        v4(192, 175, 48, 0, 24, .protocolAssignment),  // RFC 7534, AS112
        v4(198, 18, 0, 0, 15, .benchmarking),  // RFC 2544
        v4(198, 51, 100, 0, 24, .documentation),  // RFC 5737
        v4(203, 0, 113, 0, 24, .documentation),  // RFC 5737
        v4(224, 0, 0, 0, 4, .multicast),  // RFC 1112 §4
        v4(255, 255, 255, 255, 32, .broadcast),  // RFC 919 §7, RFC 8190
        v4(240, 0, 0, 0, 4, .reserved),  // RFC 1112 §4
    ]

    /// IPv6, narrower rows before wider ones.
    static let v6: [Row] = [
        v6(0, 0, 128, .unspecified),  // RFC 4291 §2.5.2; Linux connects :: to itself
        v6(0, 1, 128, .loopback),  // RFC 4291 §2.5.3
        v6(0x0100_0000_0000_0000, 0, 64, .discardOnly),  // RFC 6666
        v6(0x0100_0000_0000_0001, 0, 64, .protocolAssignment),  // RFC 9780, dummy prefix
        v6(0x2001_0002_0000_0000, 0, 48, .benchmarking),  // RFC 5180, RFC errata 1752
        v6(0x2001_0010_0000_0000, 0, 28, .protocolAssignment),  // RFC 4843, deprecated ORCHID
        v6(0x2001_0020_0000_0000, 0, 28, .protocolAssignment),  // RFC 7343, ORCHIDv2: identifiers, not routes
        v6(0x2001_0030_0000_0000, 0, 28, .protocolAssignment),  // RFC 9374, drone remote ids
        v6(0x2001_0000_0000_0000, 0, 23, .protocolAssignment),  // RFC 2928; holds RFC 7723, 8155, 9665, 7450, 7535
        v6(0x2001_0DB8_0000_0000, 0, 32, .documentation),  // RFC 3849
        v6(0x2620_004F_8000_0000, 0, 48, .protocolAssignment),  // RFC 7534, AS112
        v6(0x3FFF_0000_0000_0000, 0, 20, .documentation),  // RFC 9637
        v6(0x5F00_0000_0000_0000, 0, 16, .protocolAssignment),  // RFC 9602, segment routing ids
        v6(0xFD00_0EC2_0000_0000, 0x0254, 128, .metadata),  // instance data of AWS
        v6(0xFD20_00CE_0000_0000, 0x0254, 128, .metadata),  // instance data of Google Cloud
        v6(0xFC00_0000_0000_0000, 0, 7, .uniqueLocal),  // RFC 4193
        v6(0xFE80_0000_0000_0000, 0, 10, .linkLocal),  // RFC 4291 §2.5.6
        v6(0xFEC0_0000_0000_0000, 0, 10, .siteLocal),  // RFC 3879, deprecated
        v6(0xFF00_0000_0000_0000, 0, 8, .multicast),  // RFC 4291 §2.7
    ]

    /// All that IANA hands out for unicast; the rest of IPv6 is reserved by the IETF.
    ///
    /// Source: RFC 4291 §2.4, RFC 3587.
    static let globalUnicast = NetworkRange(
        known: .v6(high: 0x2000_0000_0000_0000, low: 0), prefixLength: 3)

    private static func v4(
        _ first: UInt32, _ second: UInt32, _ third: UInt32, _ fourth: UInt32, _ prefixLength: Int, _ rule: AddressRule
    ) -> Row {
        let value = first << 24 | second << 16 | third << 8 | fourth
        return Row(network: NetworkRange(known: .v4(value), prefixLength: prefixLength), rule: rule)
    }

    private static func v6(_ high: UInt64, _ low: UInt64, _ prefixLength: Int, _ rule: AddressRule) -> Row {
        Row(network: NetworkRange(known: .v6(high: high, low: low), prefixLength: prefixLength), rule: rule)
    }
}
