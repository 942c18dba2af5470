import Origin
import Testing

private func patterns(_ texts: String...) -> [HostPattern] { texts.compactMap { HostPattern($0) } }

private func judge(_ url: String, _ policy: TargetPolicy) throws -> TargetVerdict { policy.judge(try target(url)) }

@Suite struct `Host lists` {
    @Test(arguments: [
        ("example.com", "example.com", true), ("example.com", "EXAMPLE.COM.", true),
        ("Example.Com.", "example.com", true),
        ("example.com", "a.example.com", false), ("example.com", "badexample.com", false),
        ("*.example.com", "a.example.com", true), ("*.example.com", "a.b.example.com", true),
        ("*.example.com", "example.com", false), ("*.example.com", "badexample.com", false),
        ("*.example.com", "example.com.evil.test", false), ("*.EXAMPLE.com.", "A.example.com.", true),
        ("♥.localhost", "xn--g6h.localhost", true), ("xn--g6h.localhost", "♥.localhost", true),
        ("*.bücher.test", "a.xn--bcher-kva.test", true), ("127.1", "127.0.0.1", true),
        ("127.0.0.1", "0x7f000001", true),
        ("::1", "[::1]", true), ("[0::1]", "[::1]", true), ("*.test", "a.test", true), ("*.1", "a.b", false),
    ])
    func `match whole labels, in any spelling`(_ pattern: String, _ host: String, _ isMatch: Bool) throws {
        let url = try target("http://\(host)/")
        #expect((HostPattern(pattern)?.matches(url) ?? false) == isMatch)
    }

    @Test(arguments: [
        "", "*", "*.", "*.*.com", "a.*.com", "*a.com", "http://a.com", "a.com/", "a.com:80", "user@a.com", "a b", "a?b",
        "a#b", "*.127.0.0.1", "*.::1", "[::1", "::1]", "a..b", "a%2eb", "a\\b", "256.1.1.1",
    ])
    func `hold hosts and nothing else`(_ text: String) {
        #expect(HostPattern(text) == nil)
    }

    @Test func `deny before they allow`() throws {
        let policy = TargetPolicy(
            allowedHosts: patterns("a.test", "*.b.test", "8.8.8.8"), deniedHosts: patterns("x.b.test", "*.x.b.test"))
        #expect(try judge("http://a.test/", policy) == .allowed)
        #expect(try judge("http://A.TEST./", policy) == .allowed)
        #expect(try judge("http://y.b.test/", policy) == .allowed)
        #expect(try judge("http://134744072/", policy) == .allowed)
        #expect(try judge("http://b.test/", policy) == .refused(.hostNotAllowed))
        #expect(try judge("http://aa.test/", policy) == .refused(.hostNotAllowed))
        #expect(try judge("http://x.b.test/", policy) == .refused(.deniedHost))
        #expect(try judge("http://y.x.b.test/", policy) == .refused(.deniedHost))
        #expect(try judge("http://8.8.4.4/", policy) == .refused(.hostNotAllowed))
    }

    @Test func `deny an address in whatever it travels`() throws {
        let policy = TargetPolicy(deniedHosts: patterns("8.8.8.8"))
        for host in ["8.8.8.8", "0x08080808", "[::ffff:8.8.8.8]", "[64:ff9b::808:808]", "[2002:808:808::1]"] {
            #expect(try judge("http://\(host)/", policy) == .refused(.deniedHost))
        }
        #expect(try judge("http://8.8.4.4/", policy) == .allowed)
    }

    @Test func `do not open an address`() throws {
        let policy = TargetPolicy(allowedHosts: patterns("127.0.0.1", "localhost"))
        #expect(try judge("http://127.0.0.1/", policy) == .refused(.address(.loopback)))
        #expect(try judge("http://localhost/", policy) == .refused(.localName))
    }
}

@Suite struct `Local names and ports` {
    @Test(arguments: ["localhost", "localhost.", "LOCALHOST", "a.localhost", "a.b.localhost.", "ｌｏｃａｌｈｏｓｔ"])
    func `localhost is refused unless loopback is open`(_ host: String) throws {
        #expect(try judge("http://\(host)/", TargetPolicy()) == .refused(.localName))
        for network in ["127.0.0.0/8", "127.0.0.1", "::1"] {
            let opened = AddressGuard(allowedNetworks: [network].compactMap { NetworkRange($0) })
            #expect(try judge("http://\(host)/", TargetPolicy(addressGuard: opened)) == .allowed)
        }
        let elsewhere = AddressGuard(allowedNetworks: ["10.0.0.0/8"].compactMap { NetworkRange($0) })
        #expect(try judge("http://\(host)/", TargetPolicy(addressGuard: elsewhere)) == .refused(.localName))
    }

    @Test(arguments: ["notlocalhost", "localhost.test", "a-localhost"])
    func `names that only look like it pass`(_ host: String) throws {
        #expect(try judge("http://\(host)/", TargetPolicy()) == .allowed)
    }

    @Test(arguments: [1, 21, 22, 25, 53, 110, 143, 465, 587, 993, 2049, 4190, 5060, 6000, 6566, 6667, 6697, 10080])
    func `ports of other protocols are blocked`(_ port: Int) throws {
        #expect(try judge("http://public.test:\(port)/", TargetPolicy()) == .refused(.blockedPort))
        let listed = TargetPolicy(allowedPorts: [UInt16(port)])
        #expect(try judge("http://public.test:\(port)/", listed) == .refused(.blockedPort))
    }

    @Test(arguments: [80, 443, 8080, 8443, 3000, 6379, 9000, 65535])
    func `other ports pass`(_ port: Int) throws {
        #expect(try judge("http://public.test:\(port)/", TargetPolicy()) == .allowed)
    }

    @Test func `a list of ports narrows`() throws {
        let policy = TargetPolicy(allowedPorts: [80, 443])
        #expect(try judge("http://public.test/", policy) == .allowed)
        #expect(try judge("https://public.test/", policy) == .allowed)
        #expect(try judge("http://public.test:6379/", policy) == .refused(.portNotAllowed))
    }

    @Test func `every rule has a label of its own`() {
        let rules: [TargetRule] =
            [.deniedHost, .hostNotAllowed, .blockedPort, .portNotAllowed, .localName]
            + AddressRule.allCases.map(TargetRule.address)
        #expect(Set(rules.map(\.label)).count == rules.count)
        #expect(Set(TargetURLError.allCases.map(\.label)).count == TargetURLError.allCases.count)
    }
}
