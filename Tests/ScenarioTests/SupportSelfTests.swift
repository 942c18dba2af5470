import TestSupport
import Testing

/// The scripts have to be right before what they say about the product counts.
@Suite(.blocking) struct `Test support` {
    @Test func `origin and client speak HTTP on one connection`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", .image(.png, bytes: 1000, headers: ["ETag": "\"v1\""]))
        let client = try ScriptedClient(origin.endpoint)

        let first = try client.exchange("GET", "/a.png")
        let second = try client.exchange("GET", "/none")
        let head = try client.exchange("HEAD", "/a.png")

        #expect(first.status == 200 && first.ending == .clean)
        #expect(first.body == Pictures.bytes(.png, count: 1000))
        #expect(first["etag"] == "\"v1\"")
        #expect(second.status == 404)
        #expect(head["content-length"] == "1000" && head.body.isEmpty)
        #expect(origin.hits("/a.png") == 2 && origin.connections == 1)
    }

    @Test(arguments: [
        OriginReply.image(.png, bytes: 1000).cut(after: 500),
        .image(.png, bytes: 1000).cut(after: 500, reset: true),
        .image(.png, bytes: 1000).declaring(length: 1500).closing(),
        .image(.png, bytes: 1000).chunked(lastChunk: false),
        .image(.png, bytes: 1000).chunked().cut(after: 10),
    ])
    func `a cut reply is seen as cut`(reply: OriginReply) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", reply)
        let answer = try ScriptedClient(origin.endpoint).exchange("GET", "/a.png")
        #expect(answer.status == 200 && answer.ending == .cut)
    }

    @Test(arguments: [
        OriginReply.image(.png, bytes: 100_000).chunked(),
        .image(.png, bytes: 100_000).closeDelimited(),
        .image(.png, bytes: 100_000).dripping(20_000, every: .milliseconds(5)),
        .image(.png, bytes: 100_000).chunked().dripping(30_000, every: .milliseconds(5)),
        .image(.png, bytes: 100_000).interim("103 Early Hints"),
    ])
    func `a whole reply is seen as whole`(reply: OriginReply) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", reply)
        let answer = try ScriptedClient(origin.endpoint).exchange("GET", "/a.png")
        #expect(answer.status == 200 && answer.ending == .clean && answer.body == reply.body)
    }

    @Test func `a gate holds the body while others go on, and the high water counts them`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/slow", .image(.gif, bytes: 100).holding(gate, after: 50))
        let waiting = ConcurrentClients(5) { _ in try ScriptedClient(origin.endpoint).exchange("GET", "/slow") }
        #expect(origin.waitForActive(5))
        gate.open()
        let answers = try waiting.results()
        #expect(answers.allSatisfy { $0.ending == .clean && $0.body.count == 100 })
        #expect(origin.highWater == 5 && origin.active == 0)
    }

    @Test func `a condition is answered by 304 and replies come in turn`() throws {
        let origin = try ScriptedOrigin()
        let image = OriginReply.image(.png, headers: ["ETag": "\"v1\""])
        origin.on("/a.png", inTurn: [.status(500), image.answeringConditions()])
        let client = try ScriptedClient(origin.endpoint)
        #expect(try client.exchange("GET", "/a.png").status == 500)
        #expect(try client.exchange("GET", "/a.png").status == 200)
        let answer = try client.exchange("GET", "/a.png", ["If-None-Match": "\"v1\""])
        #expect(answer.status == 304 && answer["etag"] == "\"v1\"" && answer["content-length"] == nil)
    }

    @Test func `the origin notices a peer that leaves`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/big", .image(.png, bytes: 20_000_000))
        let client = try ScriptedClient(origin.endpoint)
        try client.request("GET", "/big")
        _ = try client.readHead()
        client.leave()
        let delivery = try #require(try origin.waitForDeliveries("/big").first)
        #expect(delivery.peerLeft && delivery.bodyBytes < 20_000_000)
    }

    @Test func `silence lasts until the peer leaves`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/", .silence)
        let client = try ScriptedClient(origin.endpoint, waitingUpTo: .milliseconds(50))
        #expect(throws: ScriptFailure.timedOut("read")) { try client.exchange("GET", "/") }
        client.leave()
        #expect(try origin.waitForDeliveries("/").first?.peerLeft == true)
    }

    @Test func `an https origin shows a certificate of the test authority`() throws {
        let certificates = try TestCertificates()
        let origin = try TLSOrigin(
            certificate: try certificates.leaf("origin", names: ["origin.test"]),
            pictures: ["/a.png": .image(.png, bytes: 5000)])
        let check = try Command.run([
            "openssl", "s_client", "-connect", "127.0.0.1:\(origin.port)", "-CAfile", certificates.authorityFile,
            "-verify_hostname", "origin.test", "-verify_return_error", "-brief",
        ])
        #expect(check.contains("Verification: OK"))
    }

    @Test(arguments: Pictures.Format.allCases)
    func `a picture has exactly the size asked for`(format: Pictures.Format) {
        #expect(Pictures.bytes(format, count: 2000).count == 2000)
        #expect(Pictures.bytes(format, count: 2000) == Pictures.bytes(format, count: 2000))
        #expect(Pictures.bytes(format).count < 200)
    }

    @Test func `a test name server knows its table`() throws {
        let server = try ScriptedDNS()
        server.answer("origin.test", with: ["127.0.0.1", "::1"])
        let query: [UInt8] = [
            0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 6, 111, 114, 105, 103, 105, 110, 4, 116, 101, 115, 116, 0, 0, 1, 0, 1,
        ]
        let answer = try #require(ScriptedDNS.ask(server.port, query))
        #expect(Array(answer[2..<8]) == [0x81, 0x80, 0, 1, 0, 1])
        #expect(Array(answer.suffix(4)) == [127, 0, 0, 1])
        #expect(server.questions == ["origin.test"])
    }
}
