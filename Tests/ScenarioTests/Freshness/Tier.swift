import ServiceHarness
import Settings
import TestSupport

/// Where a stored response lies when it is asked for again; the rules of caching hold in all of them.
enum Tier: CaseIterable, Sendable {
    /// In memory; there is no disk tier.
    case memory
    /// On disk; nothing is kept in memory.
    case disk
    /// On disk, written by a service that has ended since.
    case restarted

    /// What `Cache-Status` says of the first hit.
    var detail: String { self == .memory ? "memory" : "disk" }
}

/// A service that keeps what it stores in one tier, and an origin with one image.
struct TierRig {
    /// Where the image is.
    static let target = "/a.png"
    /// Where the service keeps what it stores.
    let tier: Tier
    /// Whom the service asks.
    let origin: ScriptedOrigin
    /// Whom the test asks.
    let service: TestService

    /// Starts both; the origin gives these replies in turn, then the last one again and again.
    init(
        _ tier: Tier, _ replies: OriginReply..., change: (inout Configuration) throws -> Void = { _ in }
    ) throws {
        self.tier = tier
        origin = try ScriptedOrigin()
        origin.on(Self.target, inTurn: replies)
        service = try TestService {
            switch tier {
            case .memory: $0.diskCacheLimit = 0
            case .disk: $0.cacheLimit = 0
            case .restarted: break
            }
            try change(&$0)
        }
    }

    /// Asks for the image.
    func get(_ fields: KeyValuePairs<String, String> = [:]) throws -> Answer {
        try service.get(Self.target, of: origin, fields)
    }

    /// Asks for the image the first time, and lets it come to rest in its tier.
    @discardableResult
    func fill(_ fields: KeyValuePairs<String, String> = [:], records: Int = 1) throws -> Answer {
        let answer = try get(fields)
        try settle(objects: records)
        return answer
    }

    /// Lets what was stored last come to rest in its tier.
    ///
    /// - Parameter objects: how many responses are stored.
    func settle(objects: Int = 1) throws {
        switch tier {
        case .memory: break
        case .disk:
            guard try service.waitForDiskObjects(objects) else { throw ScriptFailure.timedOut("records on disk") }
        case .restarted: try service.restart()
        }
    }
}

extension OriginReply {
    /// An image of 900 bytes with a tag, 100 seconds old when it comes, so that its freshness is up to the test.
    static func aged(_ cacheControl: String, tag: String = "v1", seed: UInt64 = 1) -> OriginReply {
        .image(
            .png, bytes: 900, seed: seed,
            headers: ["Cache-Control": cacheControl, "ETag": "\"\(tag)\"", "Age": "100"])
    }
}

extension Answer {
    /// The `ttl` of our `Cache-Status`.
    var ttl: Int? { cacheStatus.firstMatch(of: /; ttl=(-?\d+)/).flatMap { Int($0.1) } }
    /// The `max-age` that the client is told.
    var maxAge: Int? { self["cache-control"]?.firstMatch(of: /max-age=(\d+)/).flatMap { Int($0.1) } }
}
