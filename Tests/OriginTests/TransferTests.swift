import HTTPMessages
import Testing

@testable import Origin
@testable import TestSupport

@Suite(.blocking) struct TransferTests {
    let origin: ScriptedOrigin
    let rig: OriginRig

    init() throws {
        origin = try ScriptedOrigin()
        rig = try OriginRig()
    }

    @Test func `a picture comes with head and whole body`() throws {
        let reply = OriginReply.image(.png, bytes: 100_000, headers: ["ETag": "\"v1\""])
        origin.on("/a.png", reply)
        let result = try rig.result(origin.url("/a.png"))
        #expect(result.endings == [nil])
        #expect(result.body == reply.body)
        let head = try #require(result.head)
        #expect(head.status == .ok)
        #expect(head.contentLength == 100_000)
        #expect(head.fields.firstString(.eTag) == "\"v1\"")
        #expect(head.hops.isEmpty)
        #expect(head.finalURL.description == origin.url("/a.png"))
        #expect(head.responseTime >= head.requestTime && head.requestTime > 1_600_000_000)
        #expect(result.heads.count == 1)
    }

    @Test(arguments: [
        "/a%2Fb//c%7E%2d/?x=%20&d=http%3A%2F%2Fh%2F",
        "/esc/%2D%2E%5F%7E%21%24%27%28%29%2A%2B%2C%3B%3D%3A%2F%3F%23%40%25",
        "/q?", "/a?b?c=/../", "/v0/o/events%2F159.png?alt=media&token=t",
    ])
    func `the target reaches the origin byte for byte`(target: String) throws {
        origin.otherwise { _ in .image(.png) }
        #expect(try rig.result(origin.url(target)).endings == [nil])
        #expect(origin.targets == [target])
    }

