import ServiceHarness
import Settings
import TestSupport
import Testing

/// One download of a URL at a time, whoever asks for it.
@Suite(.blocking) struct `Clients that want one image` {
    private let picture = OriginReply.image(.png, bytes: 10_000, headers: ["Cache-Control": "max-age=60"])

    /// C35, C40, C204.
    @Test func `share one download and one record, whatever their loops`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", picture.holding(gate))
        let service = try TestService { $0.loops = 4 }

        let waiting = ConcurrentClients(200) { _ in try service.get("/a.png", of: origin) }
        #expect(origin.waitForHits("/a.png"))
        #expect(try eventually { try service.metric("imagestore_waiters") == 200 })
        let opened = ContinuousClock.now
        gate.open()
        let answers = try waiting.results()

        #expect(answers.allSatisfy { $0.isImage(picture.body) })
        #expect(origin.hits == 1)
        #expect(answers.count(where: { $0.cacheStatus.contains("collapsed") }) == 199)
        // Far below a polling step of 500 ms, far above what a loaded machine needs.
        #expect(answers.allSatisfy { $0.endTime - opened < Patience.stretched(.milliseconds(400)) })
        #expect(try service.metric("imagestore_requests_total", ["result": "coalesced"]) == 199)
        #expect(try service.waitForDiskObjects(1))
        #expect(service.recordFiles.count == 1)
        #expect(try service.metric("imagestore_waiters") == 0)
    }

    /// C37.
    @Test func `hear of its failure all at once`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", .silence)
        let service = try TestService { $0.firstByteTimeout = .seconds(1) }
        let start = ContinuousClock.now

        let answers = try clients(20) { _ in try service.get("/a.png", of: origin) }

        for answer in answers {
            #expect(answer.status == 504 && answer.problem == "origin-timeout", "\(answer)")
            let wait = answer.headTime - start
            #expect(wait > .milliseconds(950) && wait < Patience.stretched(.seconds(3)))
        }
        #expect(origin.hits == 1)
    }

    /// C38.
    @Test func `are not harmed when the first of them leaves`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", picture.holding(gate, after: 5000))
        let service = try TestService()
        let first = try service.connect()
        let second = try service.connect()
        for client in [first, second] { try client.request("GET", "/image?url=\(origin.url("/a.png"))") }
        let head = try second.readHead()
        _ = try first.readHead()

        first.leave()
        #expect(try eventually { try service.metric("imagestore_waiters") == 1 })
        gate.open()

        #expect(try second.readBody(of: head).isImage(picture.body))
        #expect(origin.hits == 1)
    }

    /// C39.
    @Test(arguments: [true, false])
    func `may all leave, and the download ends or finishes as it was set`(finishes: Bool) throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", picture.holding(gate, after: 1000))
        let service = try TestService { $0.abandonedDownloads = finishes ? .finish : .cancel }
        let leavers = try (0..<3).map { _ in try service.connect() }
        for client in leavers {
            try client.request("GET", "/image?url=\(origin.url("/a.png"))")
            _ = try client.readHead()
        }

        leavers.forEach { $0.leave() }
        #expect(try eventually { try service.metric("imagestore_waiters") == 0 })
        if !finishes { #expect(try eventually { try service.metric("imagestore_in_flight_bytes") == 0 }) }
        gate.open()

        #expect(try origin.waitForDeliveries("/a.png").count == 1)
        #expect(try eventually { try service.metric("imagestore_in_flight_bytes") == 0 })
        #expect(try eventually { try service.objects(in: "memory") == (finishes ? 1 : 0) })
        #expect(try service.get("/a.png", of: origin).isImage(picture.body))
        #expect(origin.hits == (finishes ? 1 : 2))
    }

    /// C42.
    @Test func `share an answer that may not be stored only when they waited for it`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", picture.replacingHeader("Cache-Control", "no-store").delayed(.milliseconds(300)))
        let service = try TestService()
        let start = ContinuousClock.now

        let answers = try clients(50) { _ in try service.get("/a.png", of: origin) }
        #expect(answers.allSatisfy { $0.isImage(picture.body) && $0.endTime - start < Patience.stretched(.seconds(3)) })
        let before = origin.hits
        let next = try service.get("/a.png", of: origin)

        #expect(next.isImage(picture.body) && origin.hits == before + 1)
        #expect(try service.objects(in: "memory") == 0 && service.recordFiles.isEmpty)
    }

    /// C42: once it is known that it may not be stored, nobody queues behind another.
    @Test func `do not queue for what may not be stored`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", picture.replacingHeader("Cache-Control", "no-store").delayed(.milliseconds(200)))
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        let start = ContinuousClock.now
        _ = try clients(10) { _ in try service.get("/a.png", of: origin) }
        #expect(ContinuousClock.now - start < Patience.stretched(.milliseconds(1500)))
    }

    /// C47.
    @Test func `share its redirects too`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a", .redirect(302, to: "/b"))
        origin.on("/b", picture.delayed(.milliseconds(200)))
        let service = try TestService()
        let answers = try clients(5) { _ in try service.get("/a", of: origin) }
        let later = try service.get("/a", of: origin)
        #expect(answers.allSatisfy { $0.isImage(picture.body) } && later.isHit, "\(later)")
        #expect(origin.hits("/a") == 1 && origin.hits("/b") == 1)
    }

    /// C52.
    @Test func `may spell its URL in different ways`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", picture.holding(gate))
        let service = try TestService { try $0.resolve("origin.test") }
        let spellings = ["http://origin.test:%P/a.png", "HTTP://ORIGIN.TEST.:%P/x/../a.png#f"]
        let waiting = ConcurrentClients(2) { number in
            try service.get(url: spellings[number].replacing("%P", with: "\(origin.port)"))
        }
        #expect(try eventually { try service.metric("imagestore_waiters") == 2 })
        gate.open()
        #expect(try waiting.results().allSatisfy { $0.isImage(picture.body) })
        #expect(origin.hits == 1)
    }

    @Test func `fetch anew after a failure that was not remembered`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", inTurn: [.raw("nonsense\r\n\r\n"), picture])
        let service = try TestService { $0.forgetFailures(after: .zero) }
        #expect(try service.get("/a.png", of: origin).problem == "origin-broken")
        #expect(try service.get("/a.png", of: origin).isImage(picture.body))
    }
}
