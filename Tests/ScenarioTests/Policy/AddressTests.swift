import ServiceHarness
import Settings
import TestSupport
import Testing

/// Where the service does not go.
@Suite(.blocking) struct `A target` {
    /// C140.
    @Test(arguments: [
        "127.0.0.1", "127.0.0.254", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0.0.0.0", "0", "[::1]", "[::]",
        "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "169.254.169.254", "[fe80::1]", "[fd00:ec2::254]",
        "10.0.0.1", "172.16.0.1", "172.31.0.1", "192.168.0.1", "100.64.0.1", "100.127.255.255", "198.18.0.1",
        "224.0.0.1", "255.255.255.255", "[fc00::1]", "[ff02::1]", "[2002:7f00:1::]", "[64:ff9b::7f00:1]",
        "[64:ff9b::a9fe:a9fe]", "localhost", "localhost.", "LOCALHOST", "a.localhost",
    ])
    func `in a special network is refused by default`(host: String) throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService { $0.allowedNetworks = [] }
        let answer = try service.get(url: "http://\(host):\(origin.port)/a.png")
        #expect(answer.status == 403 && answer.problem == "not-allowed", "\(answer)")
        #expect(!answer.text.contains("loopback") && origin.connections == 0)
        #expect(try service.metric("imagestore_blocked_total") == 1)
    }

    /// C141.
    @Test func `whose name leads into one is refused`() throws {
        let origin = try ScriptedOrigin.pictures()
        let names = try ScriptedDNS()
        names.answer("inside.test", with: ["127.0.0.1"])
        let service = try TestService(nameServer: names.server) { $0.allowedNetworks = [] }
        let answer = try service.get(url: "http://inside.test:\(origin.port)/a.png")
        #expect(answer.status == 403 && answer.problem == "not-allowed", "\(answer)")
        #expect(origin.connections == 0)
    }

    /// C149.
    @Test func `that is ourselves is refused even when loopback is open`() throws {
        let service = try TestService()
        for endpoint in [service.endpoint, service.adminEndpoint] {
            let answer = try service.get(url: "http://\(endpoint)/healthz")
            #expect(answer.status == 403 && answer.problem == "not-allowed", "\(answer)")
        }
    }

    @Test func `outside the allowed hosts is refused, and inside the denied ones`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService {
            for host in ["a.test", "b.test", "x.b.test", "badb.test", "no.b.test"] { try $0.resolve(host) }
            try $0.allow(hosts: "a.test", "*.b.test")
            try $0.deny(hosts: "no.b.test")
        }
        for (host, status) in [
            ("a.test", 200), ("A.TEST.", 200), ("x.b.test", 200), ("badb.test", 403), ("no.b.test", 403),
            ("c.test", 403),
            ("127.0.0.1", 403),
        ] {
            let answer = try service.get(url: "http://\(host):\(origin.port)/\(status).png")
            #expect(answer.status == status, "\(host): \(answer)")
        }
    }

    /// C148.
    @Test(arguments: [22, 25, 6379, 6666])
    func `at a port of another service is refused`(port: Int) throws {
        let answer = try TestService().get(url: "http://127.0.0.1:\(port)/a.png")
        #expect([403, 502].contains(answer.status), "\(answer)")
        if port != 6379 { #expect(answer.problem == "not-allowed", "\(answer)") }
    }

    /// C153.
    @Test func `in a network that was opened is allowed, and its neighbour is not`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService { try $0.open(networks: "127.0.0.1/32") }
        #expect(try service.get("/a.png", of: origin).status == 200)
        #expect(try service.get(url: "http://127.0.0.2:\(origin.port)/a.png").status == 403)
    }
}
