import EventLoops
import TestSupport
import Testing

@testable import Origin

@Suite(.blocking) struct ResolverTests {
    let origin: ScriptedOrigin
    let names: ScriptedDNS

    init() throws {
        origin = try ScriptedOrigin()
        origin.otherwise { _ in .image(.png) }
        names = try ScriptedDNS()
    }

    private func rig(_ change: (inout OriginSettings) -> Void = { _ in }) throws -> OriginRig {
        let names = names
        return try OriginRig {
            $0.resolverServers = [names.server]
            change(&$0)
        }
    }

    private func url(_ host: String) -> String { "http://\(host):\(origin.port)/a.png" }

    @Test func `a name is looked up once and remembered`() throws {
        names.answer("a.test", with: ["127.0.0.1"])
        let rig = try rig()
        for _ in 0..<3 { #expect(try rig.result(url("A.test.")).isFinished) }
        #expect(names.questions.sorted() == ["a.test", "a.test"])
        #expect(rig.withClient { $0.lookupCount } == 1)
        #expect(origin.requests.first?.host == "a.test:\(origin.port)")
        #expect(origin.connections == 1)
    }

    @Test func `those who ask at once share one lookup`() throws {
        names.answer("a.test", with: ["127.0.0.1"])
        let rig = try rig()
        let fetches = try (0..<20).map { _ in try rig.fetch(url("a.test")) }
        for fetch in fetches { #expect(try fetch.wait().isFinished) }
        #expect(rig.withClient { $0.lookupCount } <= 2)
    }

    @Test func `only allowed addresses are connected to`() throws {
        names.answer("mixed.test", with: ["10.0.0.1", "127.0.0.1", "169.254.169.254"])
        names.answer("private.test", with: ["10.0.0.1", "192.168.0.1"])
        let rig = try rig()
        #expect(try rig.result(url("mixed.test")).endings == [nil])
        #expect(try rig.result(url("private.test")).error == .notAllowed(.address(.privateUse)))
        #expect(rig.withClient { $0.counts.transfers } == 1)
    }

    @Test func `a mixed name whose allowed address fails is unreachable`() throws {
        names.answer("mixed.test", with: ["10.0.0.1", "127.0.0.1"])
        let error = try rig().result("http://mixed.test:1/a.png").error
        #expect(error == .notAllowed(.blockedPort))
        origin.close()
        #expect(try rig().result(url("mixed.test")).error == .unreachable(errno: 111))
    }

    @Test func `another address is tried when the first refuses`() throws {
        names.answer("two.test", with: ["127.0.0.9", "127.0.0.1"])
        #expect(try rig().result(url("two.test")).endings == [nil])
        names.answer("six.test", with: ["::1", "127.0.0.1"])
        #expect(try rig().result(url("six.test")).endings == [nil])
    }

    @Test func `IPv6 addresses are connected to`() throws {
        let origin = try ScriptedOrigin(address: "::1")
        origin.otherwise { _ in .image(.png) }
        names.answer("six.test", with: ["::1"])
        let rig = try rig()
        #expect(try rig.result("http://six.test:\(origin.port)/a.png").endings == [nil])
        #expect(try rig.result("http://[::1]:\(origin.port)/b.png").endings == [nil])
        #expect(origin.targets == ["/a.png", "/b.png"])
    }

    @Test func `names that do not exist`() throws {
        names.answer("empty.test", with: [])
        let rig = try rig()
        #expect(try rig.result(url("none.test")).error == .dns(.notFound))
        #expect(try rig.result(url("empty.test")).error == .dns(.noAddress))
        #expect(origin.hits == 0)
    }

    @Test func `a server that cannot be asked`() throws {
        let rig = try OriginRig { $0.resolverServers = ["127.0.0.1:1"] }
        guard case .dns(.serverFailure) = try rig.result(url("a.test")).error else {
            Issue.record("no server failure")
            return
        }
    }

    @Test func `pinned names are not looked up but judged`() throws {
        let rig = try rig {
            $0.hostOverrides = [
                HostOverride(host: "pin.test", address: .loopbackV4),
                HostOverride(host: "bad.test", address: .v4(0x0A00_0001)),
            ]
        }
        #expect(try rig.result(url("pin.test")).endings == [nil])
        #expect(try rig.result(url("bad.test")).error == .notAllowed(.address(.privateUse)))
        #expect(names.questions.isEmpty)
    }

    @Test func `the hosts file counts`() throws {
        #expect(try rig().result(url("localhost")).endings == [nil])
        #expect(names.questions.isEmpty)
    }

    @Test func `a bad name server is refused at the start`() throws {
        #expect(throws: OriginSetupError.self) { try OriginRig { $0.resolverServers = ["not an address"] } }
    }

    @Test func `a lookup may take as long as it is given and hardly longer`() throws {
        names.staySilent()
        let rig = try rig { $0.dnsTimeout = .seconds(2) }
        let start = ContinuousClock.now
        #expect(try rig.result(url("a.test")).error == .dnsTimeout)
        let elapsed = ContinuousClock.now - start
        // Two tries for each family, none of them early enough to miss the second answer.
        #expect(names.questions.count == 4)
        #expect(elapsed >= .seconds(2) && elapsed < Patience.stretched(.milliseconds(2_400)), "\(elapsed)")
    }

    @Test func `100 lookups at a silent server time out and are cancelled without holding up the loop`() throws {
        names.staySilent()
        let rig = try rig { $0.dnsTimeout = .seconds(1) }
        let lag = LagMeter(rig)
        defer { lag.stop() }
        var fetches: [FetchRecorder] = []
        for index in 0..<50 {
            fetches.append(try rig.fetch(url("n\(index).test")))
            let given = try rig.fetch(url("m\(index).test"))
            rig.perform {}  // The lookup has begun.
            given.cancel()
            fetches.append(given)
        }
        #expect(names.waitForQuestions(100))
        for (index, fetch) in fetches.enumerated() {
            if index % 2 == 0 {
                #expect(try fetch.wait().error == .dnsTimeout)
            } else {
                #expect(fetch.now.endings.isEmpty)
            }
        }
        #expect(rig.withClient { $0.fetchCount } == 0)
        // A resolver that blocks shows seconds; the worst of many is left room for a machine that is busy elsewhere.
        #expect(lag.worst < Patience.stretched(.milliseconds(500)), "\(lag.worst)")
        #expect(lag.lateShare < 0.5, "\(lag.lateShare)")
        names.staySilent(false)
        names.answer("late.test", with: ["127.0.0.1"])
        #expect(try rig.result(url("late.test")).endings == [nil])
    }
}

/// Measures how late a timer on the rig's loop fires, over and over.
private final class LagMeter: @unchecked Sendable {
    // SAFETY: the fields are touched on the loop only, but for `record`.
    private let record = Monitor((worst: Duration.zero, late: 0, all: 0))
    private var timer: EventLoops.Timer?
    private var due = Instant.now()
    private let rig: OriginRig
    private static let step = Duration.milliseconds(5)

    init(_ rig: OriginRig) {
        self.rig = rig
        rig.perform { [self] in
            timer = Timer(loop: rig.loop) { [unowned self] in
                let late = Instant.now() - due
                record.update {
                    $0.worst = max($0.worst, late)
                    $0.all += 1
                    if late > .milliseconds(10) { $0.late += 1 }
                }
                schedule()
            }
            schedule()
        }
    }

    func stop() { rig.perform { [self] in timer = nil } }

    var worst: Duration { record.read { $0.worst } }
    /// How many of the firings were more than 10 ms late.
    var lateShare: Double { record.read { Double($0.late) / Double(max($0.all, 1)) } }

    private func schedule() {
        due = .now() + Self.step
        timer?.schedule(after: Self.step)
    }
}
