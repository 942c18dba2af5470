import ServiceHarness
import Settings
import TestSupport
import Testing

/// Names are looked up on the loops, and a name server that says nothing holds up nobody.
@Suite(.blocking) struct `A name` {
    @Test func `is looked up once for many`() throws {
        let origin = try ScriptedOrigin.pictures()
        let names = try ScriptedDNS()
        names.answer("origin.test", with: ["127.0.0.1"])
        let service = try TestService(nameServer: names.server)
        let answers = try clients(10) { try service.get(url: "http://origin.test:\(origin.port)/\($0).png") }
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers)")
        // A and AAAA, from at most each of the two loops.
        #expect(names.questions.count <= 4)
    }

    /// C73.
    @Test func `that does not exist is an error, until it does`() throws {
        let origin = try ScriptedOrigin.pictures()
        let names = try ScriptedDNS()
        let service = try TestService(nameServer: names.server) { $0.forgetFailures(after: .seconds(1)) }
        let url = "http://origin.test:\(origin.port)/a.png"
        let answer = try service.get(url: url)
        #expect(answer.status == 502 && answer.problem == "origin-dns", "\(answer)")
        #expect(answer["proxy-status"]?.contains("dns_error") == true)
        names.answer("origin.test", with: ["127.0.0.1"])
        #expect(try eventually(upTo: .seconds(5)) { try service.get(url: url).status == 200 })
    }

    @Test func `that nobody answers for times out, and hits are served meanwhile`() throws {
        let origin = try ScriptedOrigin.pictures()
        let names = try ScriptedDNS()
        names.staySilent()
        let service = try TestService(nameServer: names.server) { $0.dnsTimeout = .seconds(2) }
        _ = try service.get("/hit.png", of: origin)

        let waiting = ConcurrentClients(30) { try service.get(url: "http://silent\($0).test/a.png") }
        #expect(names.waitForQuestions(16))
        var slowest = Duration.zero
        for _ in 0..<50 {
            let start = ContinuousClock.now
            #expect(try service.get("/hit.png", of: origin).isHit)
            slowest = max(slowest, ContinuousClock.now - start)
        }
        let answers = try waiting.results()

        #expect(slowest < Patience.stretched(.milliseconds(500)))  // a blocking resolver would take seconds
        for answer in answers {
            #expect(answer.status == 504 && answer.problem == "origin-timeout", "\(answer)")
        }
    }
}
