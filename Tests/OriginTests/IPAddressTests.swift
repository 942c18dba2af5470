import Origin
import Testing

@Suite struct `Addresses and networks` {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("0:0:0:0:0:0:0:1", "::1"),
        ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
        ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
        ("2001:DB8::00AB", "2001:db8::ab"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("::ffff:127.0.0.1", "::ffff:127.0.0.1"),
        ("::ffff:7f00:1", "::ffff:127.0.0.1"), ("::127.0.0.1", "::7f00:1"), ("64:ff9b::1.2.3.4", "64:ff9b::102:304"),
        ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("fe80::", "fe80::"),
    ])
    func `are written in one way`(_ text: String, _ canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == canonical)
        #expect(IPAddress(canonical) == address)
        #expect(IPAddress(networkBytes: address.networkBytes.span) == address)
    }

    @Test(arguments: [
        "", "127.1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.04", "1.2.3.", ".1.2.3", "1..2.3",
        "+1.2.3.4",
        "1.2.3.4 ", "0x7f.0.0.1", ":", ":::", "1:::2", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "12345::", "g::", "::1%lo",
        "[::1]", "::1.2.3", "1.2.3.4::", "::1.2.3.4:5", "::+1", "::-1", "1:2:3:4:5:6:7:1.2.3.4", "localhost",
    ])
    func `are read strictly`(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func `have four or sixteen bytes`() {
        #expect(IPAddress(networkBytes: [127, 0, 0, 1].span) == .loopbackV4)
        #expect(IPAddress(networkBytes: [1, 2, 3].span) == nil)
        #expect(IPAddress("102:304::f")?.networkBytes == [1, 2, 3, 4] + Array(repeating: 0, count: 11) + [15])
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3/8", "10.9.9.9", true),
        ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3", "10.1.2.4", false), ("0.0.0.0/0", "255.1.2.3", true),
        ("0.0.0.0/0", "::1", false), ("::/0", "ff02::1", true), ("::/0", "1.2.3.4", false), ("::1", "::1", true),
        ("fc00::/7", "fdff::1", true), ("fc00::/7", "fe00::1", false), ("2001:db8::/64", "2001:db8::ffff:0:0:1", true),
        ("2001:db8::/64", "2001:db8:0:1::1", false), ("2001:db8::/65", "2001:db8::7fff:0:0:1", true),
        ("2001:db8::/65", "2001:db8::8000:0:0:1", false), ("2001:db8::1/127", "2001:db8::", true),
        ("2001:db8::1/128", "2001:db8::", false), ("1.2.3.4/31", "1.2.3.5", true), ("1.2.3.4/31", "1.2.3.6", false),
    ])
    func `a network holds what shares its prefix`(_ network: String, _ address: String, _ isInside: Bool) throws {
        let network = try #require(NetworkRange(network))
        #expect(network.contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "::/129", "10/8", "a/8", "10.0.0.0/8/8",
        "10.0.0.0 /8",
    ])
    func `a malformed network is none`(_ text: String) {
        #expect(NetworkRange(text) == nil)
    }

    @Test func `a network is written with its base`() {
        #expect(NetworkRange("10.1.2.3/8")?.description == "10.0.0.0/8")
        #expect(NetworkRange("2001:DB8::1/32")?.description == "2001:db8::/32")
    }
}
