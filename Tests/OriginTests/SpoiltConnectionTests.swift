import HTTPMessages
import Testing

@testable import Origin
@testable import TestSupport

/// An origin that says more than it was asked for, on a connection that is kept.
@Suite(.blocking) struct SpoiltConnectionTests {
    let origin: ScriptedOrigin
    let rig: OriginRig
    let victim = OriginReply.image(.png, bytes: 3_000, seed: 2)

    init() throws {
        origin = try ScriptedOrigin()
        rig = try OriginRig()
        origin.on("/victim.png", victim)
    }

    /// A whole response that nobody asked for.
    static func surplus(_ count: Int = 1_001) -> [UInt8] {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: \(count)\r\n\r\n"
        return Array(head.utf8) + Pictures.bytes(.png, count: count, seed: 666)
    }

    /// A sound response, then the surplus.
    private func reply(_ count: Int = 1_001, after pause: Duration?) -> OriginReply {
        var reply = OriginReply.image(.png, bytes: 1_000).declaring(length: 1_000)
        if let pause { reply = reply.pausing(pause, after: 1_000) }
        reply.body += Self.surplus(count)
        return reply
    }

    private func expectSoundVictim(connections: Int, spoilt: Int?) throws {
        let result = try rig.result(origin.url("/victim.png"))
        #expect(result.isFinished && result.body == victim.body && result.heads.count == 1)
        #expect(origin.hits("/victim.png") == 1 && origin.connections == connections)
        if let spoilt { #expect(rig.withClient { $0.counts.spoiltConnections } == spoilt) }
        // The spoilt one is closed.
        let state = origin.state
        #expect(state.wait { $0.connections.count == 1 })
    }

    /// Source: RFC 9112, section 9.2.
    @Test(arguments: [0, 1, 10, 100, 700, 1_500])
    func `a response that nobody asked for answers nothing`(milliseconds: Int) throws {
        origin.on("/evil.png", reply(after: .milliseconds(milliseconds)))
        #expect(try rig.result(origin.url("/evil.png")).body == Pictures.bytes(.png, count: 1_000, seed: 1))
        _ = try origin.waitForDeliveries("/evil.png")
        // After a short pause the surplus may yet come in one read with the body, and libcurl itself sees it.
        try expectSoundVictim(connections: 2, spoilt: milliseconds < 700 ? nil : 1)
    }

    @Test(arguments: [1_001, 200_000]) func `a surplus in the segment of the body`(count: Int) throws {
        origin.on("/evil.png", reply(count, after: nil))
        #expect(try rig.result(origin.url("/evil.png")).body.count == 1_000)
        _ = try origin.waitForDeliveries("/evil.png")
        try expectSoundVictim(connections: 2, spoilt: nil)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    ])
    func `a surplus behind a response without length`(head: String) throws {
        for (index, isAtOnce) in [true, false].enumerated() {
            var reply = OriginReply.raw(head)
            reply.ending = .keepOpen
            if isAtOnce { reply.raw? += Self.surplus() }
            let target = "/evil\(index).png"
            origin.on(target, reply)
            #expect(try rig.result(origin.url(target)).isFinished)
            _ = try origin.waitForDeliveries(target)
        }
        #expect(try rig.result(origin.url("/victim.png")).body == victim.body)
    }

    @Test func `bytes that are no response`() throws {
        var reply = OriginReply.image(.png, bytes: 1_000).declaring(length: 1_000)
        reply = reply.pausing(.milliseconds(50), after: 1_000)
        reply.body += [0]
        origin.on("/evil.png", reply)
        #expect(try rig.result(origin.url("/evil.png")).isFinished)
        _ = try origin.waitForDeliveries("/evil.png")
        try expectSoundVictim(connections: 2, spoilt: nil)
    }

    @Test func `a named host is found again for the second try`() throws {
        let names = try ScriptedDNS()
        names.answer("a.test", with: ["127.0.0.1"])
        let rig = try OriginRig { $0.resolverServers = [names.server] }
        origin.on("/evil.png", reply(after: .milliseconds(50)))
        #expect(try rig.result("http://a.test:\(origin.port)/evil.png").isFinished)
        _ = try origin.waitForDeliveries("/evil.png")
        let result = try rig.result("http://a.test:\(origin.port)/victim.png")
        #expect(result.isFinished && result.body == victim.body && origin.connections == 2)
    }

