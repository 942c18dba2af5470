import EventLoops
import Glibc
import TestSupport
import Testing

@Suite(.blocking) struct BoundSocketTests {
    private func loopback(_ port: UInt16) -> SocketAddress { .ipv4([127, 0, 0, 1], port: port) }

    @Test func `port 0 takes a free one and says which`() throws {
        let first = try BoundSocket(loopback(0), sharesPort: false)
        let second = try BoundSocket(loopback(0), sharesPort: true)
        let ports = [first.address.port, second.address.port]
        #expect(first.address.addressBytes == [127, 0, 0, 1])
        #expect(ports.allSatisfy { $0 != nil && $0 != 0 })
        #expect(ports[0] != ports[1])
    }

    @Test(arguments: [(false, false), (true, false), (false, true)])
    func `two sockets share a port only when both want to`(first: Bool, second: Bool) throws {
        let socket = try BoundSocket(loopback(0), sharesPort: first)
        #expect(throws: LoopError.addressInUse("\(socket.address)")) {
            try BoundSocket(socket.address, sharesPort: second)
        }
    }

    @Test func `sockets that both want to share a port do`() throws {
        let first = try BoundSocket(loopback(0), sharesPort: true)
        let second = try BoundSocket(first.address, sharesPort: true)
        #expect(second.address == first.address)
    }

    @Test func `a probe finds who listens, even one that shares its port`() throws {
        let socket = try BoundSocket(loopback(0), sharesPort: true)
        #expect(throws: LoopError.addressInUse("\(socket.address)")) { try BoundSocket.probe(socket.address) }
        try BoundSocket.probe(loopback(0))
        try BoundSocket.probe(.unix("/nowhere/at/all"))
    }

    @Test func `a probe leaves a free port free`() throws {
        var socket: BoundSocket? = try BoundSocket(loopback(0), sharesPort: false)
        let address = try #require(socket?.address)
        socket = nil
        try BoundSocket.probe(address)
        try BoundSocket.probe(address)
        _ = try BoundSocket(address, sharesPort: false)
    }

    @Test func `an address that is not ours cannot be bound`() {
        // 192.0.2.0/24 is for documentation (RFC 5737).
        #expect(throws: LoopError.cannotBind("192.0.2.1:0", code: EADDRNOTAVAIL)) {
            try BoundSocket(.ipv4([192, 0, 2, 1], port: 0), sharesPort: false)
        }
    }

    // MARK: Unix sockets

    @Test(arguments: [0o660, 0o600, 0o666] as [UInt32]) func `a socket file gets the mode that was asked for`(
        mode: UInt32
    ) throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/s"
        let socket = try BoundSocket(.unix(path), sharesPort: false, mode: mode)
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == mode)
        #expect(socket.address == .unix(path))
    }

    @Test func `a socket file left over from a crash is replaced`() throws {
        let directory = try TemporaryDirectory()
        let address = SocketAddress.unix("\(directory.path)/s")
        var crashed: BoundSocket? = try BoundSocket(address, sharesPort: false)
        #expect(crashed != nil)
        crashed = nil
        #expect(directory.files() == ["s"])
        let again = try BoundSocket(address, sharesPort: false)
        let client = try Socket.connected(to: .unix("\(directory.path)/s"))
        withExtendedLifetime((again, client)) {}
    }

    @Test func `a socket file that somebody answers on is in use`() throws {
        let directory = try TemporaryDirectory()
        let address = SocketAddress.unix("\(directory.path)/s")
        let socket = try BoundSocket(address, sharesPort: false)
        #expect(throws: LoopError.addressInUse("\(address)")) { try BoundSocket(address, sharesPort: true) }
        let client = try Socket.connected(to: .unix("\(directory.path)/s"))
        withExtendedLifetime((socket, client)) {}
    }

    @Test func `a file that is no socket is left alone`() throws {
        let directory = try TemporaryDirectory()
        try directory.write([1, 2, 3], to: "s")
        let address = SocketAddress.unix("\(directory.path)/s")
        #expect(throws: LoopError.notASocket("\(address)")) { try BoundSocket(address, sharesPort: false) }
        #expect(directory.read("s") == [1, 2, 3])
    }

    @Test func `a directory that is not there is named as the reason`() throws {
        let directory = try TemporaryDirectory()
        let address = SocketAddress.unix("\(directory.path)/none/s")
        #expect(throws: LoopError.cannotBind("\(address)", code: ENOENT)) {
            try BoundSocket(address, sharesPort: false)
        }
    }
}
