import ServiceHarness
import Settings
import TestSupport
import Testing

/// What an origin may do instead of answering.
enum OriginFault: CaseIterable, Sendable {
    case serverError, refused, hangUp, timeout

    /// What the origin does.
    var reply: OriginReply {
        switch self {
        case .serverError: .status(500)
        case .refused, .hangUp: .raw("")
        case .timeout: .silence
        }
    }
}

/// Stale responses that may be served (RFC 5861), wherever they lie.
@Suite(.blocking) struct `A stale image that may be served, in any tier,` {
    private static let old = OriginReply.aged("max-age=60, stale-if-error=600")

    /// C88; the second time the failure is remembered.
    @Test(arguments: Tier.allCases, OriginFault.allCases)
    func `stands in when its origin fails`(tier: Tier, fault: OriginFault) throws {
        let rig = try TierRig(tier, Self.old, fault.reply) {
            $0.firstByteTimeout = Patience.stretched(.milliseconds(600))
        }
        try rig.fill()
        if fault == .refused { rig.origin.close() }
        for number in 0..<2 {
            let answer = try rig.get()
            #expect(answer.isImage(Self.old.body) && answer.age.map { $0 >= 100 } == true, "\(number): \(answer)")
            #expect(answer.cacheStatus.contains("; hit; ttl=-"), "\(number): \(answer)")
            #expect(answer.cacheStatus.contains("detail=stale-if-error"), "\(number): \(answer)")
        }
    }

    /// C88; the last window has closed 30 seconds ago.
    @Test(
        arguments: Tier.allCases,
        [
            "max-age=60, must-revalidate", "max-age=60, proxy-revalidate", "s-maxage=60", "no-cache",
            "max-age=60, stale-if-error=10",
        ])
    func `does not stand in where that is forbidden`(tier: Tier, directives: String) throws {
        let rig = try TierRig(tier, .aged(directives), .status(500))
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.status == 502 && answer.problem == "origin-error", "\(answer)")
    }

    /// RFC 9111 section 5.2.2.2.
    @Test(arguments: Tier.allCases)
    func `does not stand in for a silent origin when it must be revalidated`(tier: Tier) throws {
        let rig = try TierRig(tier, .aged("max-age=60, must-revalidate"), .silence) {
            $0.firstByteTimeout = Patience.stretched(.milliseconds(600))
        }
        try rig.fill()
        let answer = try rig.get()
        #expect(answer.status == 504 && answer.problem == "origin-timeout", "\(answer)")
    }

    @Test(arguments: Tier.allCases)
    func `does not stand in for a client that said no-cache`(tier: Tier) throws {
        let rig = try TierRig(tier, Self.old, .status(500))
        try rig.fill()
        let answer = try rig.get(["Cache-Control": "no-cache"])
        #expect(answer.status == 502 && answer.problem == "origin-error", "\(answer)")
    }

    /// C86.
    @Test(arguments: Tier.allCases)
    func `is served at once while the next one is fetched`(tier: Tier) throws {
        let gate = Gate()
        let old = OriginReply.aged("max-age=60, stale-while-revalidate=600")
        let new = OriginReply.image(.gif, bytes: 700, headers: ["Cache-Control": "max-age=60"])
        let rig = try TierRig(tier, old, new.holding(gate))
        try rig.fill()
        for number in 0..<2 {
            let answer = try rig.get()
            #expect(answer.isImage(old.body), "\(number): \(answer)")
            #expect(answer.cacheStatus.contains("detail=stale-while-revalidate"), "\(number): \(answer)")
            #expect(rig.origin.waitForHits(TierRig.target, 2))
        }
        gate.open()
        #expect(try eventually { try rig.get().isImage(new.body) })
        #expect(rig.origin.hits == 2)
    }

    /// A background fetch has the deadlines of any other, and is tried again.
    @Test func `is served while the origin hangs, and replaced when it is back`() throws {
        let old = OriginReply.aged("max-age=60, stale-while-revalidate=600")
        let new = OriginReply.image(.gif, bytes: 700, headers: ["Cache-Control": "max-age=60"])
        let rig = try TierRig(.memory, old, .silence, new) {
            $0.firstByteTimeout = Patience.stretched(.milliseconds(400))
            $0.forgetFailures(after: .zero)
        }
        try rig.fill()
        var answers: [Answer] = []
        #expect(
            try eventually {
                answers.append(try rig.get())
                return answers.last?.isImage(new.body) == true
            })
        let stale = answers.dropLast()
        #expect(!stale.isEmpty && stale.allSatisfy { $0.isImage(old.body) && $0.isHit }, "\(answers)")
        #expect(rig.origin.hits == 3)
    }

    /// C89: also when it is found out in the background.
    @Test(arguments: [404, 410])
    func `is no longer served when the origin says that it is gone`(code: Int) throws {
        let old = OriginReply.aged("max-age=60, stale-while-revalidate=600, stale-if-error=600")
        let rig = try TierRig(.memory, old, .status(code))
        try rig.fill()
        #expect(try rig.get().cacheStatus.contains("detail=stale-while-revalidate"))
        #expect(try eventually { try rig.get().status == code })
        #expect(try rig.get().status == code && rig.origin.hits == 2)
    }
}
