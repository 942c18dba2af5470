import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore
import Settings

@testable import ImageService

/// Values that many tests need.
enum Fixtures {
    /// A moment on the clock of the machine, and the same one on the wall.
    static let now = Instant(nanoseconds: 1_000_000_000_000)
    static let wallNow: Int64 = 1_700_000_000

    static func snapshot(epoch: UInt64 = 1, _ change: (inout Configuration) -> Void = { _ in }) -> Snapshot {
        var configuration = Configuration()
        change(&configuration)
        return Snapshot(configuration, epoch: epoch, listeners: [])
    }

    static func key(_ text: String = "http://o.test/a.png") -> CacheKey { CacheKey(Array(text.utf8), seed: 7) }

    static func times(age: Int64 = 0, limit: Int64? = nil, isSoftPurged: Bool = false) -> StoredTimes {
        StoredTimes(
            requestTime: HTTPDate(secondsSinceEpoch: wallNow - 2),
            responseTime: HTTPDate(secondsSinceEpoch: wallNow - 1),
            initialAgeSeconds: age, lifetimeLimitSeconds: limit, isSoftPurged: isSoftPurged)
    }

    static func stored(_ fields: Fields, status: Status = .ok) -> StoredResponse {
        StoredResponse(status: status, fields: fields, times: times())
    }

    static func object(_ text: String = "http://o.test/a.png", body: [UInt8] = [1, 2, 3]) -> CachedObject {
        ObjectMaker.object(
            key: key(text), response: stored([.contentType: "image/png", .cacheControl: "max-age=60"]), variantKey: [],
            body: Chunk(body), snapshot: snapshot(), now: now, wallNow: wallNow)
    }
}

/// A fixed sequence of numbers (SplitMix64), so that a failing run can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

extension Chunk {
    var array: [UInt8] { withBytes { bytes in bytes.withUnsafeBytes { Array($0) } } }
}

/// The lines of a head, the empty ones left out.
func headLines(_ head: [UInt8]) -> [String] {
    String(decoding: head, as: UTF8.self).split(separator: "\r\n").map(String.init)
}
