import EventLoops
import HTTPMessages
import TestSupport
import Testing

@testable import Origin

/// What no fetch can show: the guard at the socket, and libcurl's memory of names.
@Suite(.blocking) struct TransferPoolTests {
    let origin: ScriptedOrigin
    let rig: OriginRig

    init() throws {
        origin = try ScriptedOrigin()
        origin.otherwise { _ in .image(.png).closing() }
        rig = try OriginRig()
    }

    /// Runs one hop in a pool and waits for its end.
    private func run(_ pool: PoolBox, _ url: String, _ addresses: [IPAddress]) throws -> TransferFailure? {
        let target = try TargetURL.parse(decoded: Array(url.utf8).span, maxLength: 999)
        let owner = Owner()
        rig.perform {
            let request = TransferRequest(url: target, fields: Fields(), addresses: addresses)
            do {
                _ = try pool.value?.start(request, owner: owner)
            } catch {
                Issue.record("\(error)")
            }
        }
        #expect(owner.ending.wait { $0 != nil })
        return owner.ending.read { $0 } ?? nil
    }

    private func pool(_ policy: TargetPolicy = OriginRig.policy) -> PoolBox {
        let box = PoolBox(rig)
        let loop = rig.loop
        rig.perform { box.value = try? TransferPool(loop: loop, settings: OriginSettings(), policy: policy) }
        return box
    }

    @Test func `the socket is judged whatever the addresses handed over`() throws {
        let pool = pool(TargetPolicy())
        defer { pool.close() }
        #expect(
            try run(pool, "http://a.test:\(origin.port)/", [.loopbackV4])
                == .failed(.notAllowed(.address(.loopback))))
        #expect(
            try run(pool, "http://127.0.0.1:\(origin.port)/", [.loopbackV4])
                == .failed(.notAllowed(.address(.loopback))))
        #expect(origin.connections == 0)
    }

    @Test func `libcurl does not remember the addresses of an earlier transfer`() throws {
        let pool = pool()
        defer { pool.close() }
        let url = "http://a.test:\(origin.port)/"
        #expect(try run(pool, url, [.loopbackV4]) == nil)
        #expect(try run(pool, url, [.v4(0x7F00_0002)]) == .failed(.unreachable(errno: 111)))
        #expect(try run(pool, url, [.v4(0x7F00_0002), .loopbackV4]) == nil)
        #expect(origin.hits == 2)
    }

    @Test func `descriptors are no address's fault`() throws {
        #expect(OriginError.unreachable(errno: 24).proxyStatusType == "proxy_internal_error")
    }
}

/// Lets the pool go on its loop.
private final class PoolBox: @unchecked Sendable {
    // SAFETY: `value` is touched on the loop only.
    var value: TransferPool?
    private let rig: OriginRig

    init(_ rig: OriginRig) { self.rig = rig }

    /// For the end of a test: the pool must go on its loop.
    func close() { rig.perform { [self] in value = nil } }
}

private final class Owner: TransferOwner, Sendable {
    let ending = Monitor<TransferFailure??>(nil)

    func transferConnected(_ transfer: Transfer) {}
    func transfer(_ transfer: Transfer, received head: CheckedHead) -> TransferVerdict { .more }
    func transfer(_ transfer: Transfer, received bytes: Span<UInt8>) -> TransferVerdict { .more }
    func transferEnded(_ transfer: Transfer, _ failure: TransferFailure?) { ending.update { $0 = .some(failure) } }
}