    @Test func `the request asks for identity under our name and carries the given fields`() throws {
        origin.otherwise { _ in .image(.png) }
        var fields = Fields()
        fields.append(.ifNoneMatch, "\"v1\"")
        fields.append(.acceptLanguage, "")
        fields.append(.host, "evil.test")
        fields.append(.connection, "close")
        fields.append(.transferEncoding, "chunked")
        #expect(try rig.result(origin.url("/a.png"), fields: fields).endings == [nil])
        let request = try #require(origin.requests.first)
        let sent = request.fields.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        #expect(
            sent == [
                "accept-encoding: identity", "accept-language: ", "accept: */*", "host: \(origin.endpoint)",
                "if-none-match: \"v1\"", "user-agent: rig/1",
            ])
        #expect(request.method == "GET" && request.version == "HTTP/1.1")
    }

    @Test func `chunks are joined and trailers dropped`() throws {
        let reply = OriginReply.image(.gif, bytes: 50_000).chunked()
        origin.on("/a.gif", reply)
        let result = try rig.result(origin.url("/a.gif"))
        #expect(result.isFinished && result.body == reply.body)
        #expect(result.head?.contentLength == nil)
        origin.on("/t", .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-T: 1\r\n\r\n"))
        let trailed = try rig.result(origin.url("/t"))
        #expect(trailed.isFinished && trailed.body == Array("ab".utf8) && trailed.heads.count == 1)
    }

    @Test func `a body of HTTP 1_0 ends with the connection`() throws {
        let reply = OriginReply.image(.png, bytes: 30_000).closeDelimited()
        origin.on("/a.png", reply)
        let result = try rig.result(origin.url("/a.png"))
        #expect(result.isFinished && result.body == reply.body && result.head?.contentLength == nil)
    }

    @Test func `interim heads are skipped`() throws {
        origin.on("/a.png", .image(.png).interim("103 Early Hints").interim("100 Continue"))
        let result = try rig.result(origin.url("/a.png"))
        #expect(result.isFinished && result.head?.status == .ok && result.heads.count == 1)
    }

    @Test(arguments: [
        (OriginReply.image(.png, bytes: 10_000).cut(after: 6_000), 6_000),
        (OriginReply.image(.png, bytes: 10_000).cut(after: 6_000, reset: true), nil),
        (OriginReply.image(.png, bytes: 10_000).chunked(lastChunk: false), 10_000),
        (OriginReply.image(.png, bytes: 10_000).chunked().cut(after: 5_000), nil),
        (OriginReply.image(.png, bytes: 10_000).closeDelimited().cut(after: 5_000, reset: true), nil),
    ])
    func `a cut body is broken`(reply: OriginReply, received: Int?) throws {
        origin.on("/a.png", reply)
        let result = try rig.result(origin.url("/a.png"))
        #expect(result.error == .broken(OriginError.cutBody))
        if let received { #expect(result.body.count == received) }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 0\n\n", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        "HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/3 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/2 200 OK\r\nContent-Type: image/png\r\n\r\nab", "\u{89}PNG\r\n\r\n", "HTTP/1.1 99 x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n",
    ])
    func `a malformed response is broken`(text: String) throws {
        origin.on("/a.png", .raw(text))
        let error = try rig.result(origin.url("/a.png")).error
        guard case .broken = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [1, 30]) func `a head over 64 KB is broken`(lines: Int) throws {
        let line = "X: \(String(repeating: "x", count: 70_000 / lines))\r\n"
        origin.on("/a.png", .raw("HTTP/1.1 200 OK\r\n\(String(repeating: line, count: lines))\r\n"))
        #expect(try rig.result(origin.url("/a.png")).error == .broken("head: too-large"))
    }

    @Test func `a connection closed before any byte says so`() throws {
        origin.on("/fin", .raw("").closing())
        #expect(try rig.result(origin.url("/fin")).error == .closedEarly(errno: 0))
        origin.on("/rst", .resetting)
        let error = try rig.result(origin.url("/rst")).error
        #expect(error == .closedEarly(errno: 104) || error == .closedEarly(errno: 0))
        #expect(error?.isBeforeFirstByte == true && error?.mayPass == true)
    }

    @Test func `an encoded body comes as it is`() throws {
        let body = Array("not really gzip".utf8)
        origin.on("/a", .status(200, body: body, headers: ["Content-Encoding": "gzip"]))
        let result = try rig.result(origin.url("/a"))
        #expect(result.isFinished && result.body == body)
        #expect(result.head?.fields.firstString(.contentEncoding) == "gzip")
    }

    @Test(arguments: [204, 304]) func `a status without content ends with its head`(status: Int) throws {
        origin.on("/a", .raw("HTTP/1.1 \(status) x\r\nContent-Length: 5\r\n\r\n"))
        let result = try rig.result(origin.url("/a"))
        #expect(result.isFinished && result.body.isEmpty && result.head?.contentLength == 0)
    }

    @Test(arguments: [404, 503, 300]) func `errors and choices are answers too`(status: Int) throws {
        origin.on("/a", .status(status, body: [1, 2, 3]))
        let result = try rig.result(origin.url("/a"))
        #expect(result.isFinished && result.head.map { Int($0.status.code) } == status && result.body == [1, 2, 3])
    }

    @Test func `a refused connection is unreachable`() throws {
        let url = origin.url("/a.png")
        origin.close()
        let error = try rig.result(url).error
        #expect(error == .unreachable(errno: 111))
        #expect(error?.proxyStatusType == "connection_refused")
    }

    @Test func `connections are used again`() throws {
        origin.otherwise { _ in .image(.png, bytes: 5_000) }
        for index in 0..<10 { #expect(try rig.result(origin.url("/\(index).png")).isFinished) }
        #expect(origin.connections == 1)
        let counts = rig.withClient { $0.counts }
        #expect(counts == TransferCounts(transfers: 10, connectionsOpened: 1))
    }

    @Test func `a broken response costs its connection`() throws {
        origin.on("/bad", .status(200, body: [1]).header("Content-Length", "7"))
        origin.on("/good", .image(.png))
        #expect(try rig.result(origin.url("/bad")).error != nil)
        #expect(try rig.result(origin.url("/good")).endings == [nil])
        #expect(origin.connections == 2)
    }

    @Test func `a kept connection that died is replaced`() throws {
        origin.on("/first", .raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"))
        origin.on("/second", .image(.png))
        #expect(try rig.result(origin.url("/first")).endings == [nil])
        _ = try origin.waitForDeliveries("/first")
        #expect(try rig.result(origin.url("/second")).endings == [nil])
    }

    @Test func `new rules close kept connections`() throws {
        origin.otherwise { _ in .image(.png) }
        #expect(try rig.result(origin.url("/a")).endings == [nil])
        rig.withClient { $0.update(settings: OriginSettings(), policy: TargetPolicy()) }
        #expect(try rig.result(origin.url("/b")).error == .notAllowed(.address(.loopback)))
        rig.withClient { $0.update(settings: OriginSettings(), policy: OriginRig.policy) }
        #expect(try rig.result(origin.url("/c")).endings == [nil])
        #expect(origin.connections == 2 && origin.targets == ["/a", "/c"])
    }

    @Test func `many transfers run at once`() throws {
        let gate = Gate()
        origin.otherwise { _ in .image(.png, bytes: 20_000).holding(gate) }
        let fetches = try (0..<60).map { try rig.fetch(origin.url("/\($0).png")) }
        #expect(origin.waitForActive(60))
        gate.open()
        for fetch in fetches {
            let result = try fetch.wait()
            #expect(result.isFinished && result.body.count == 20_000)
        }
        #expect(rig.withClient { $0.fetchCount } == 0)
    }
}

extension OriginReply {
    /// The connection is reset instead of an answer.
    fileprivate static var resetting: OriginReply {
        var reply = raw("")
        reply.ending = .reset
        return reply
    }
}