    @Test func `many spoilt connections, and many hops at once`() throws {
        let gate = Gate()
        origin.otherwise { [self] request in
            request.target.hasPrefix("/evil") ? reply(after: .milliseconds(50)).holding(gate) : victim
        }
        let first = try (0..<8).map { try rig.fetch(origin.url("/evil\($0).png")) }
        #expect(origin.waitForActive(8))
        gate.open()
        for fetch in first { #expect(try fetch.wait().isFinished) }
        for index in 0..<8 { _ = try origin.waitForDeliveries("/evil\(index).png") }
        let second = try (0..<8).map { try rig.fetch(origin.url("/good\($0).png")) }
        for fetch in second { #expect(try fetch.wait().body == victim.body) }
        for index in 0..<20 { #expect(try rig.result(origin.url("/late\(index).png")).body == victim.body) }
        #expect(origin.connections <= 16)
    }

    @Test func `sound connections of both families are used again`() throws {
        for address in ["127.0.0.1", "::1"] {
            let origin = try ScriptedOrigin(address: address)
            origin.otherwise { [victim] _ in victim }
            let rig = try OriginRig()
            for index in 0..<20 { #expect(try rig.result(origin.url("/\(index).png")).isFinished) }
            #expect(origin.connections == 1)
            #expect(rig.withClient { $0.counts } == TransferCounts(transfers: 20, connectionsOpened: 1))
        }
    }
}

/// The same over TLS, where libssl may hold what no socket shows any more.
@Suite(.blocking) struct SpoiltTLSConnectionTests {
    let certificates: TestCertificates
    let rig: OriginRig

    init() throws {
        let certificates = try TestCertificates()
        self.certificates = certificates
        rig = try OriginRig { $0.caFile = certificates.authorityFile }
    }

    private func response(_ byte: Character) -> String { "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(byte)" }

    /// Fetches while the other side says what the test tells it to.
    private func fetch(_ origin: TLSConversation, _ target: String, saying pieces: [String]) throws
        -> FetchRecorder.Record
    {
        let fetch = try rig.fetch(origin.url(target))
        try origin.waitForRequest(target)
        for piece in pieces {
            origin.say(piece)
            // A head alone is read before the body is written, so that libcurl then reads no more than the body.
            if piece != pieces.last { _ = try fetch.wait { !$0.heads.isEmpty } }
        }
        return try fetch.wait()
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func `a sound connection is used again`(version: String) throws {
        let origin = try TLSConversation(certificates, version)
        defer { origin.close() }
        for byte in ["a", "b", "c", "d"] as [Character] {
            #expect(try fetch(origin, "/\(byte).png", saying: [response(byte)]).body == [byte.asciiValue ?? 0])
        }
        #expect(rig.withClient { $0.counts } == TransferCounts(transfers: 4, connectionsOpened: 1))
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func `a surplus in the record of the body`(version: String) throws {
        let origin = try TLSConversation(certificates, version)
        defer { origin.close() }
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"
        #expect(try fetch(origin, "/a.png", saying: [head, "a" + response("x")]).body == Array("a".utf8))
        #expect(try fetch(origin, "/b.png", saying: [response("b")]).body == Array("b".utf8))
        #expect(
            rig.withClient { $0.counts } == TransferCounts(transfers: 2, connectionsOpened: 2, spoiltConnections: 1))
    }

    /// Source: RFC 9112, section 9.8.
    @Test(arguments: ["-tls1_2", "-tls1_3"]) func `a body that TLS does not end is cut`(version: String) throws {
        for head in ["HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"] {
            let origin = try TLSConversation(certificates, version)
            let fetch = try rig.fetch(origin.url("/a.png"))
            try origin.waitForRequest("/a.png")
            origin.say(head + "abc")
            _ = try fetch.wait { $0.body == Array("abc".utf8) }
            origin.endAbruptly()
            #expect(try fetch.wait().error == .broken(OriginError.cutBody))
        }
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 200 OK\r\n\r\nabc"])
    func `a body that length or TLS ends is whole`(text: String) throws {
        let leaf = try certificates.leaf("whole")
        let origin = try TLSOrigin(certificate: leaf, pictures: ["/a.png": .raw(text)])
        defer { origin.close() }
        let result = try rig.result(origin.url("/a.png"))
        #expect(result.isFinished && result.body == Array("abc".utf8))
    }
}
