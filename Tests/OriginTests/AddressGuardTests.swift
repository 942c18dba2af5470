import Origin
import Testing

/// Every spelling of a host that must not be connected to, and the rule that says so.
private let refusedHosts: [(String, AddressRule)] = [
    // loopback, in every numeric spelling
    ("127.0.0.1", .loopback), ("127.0.0.254", .loopback), ("127.255.255.255", .loopback), ("127.1", .loopback),
    ("127.0.1", .loopback), ("2130706433", .loopback), ("0x7f000001", .loopback), ("0X7F000001", .loopback),
    ("0x7f.1", .loopback), ("0x7f.0x0.0x0.0x1", .loopback), ("0177.0.0.1", .loopback), ("017700000001", .loopback),
    ("0177.1", .loopback), ("127.0.0.1.", .loopback), ("127.1.", .loopback), ("0x7f000001.", .loopback),
    ("%2531%2532%2537.0.0.1", .loopback), ("１２７.0.0.1", .loopback), ("127。0。0。1", .loopback),
    ("１２７。１", .loopback), ("①②⑦.0.0.1", .loopback), ("0000177.0.0.1", .loopback),
    ("[::1]", .loopback), ("[0:0:0:0:0:0:0:1]", .loopback), ("[0000::0001]", .loopback),
    // this network
    ("0.0.0.0", .thisNetwork), ("0", .thisNetwork), ("0x0", .thisNetwork), ("00", .thisNetwork),
    ("0.255.255.255", .thisNetwork), ("[::]", .unspecified),
    // IPv4 inside IPv6: mapped and compatible
    ("[::ffff:127.0.0.1]", .loopback), ("[::ffff:7f00:1]", .loopback), ("[::FFFF:10.0.0.1]", .privateUse),
    ("[::ffff:169.254.169.254]", .metadata), ("[::ffff:0.0.0.0]", .thisNetwork), ("[::127.0.0.1]", .loopback),
    ("[::10.0.0.1]", .privateUse), ("[::2]", .thisNetwork),
    // translated by a gateway: NAT64, well-known and local-use, and SIIT
    ("[64:ff9b::7f00:1]", .loopback), ("[64:ff9b::a9fe:a9fe]", .metadata), ("[64:ff9b::192.168.0.1]", .privateUse),
    ("[64:ff9b:1:a00:0:100::]", .privateUse), ("[64:ff9b:1::10.0.0.1]", .privateUse),
    ("[64:ff9b:1:808:8:800:a00:1]", .privateUse), ("[64:ff9b:1::]", .thisNetwork),
    ("[64:ff9b:1:7f00:0:100::]", .loopback),
    ("[64:ff9b:1:a:0:1:0:0]", .thisNetwork), ("[64:ff9b:2::1]", .reserved), ("[::ffff:0:127.0.0.1]", .reserved),
    // tunnels: 6to4, Teredo (client and server), ISATAP
    ("[2002:7f00:1::]", .loopback), ("[2002:a00:1::1]", .privateUse), ("[2002:c0a8:1::]", .privateUse),
    ("[2002:101:101::5efe:a00:1]", .privateUse), ("[2001:0:4136:e378:8000:63bf:80ff:fffe]", .loopback),
    ("[2001:0:7f00:1:8000:63bf:f7f7:f7f7]", .loopback), ("[2001:0:4136:e378:8000:63bf:5601:5601]", .metadata),
    ("[2001:4860::5efe:a00:1]", .privateUse), ("[2001:4860::200:5efe:7f00:1]", .loopback),
    ("[fe80::5efe:808:808]", .linkLocal),
    // private, shared and local networks
    ("10.0.0.1", .privateUse), ("10.255.255.255", .privateUse), ("0x0a000001", .privateUse), ("012.0.0.1", .privateUse),
    ("172.16.0.1", .privateUse), ("172.31.0.1", .privateUse), ("172.31.255.255", .privateUse),
    ("192.168.0.1", .privateUse), ("192.168.255.255", .privateUse), ("3232235521", .privateUse),
    ("100.64.0.1", .sharedAddressSpace), ("100.127.255.255", .sharedAddressSpace),
    ("169.254.0.1", .linkLocal), ("169.254.255.255", .linkLocal), ("[fe80::1]", .linkLocal),
    ("[febf:ffff::1]", .linkLocal),
    ("[fc00::1]", .uniqueLocal), ("[fdff:ffff::1]", .uniqueLocal), ("[fec0::1]", .siteLocal), ("[feff::1]", .siteLocal),
    // metadata services
    ("169.254.169.254", .metadata), ("2852039166", .metadata), ("0xa9fea9fe", .metadata), ("169.254.170.2", .metadata),
    ("100.100.100.200", .metadata), ("168.63.129.16", .metadata), ("192.0.0.192", .metadata),
    ("[fd00:ec2::254]", .metadata), ("[fd20:ce::254]", .metadata),
    // groups
    ("224.0.0.1", .multicast), ("239.255.255.255", .multicast), ("255.255.255.255", .broadcast),
    ("[ff02::1]", .multicast), ("[ff0e::1]", .multicast), ("[ffff:ffff::]", .multicast),
    // measuring, examples, protocols of the Internet's own, reserved
    ("198.18.0.1", .benchmarking), ("198.19.255.255", .benchmarking), ("[2001:2::1]", .benchmarking),
    ("192.0.2.1", .documentation), ("198.51.100.1", .documentation), ("203.0.113.255", .documentation),
    ("[2001:db8::1]", .documentation), ("[3fff::1]", .documentation), ("[3fff:fff::1]", .documentation),
    ("192.0.0.1", .protocolAssignment), ("192.0.0.170", .protocolAssignment), ("192.31.196.1", .protocolAssignment),
    ("192.52.193.1", .protocolAssignment), ("192.88.99.1", .protocolAssignment), ("192.175.48.1", .protocolAssignment),
    ("[2001:1::1]", .protocolAssignment), ("[2001:3::1]", .protocolAssignment),
    ("[2001:4:112::1]", .protocolAssignment),
    ("[2001:10::1]", .protocolAssignment), ("[2001:20::1]", .protocolAssignment), ("[2001:30::1]", .protocolAssignment),
    ("[2001:1ff::1]", .protocolAssignment), ("[2620:4f:8000::1]", .protocolAssignment),
    ("[5f00::1]", .protocolAssignment),
    ("[100:0:0:1::1]", .protocolAssignment), ("[100::1]", .discardOnly),
    ("240.0.0.1", .reserved), ("255.255.255.254", .reserved), ("[200::1]", .reserved), ("[4000::1]", .reserved),
    ("[1fff::1]", .reserved), ("[e000::1]", .reserved),
]

