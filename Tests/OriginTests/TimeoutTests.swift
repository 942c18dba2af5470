import Glibc
import TestSupport
import Testing

@testable import Origin

@Suite(.blocking) struct TimeoutTests {
    let origin: ScriptedOrigin
    private static let short = Duration.milliseconds(200)

    init() throws {
        origin = try ScriptedOrigin()
    }

    /// The error, and that it came neither early nor much too late.
    private func error(
        of reply: OriginReply, _ change: @escaping (inout OriginSettings) -> Void
    ) throws -> OriginError? {
        let rig = try OriginRig(change)
        origin.on("/a.png", reply)
        let start = ContinuousClock.now
        let error = try rig.result(origin.url("/a.png")).error
        let elapsed = ContinuousClock.now - start
        #expect(elapsed > .milliseconds(190) && elapsed < .seconds(8))
        #expect(error?.isTimeout == true)
        return error
    }

    @Test func `an origin that says nothing`() throws {
        #expect(try error(of: .silence) { $0.firstByteTimeout = Self.short } == .firstByteTimeout)
    }

    @Test func `a head that never ends`() throws {
        let reply = OriginReply.image(.png).interim("103 Early Hints").holding(Gate())
        #expect(try error(of: reply) { $0.firstByteTimeout = Self.short } == .firstByteTimeout)
    }

    @Test func `a body that stands still`() throws {
        let reply = OriginReply.image(.png, bytes: 1_000).holding(Gate(), after: 500)
        #expect(try error(of: reply) { $0.transferIdleTimeout = Self.short } == .idleTimeout)
    }

    @Test func `a drip passes the idle limit but not the total`() throws {
        let reply = OriginReply.image(.png, bytes: 10_000).dripping(1, every: .milliseconds(10))
        let error = try error(of: reply) {
            $0.transferIdleTimeout = .milliseconds(500)
            $0.totalTimeout = .milliseconds(1_000)
        }
        #expect(error == .totalTimeout)
    }

    @Test func `the total spans redirects`() throws {
        for index in 0..<5 {
            origin.on("/\(index)", .redirect(to: "/\(index + 1)").delayed(.milliseconds(150)))
        }
        let rig = try OriginRig { $0.totalTimeout = .milliseconds(400) }
        #expect(try rig.result(origin.url("/0")).error == .totalTimeout)
        #expect((1...3).contains(origin.hits))
    }

    @Test func `a connection that is not accepted`() throws {
        let full = try FullListener()
        let rig = try OriginRig { $0.connectTimeout = Self.short }
        #expect(try rig.result("http://127.0.0.1:\(full.port)/a.png").error == .connectTimeout)
    }

    @Test func `a TLS handshake that is not answered counts as connecting`() throws {
        // A plain origin reads the handshake as the beginning of a head and waits for the rest.
        let rig = try OriginRig { $0.connectTimeout = Self.short }
        #expect(try rig.result("https://127.0.0.1:\(origin.port)/a.png").error == .connectTimeout)
    }

    @Test func `paused time does not count as connecting`() throws {
        let full = try FullListener()
        let rig = try OriginRig { $0.connectTimeout = .milliseconds(300) }
        let fetch = try rig.fetch("http://127.0.0.1:\(full.port)/a.png")
        fetch.pause()
        _ = Gate().wait(upTo: .milliseconds(700))
        #expect(fetch.now.endings.isEmpty)
        fetch.resume()
        #expect(try fetch.wait().error == .connectTimeout)
    }
}

/// A listener whose queue is full, so that a connection to it is neither made nor refused.
private final class FullListener {
    private var descriptors: [Int32] = []
    private(set) var port: UInt16 = 0

    init() throws {
        let listener = add()
        var address = Self.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 0) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw ScriptFailure.timedOut("listen: \(errno)") }
        port = UInt16(bigEndian: address.sin_port)
        // A queue of 0 holds one connection; the handshakes of more are left unanswered.
        for _ in 0..<4 { connectAnother() }
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    private func add() -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        descriptors.append(descriptor)
        return descriptor
    }

    private func connectAnother() {
        let descriptor = add()
        var address = Self.loopback(port: port)
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
