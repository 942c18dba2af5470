import HTTPMessages
import Settings
import Testing

@testable import ImageService

@Suite struct AdminHostsTests {
    private func admits(_ host: String, listen: [String] = ["127.0.0.1:8081"], hosts: [String] = []) -> Bool {
        let snapshot = Fixtures.snapshot {
            $0.adminListen = listen.compactMap { ListenAddress($0) }
            $0.adminHosts = hosts.compactMap { HostPattern($0) }
        }
        return AdminHosts.admits(Array(host.utf8).span, snapshot)
    }

    @Test(arguments: [
        "127.0.0.1:8081", "127.0.0.1", "127.0.0.1:1234", "localhost", "localhost:8081", "LocalHost:8081", "localhost.",
        "localhost.:8081",
    ])
    func `the listener's own address and localhost are served`(host: String) {
        #expect(admits(host))
    }

    @Test(arguments: [
        "evil.test", "evil.test:8081", "127.0.0.1.evil.test", "localhost.evil.test", "evil.localhost", "127.0.0.2",
        "[::1]:8081", "10.0.0.1:8081", "notlocalhost", "127.0.0.1@evil.test", "localhost:8081:8081", ":8081", "[", "]",
        "[]", ".", ":", "",
    ])
    func `a foreign name, by which a page in a browser may come, is not`(host: String) {
        #expect(!admits(host))
    }

    @Test func `names of the configuration are served`() {
        let hosts = ["images.internal", "*.ops.test"]
        #expect(admits("images.internal:8081", hosts: hosts))
        #expect(admits("IMAGES.Internal.", hosts: hosts))
        #expect(admits("a.ops.test", hosts: hosts))
        #expect(!admits("ops.test", hosts: hosts))
        #expect(!admits("x.images.internal", hosts: hosts))
        #expect(!admits("badops.test", hosts: hosts))
    }

    @Test func `IPv6 addresses are compared as addresses`() {
        #expect(admits("[::1]:8081", listen: ["[::1]:8081"]))
        #expect(admits("[::1]", listen: ["[::1]:8081"]))
        #expect(admits("[0:0::1]:1", listen: ["[::1]:8081"]))
        #expect(!admits("[::2]", listen: ["[::1]:8081"]))
        #expect(!admits("127.0.0.1", listen: ["[::1]:8081"]))
    }

    @Test func `a listener on every address is reached by any of them, never by a foreign name`() {
        #expect(admits("192.0.2.1:8081", listen: ["0.0.0.0:8081"]))
        #expect(!admits("evil.test", listen: ["0.0.0.0:8081"]))
        #expect(admits("127.0.0.1", listen: ["unix:/run/admin.sock"]))
        #expect(!admits("evil.test", listen: ["unix:/run/admin.sock"]))
    }
}

@Suite struct InstanceTests {
    private func isLoop(_ via: String) -> Bool { Instance.isLoop(Array(via.utf8)) }

    @Test func `a request that came from here is a loop`() {
        #expect(isLoop(Instance.viaToOrigin))
        #expect(isLoop("1.0 fred, \(Instance.viaToOrigin), 1.1 cdn (comment)"))
        #expect(isLoop("\(Instance.viaToOrigin),\(Instance.viaToOrigin)"))
    }

    @Test(arguments: ["", "1.1 imagestore", "1.1 imagestore-", "1.1 imagestore-0", "1.0 fred, 1.1 cdn", "imagestore"])
    func `another service, and another of our kind, is not`(via: String) {
        #expect(!isLoop(via))
    }

    @Test func `a client is not told the name by which loops are found`() {
        #expect(Instance.via == "1.1 imagestore")
        #expect(Instance.viaToOrigin.hasPrefix("1.1 imagestore-"))
        #expect(!isLoop(Instance.via))
    }
}