/// Neighbours of the closed networks.
private let publicHosts = [
    "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
    "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.1", "192.0.1.0", "192.0.3.0", "192.88.98.255",
    "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0",
    "203.0.112.255", "203.0.114.0", "223.255.255.255", "0127.0.0.1", "8.8.8.8", "8.8.8.8.", "134744072",
    "0x08080808", "８.8.8.8",
    "[::ffff:8.8.8.8]", "[::8.8.8.8]", "[64:ff9b::808:808]", "[64:ff9b:1:808:8:800::]", "[64:ff9b:1::808:808]",
    "[2002:101:101::]", "[2001:0:4136:e378:8000:63bf:f7f7:f7f7]", "[2001:4860::5efe:808:808]", "[2001:200::1]",
    "[2001:4860:4860::8888]", "[2001:db7:ffff::1]", "[2001:db9::1]", "[2003::1]", "[2000::1]", "[3ffe:ffff::1]",
    "[3fff:1000::1]", "[2620:4f:7fff::1]", "[2620:4f:8001::1]", "[2a00:1450::1]",
]

private func verdict(_ host: String, _ policy: TargetPolicy = TargetPolicy()) throws -> TargetVerdict {
    policy.judge(try target("http://\(host)/a.png"))
}

private func exceptions(_ networks: String...) -> TargetPolicy {
    TargetPolicy(addressGuard: AddressGuard(allowedNetworks: networks.compactMap { NetworkRange($0) }))
}

@Suite struct `The address guard` {
    @Test(arguments: refusedHosts)
    func `refuses special-purpose networks in every spelling`(_ host: String, _ rule: AddressRule) throws {
        #expect(try verdict(host) == .refused(.address(rule)))
        #expect(try target("http://\(host)/").isIPLiteral)
    }

