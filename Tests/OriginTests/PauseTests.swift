import HTTPMessages
import TestSupport
import Testing

@testable import Origin

@Suite(.blocking) struct PauseTests {
    let origin: ScriptedOrigin
    let rig: OriginRig

    init() throws {
        origin = try ScriptedOrigin()
        rig = try OriginRig {
            $0.firstByteTimeout = Patience.stretched(.milliseconds(700))
            $0.transferIdleTimeout = Patience.stretched(.milliseconds(700))
            $0.totalTimeout = Patience.stretched(.milliseconds(1_200))
            $0.connectTimeout = Patience.stretched(.milliseconds(700))
            $0.dnsTimeout = Patience.stretched(.milliseconds(700))
        }
    }

    /// Longer than every timeout of the rig: what should stand still has had its chance to move.
    private func outlastTheClocks() { _ = Gate().wait(upTo: Patience.stretched(.milliseconds(1_500))) }

    @Test func `a pause from inside a callback stops bytes until resume, and clocks too`() throws {
        let reply = OriginReply.image(.png, bytes: 3_000_000)
        origin.on("/a.png", reply)
        let fetch = try rig.fetch(origin.url("/a.png")) { recorder in
            var isFirst = true
            recorder.onBytes = { fetch in
                if isFirst { fetch.pause() }
                isFirst = false
            }
        }
        _ = try fetch.wait { $0.pieces > 0 }
        outlastTheClocks()
        #expect(fetch.now.pieces == 1 && fetch.now.endings.isEmpty)
        fetch.resume()
        let result = try fetch.wait()
        #expect(result.isFinished && result.body == reply.body)
    }

    @Test func `a pause from outside stops bytes`() throws {
        let gate = Gate()
        let reply = OriginReply.image(.png, bytes: 2_000_000).holding(gate, after: 1_000)
        origin.on("/a.png", reply)
        let fetch = try rig.fetch(origin.url("/a.png"))
        _ = try fetch.wait { $0.body.count == 1_000 }
        fetch.pause()
        gate.open()
        outlastTheClocks()
        #expect(fetch.now.body.count == 1_000)
        for _ in 0..<3 {
            fetch.resume()
            fetch.pause()
        }
        fetch.resume()
        let result = try fetch.wait()
        #expect(result.isFinished && result.body == reply.body)
    }

    @Test func `a pause at the head delivers the head alone`() throws {
        let reply = OriginReply.image(.png, bytes: 100_000)
        origin.on("/a.png", reply)
        let fetch = try rig.fetch(origin.url("/a.png")) { $0.onHead = { $0.pause() } }
        _ = try fetch.wait { $0.head != nil }
        outlastTheClocks()
        #expect(fetch.now.body.isEmpty && fetch.now.endings.isEmpty)
        fetch.resume()
        #expect(try fetch.wait().body == reply.body)
    }

    @Test func `a pause before anything was asked asks nothing`() throws {
        origin.on("/a.png", .image(.png))
        let fetch = try rig.fetch(origin.url("/a.png")) { _ in }
        // Begun in the same turn as the fetch: the hop has not.
        let second = FetchRecorder(rig: rig)
        let target = try TargetURL.parse(decoded: Array(origin.url("/b.png").utf8).span, maxLength: 999)
        rig.withClient { client in
            second.fetch = client.fetch(OriginRequest(url: target), handler: second)
            second.fetch?.pause()
        }
        #expect(try fetch.wait().endings == [nil])
        outlastTheClocks()
        #expect(origin.hits("/b.png") == 0 && second.now.endings.isEmpty)
        second.resume()
        _ = try second.wait()
        #expect(origin.hits("/b.png") == 1)
    }

    @Test func `a pause while waiting for the head holds the answer back`() throws {
        let gate = Gate()
        let reply = OriginReply.image(.png, bytes: 50_000).holding(gate)
        origin.on("/a.png", reply)
        let fetch = try rig.fetch(origin.url("/a.png"))
        #expect(origin.waitForHits("/a.png"))
        fetch.pause()
        gate.open()
        outlastTheClocks()
        #expect(fetch.now.body.isEmpty && fetch.now.endings.isEmpty)
        fetch.resume()
        #expect(try fetch.wait().body == reply.body)
    }

    /// libcurl then hands all lines of the head over in one piece.
    @Test func `a head of many lines that came while paused is read whole`() throws {
        let gate = Gate()
        let fields: KeyValuePairs<String, String> = ["ETag": "\"v\"", "Cache-Control": "max-age=60", "X-Other": "1"]
        let reply = OriginReply.image(.png, bytes: 5_000, headers: fields).holding(gate).interim("103 Early Hints")
        origin.on("/a.png", reply)
        let fetch = try rig.fetch(origin.url("/a.png"))
        #expect(origin.waitForHits("/a.png"))
        fetch.pause()
        rig.perform {}
        gate.open()
        _ = try origin.waitForDeliveries("/a.png", upTo: .seconds(1))
        rig.perform {}
        fetch.resume()
        let result = try fetch.wait()
        #expect(result.isFinished && result.body == reply.body)
        #expect(result.head?.fields.firstString(.cacheControl) == "max-age=60")
    }

    @Test func `a paused fetch can be cancelled`() throws {
        origin.on("/a.png", .image(.png, bytes: 5_000_000))
        let fetch = try rig.fetch(origin.url("/a.png")) { $0.onBytes = { $0.pause() } }
        _ = try fetch.wait { $0.pieces > 0 }
        fetch.cancel()
        #expect(try origin.waitForDeliveries("/a.png").first?.peerLeft == true)
        fetch.resume()
        #expect(fetch.now.endings.isEmpty)
    }

    @Test func `a name that is not answered while paused is asked again`() throws {
        let names = try ScriptedDNS()
        names.staySilent()
        names.answer("a.test", with: ["127.0.0.1"])
        let rig = try OriginRig {
            $0.dnsTimeout = .milliseconds(700)
            $0.resolverServers = [names.server]
        }
        origin.on("/a.png", .image(.png))
        let fetch = try rig.fetch("http://a.test:\(origin.port)/a.png")
        #expect(names.waitForQuestions(1))
        fetch.pause()
        outlastTheClocks()
        #expect(fetch.now.endings.isEmpty)
        names.staySilent(false)
        fetch.resume()
        #expect(try fetch.wait().endings == [nil])
    }
}
