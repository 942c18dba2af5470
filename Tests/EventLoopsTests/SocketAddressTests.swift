import EventLoops
import Testing

@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8080", SocketAddress.ipv4([127, 0, 0, 1], port: 8080)),
        ("0.0.0.0:0", .ipv4([0, 0, 0, 0], port: 0)),
        ("255.255.255.255:65535", .ipv4([255, 255, 255, 255], port: 65535)),
        ("localhost:80", .ipv4([127, 0, 0, 1], port: 80)),
        (":8080", .ipv4([0, 0, 0, 0], port: 8080)),
        ("*:8080", .ipv4([0, 0, 0, 0], port: 8080)),
        ("[::1]:8080", .ipv6([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], port: 8080)),
        ("[::]:1", .ipv6([UInt8](repeating: 0, count: 16), port: 1)),
        ("[2001:DB8::a]:443", .ipv6([0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10], port: 443)),
        ("[::ffff:1.2.3.4]:9", .ipv6([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 1, 2, 3, 4], port: 9)),
        ("unix:/run/imagestore.sock", .unix("/run/imagestore.sock")),
        ("unix:relative:with:colons", .unix("relative:with:colons")),
    ])
    func `a text that is an address`(text: String, address: SocketAddress) throws {
        #expect(try SocketAddress(parsing: text) == address)
    }

    @Test(arguments: [
        "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:8080 ", " 127.0.0.1:80",
        "127.0.0.1:http", "127.1:80", "1.2.3.4.5:80", "256.0.0.1:80", "0x7f.0.0.1:80", "example.com:80", "::1:80",
        "[::1]", "[::1", "[::1]80", "[127.0.0.1]:80", "[::1%lo]:80", "[]:80", "LOCALHOST:80", "unix:",
        "127.0.0.1:80:80",
    ])
    func `a text that is none`(text: String) {
        #expect(throws: LoopError.badAddress(text)) { try SocketAddress(parsing: text) }
    }

    @Test func `a port is digits only`() {
        #expect(throws: LoopError.badAddress("127.0.0.1:+80")) { try SocketAddress(parsing: "127.0.0.1:+80") }
    }

    @Test func `the path of a Unix socket has to fit with its closing zero`() throws {
        // sun_path holds 108 bytes, unix(7).
        let fits = "unix:/" + String(repeating: "x", count: 106)
        #expect(try SocketAddress(parsing: fits) == .unix(String(fits.dropFirst(5))))
        #expect(throws: LoopError.badAddress(fits + "x")) { try SocketAddress(parsing: fits + "x") }
    }

    @Test(arguments: ["127.0.0.1:8080", "[::1]:0", "[2001:db8::a]:443", "unix:/run/s"])
    func `an address is written as it is read`(text: String) throws {
        #expect(try SocketAddress(parsing: text).description == text)
    }

    @Test func `another port makes another address, but for Unix sockets`() throws {
        let address = try SocketAddress(parsing: "127.0.0.1:80")
        #expect(address.with(port: 81) == .ipv4([127, 0, 0, 1], port: 81))
        #expect(try SocketAddress(parsing: "[::1]:80").with(port: 81).description == "[::1]:81")
        #expect(SocketAddress.unix("/s").with(port: 81) == .unix("/s"))
        #expect(SocketAddress.unix("/s").port == nil)
        #expect(SocketAddress.unix("/s").addressBytes == nil)
        #expect(address.port == 80)
        #expect(address.addressBytes == [127, 0, 0, 1])
    }
}