    @Test(arguments: publicHosts) func `lets their public neighbours pass`(_ host: String) throws {
        #expect(try verdict(host) == .allowed)
    }

    @Test func `opens what an exception names, and only that`() throws {
        let policy = exceptions("10.1.0.0/16", "fd00:1::/32")
        #expect(try verdict("10.1.2.3", policy) == .allowed)
        #expect(try verdict("10.2.2.3", policy) == .refused(.address(.privateUse)))
        #expect(try verdict("[fd00:1::5]", policy) == .allowed)
        #expect(try verdict("[fd00:2::5]", policy) == .refused(.address(.uniqueLocal)))
        #expect(try verdict("8.8.8.8", policy) == .allowed)
        // An address inside another counts as itself.
        #expect(try verdict("[::ffff:10.1.2.3]", policy) == .allowed)
        #expect(try verdict("[64:ff9b::10.1.2.3]", policy) == .allowed)
        #expect(try verdict("[64:ff9b::10.2.2.3]", policy) == .refused(.address(.privateUse)))
        #expect(try verdict("[fd00:2::5efe:10.1.2.3]", policy) == .refused(.address(.uniqueLocal)))
    }

    @Test func `takes an exception for the outer address as well`() throws {
        let policy = exceptions("64:ff9b::/96", "169.254.169.254/32")
        #expect(try verdict("[64:ff9b::10.2.2.3]", policy) == .allowed)
        #expect(try verdict("169.254.169.254", policy) == .allowed)
        #expect(try verdict("169.254.169.253", policy) == .refused(.address(.linkLocal)))
    }

    @Test func `does not mistake loopback of one family for the other`() throws {
        #expect(try verdict("[::1]", exceptions("127.0.0.0/8")) == .refused(.address(.loopback)))
        #expect(try verdict("[::1]", exceptions("0.0.0.0/0")) == .refused(.address(.loopback)))
        #expect(try verdict("127.0.0.1", exceptions("::/0")) == .refused(.address(.loopback)))
        #expect(try verdict("[::ffff:127.0.0.1]", exceptions("127.0.0.0/8")) == .allowed)
    }
}

@Suite struct `Our own listeners` {
    private func judge(_ address: String, _ port: UInt16, bound: String, local: [String] = []) -> AddressVerdict? {
        guard let address = IPAddress(address), let bound = IPAddress(bound) else { return nil }
        let everything = [NetworkRange("0.0.0.0/0"), NetworkRange("::/0")].compactMap(\.self)
        let addressGuard = AddressGuard(
            allowedNetworks: everything, ownListeners: [AddressGuard.Listener(address: bound, port: 8080)],
            localAddresses: local.compactMap { IPAddress($0) })
        return addressGuard.judge(address, port: port)
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("::ffff:127.0.0.1", "127.0.0.1"),
        ("127.0.0.1", "::ffff:127.0.0.1"),
        ("0.0.0.0", "127.0.0.1"), ("::", "::1"), ("64:ff9b::7f00:1", "127.0.0.1"), ("10.0.0.5", "10.0.0.5"),
        ("127.0.0.1", "0.0.0.0"), ("127.9.9.9", "0.0.0.0"), ("0.0.0.0", "0.0.0.0"), ("::1", "::"), ("::", "::"),
        ("127.0.0.1", "::"), ("10.0.0.7", "0.0.0.0"), ("10.0.0.7", "::"), ("::ffff:10.0.0.7", "::"),
        ("2001:db8::7", "::"), ("2002:a00:7::1", "0.0.0.0"),
    ])
    func `are closed inside an exception too`(_ address: String, _ bound: String) {
        let local = ["10.0.0.7", "2001:db8::7"]
        #expect(judge(address, 8080, bound: bound, local: local) == .refused(.ownListener))
        #expect(judge(address, 8081, bound: bound, local: local) == .allowed)
    }

    @Test func `leave other addresses alone`() {
        #expect(judge("127.0.0.2", 8080, bound: "127.0.0.1") == .allowed)
        #expect(judge("10.0.0.8", 8080, bound: "0.0.0.0", local: ["10.0.0.7"]) == .allowed)
    }
}

@Suite struct `This machine` {
    @Test func `has a loopback interface`() {
        #expect(AddressGuard.addressesOfThisMachine().contains(.loopbackV4))
    }
}
