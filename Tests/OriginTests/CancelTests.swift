import TestSupport
import Testing

@testable import Origin

@Suite(.blocking) struct CancelTests {
    let origin: ScriptedOrigin
    let rig: OriginRig

    init() throws {
        origin = try ScriptedOrigin()
        rig = try OriginRig()
        origin.on("/a.png", .image(.png, bytes: 5_000_000))
    }

    @Test func `cancelling from the head callback closes the connection and calls nobody`() throws {
        let fetch = try rig.fetch(origin.url("/a.png")) { $0.onHead = { $0.cancel() } }
        let delivery = try #require(try origin.waitForDeliveries("/a.png").first)
        #expect(delivery.peerLeft && delivery.bodyBytes < 5_000_000)
        let record = fetch.now
        #expect(record.heads.count == 1 && record.body.isEmpty && record.endings.isEmpty)
        #expect(rig.withClient { $0.fetchCount } == 0)
    }

    @Test func `cancelling from the bytes callback ends it there`() throws {
        let fetch = try rig.fetch(origin.url("/a.png")) { $0.onBytes = { $0.cancel() } }
        #expect(try origin.waitForDeliveries("/a.png").first?.peerLeft == true)
        #expect(fetch.now.pieces == 1 && fetch.now.endings.isEmpty)
    }

    @Test func `cancelling at once asks nothing`() throws {
        let target = try TargetURL.parse(decoded: Array(origin.url("/a.png").utf8).span, maxLength: 999)
        let recorder = FetchRecorder(rig: rig)
        rig.withClient { $0.fetch(OriginRequest(url: target), handler: recorder).cancel() }
        origin.on("/b.png", .image(.png))
        #expect(try rig.result(origin.url("/b.png")).endings == [nil])
        #expect(origin.targets == ["/b.png"] && recorder.now.endings.isEmpty)
    }

    @Test func `a callback may cancel another fetch and begin a new one`() throws {
        origin.on("/slow", .image(.png).holding(Gate()))
        origin.on("/b.png", .image(.png))
        let slow = try rig.fetch(origin.url("/slow"))
        #expect(origin.waitForHits("/slow"))
        let next = FetchRecorder(rig: rig)
        let target = try TargetURL.parse(decoded: Array(origin.url("/b.png").utf8).span, maxLength: 999)
        let core = rig.core
        let first = try rig.fetch(origin.url("/b.png")) { recorder in
            recorder.onHead = { _ in
                slow.fetch?.cancel()
                next.fetch = core.client?.fetch(OriginRequest(url: target), handler: next)
            }
        }
        #expect(try first.wait().endings == [nil])
        #expect(try next.wait().endings == [nil])
        #expect(slow.now.endings.isEmpty)
    }

    @Test func `a retry from the last callback starts afresh`() throws {
        origin.on("/r", inTurn: [.raw(""), .image(.png)])
        let next = FetchRecorder(rig: rig)
        let target = try TargetURL.parse(decoded: Array(origin.url("/r").utf8).span, maxLength: 999)
        let core = rig.core
        let first = try rig.fetch(origin.url("/r")) { recorder in
            recorder.onEnd = {
                next.fetch = core.client?.fetch(OriginRequest(url: target), handler: next)
            }
        }
        #expect(try first.wait().error == .closedEarly(errno: 0))
        #expect(try next.wait().endings == [nil])
    }

    @Test func `closing the client from a callback ends everything`() throws {
        origin.on("/slow", .image(.png).holding(Gate()))
        let slow = try rig.fetch(origin.url("/slow"))
        #expect(origin.waitForHits("/slow"))
        let core = rig.core
        let fetch = try rig.fetch(origin.url("/a.png")) { recorder in
            recorder.onBytes = { _ in core.client?.close() }
        }
        #expect(try origin.waitForDeliveries("/a.png").first?.peerLeft == true)
        #expect(fetch.now.pieces == 1 && fetch.now.endings.isEmpty && slow.now.endings.isEmpty)
        #expect(rig.withClient { $0.fetchCount } == 0)
    }
}
