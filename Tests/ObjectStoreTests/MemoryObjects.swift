import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore

/// A key whose hash is the mixed number, as the reference trace wants it.
func key(_ number: UInt64) -> CacheKey {
    let digits = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    return CacheKey(bytes: digits, hash: KeyHash(high: number, low: mix(number)))
}

/// An object without a body that costs what it is told.
func object(_ number: UInt64, costBytes: Int) -> CachedObject {
    object(key(number), costBytes: costBytes)
}

/// An object without a body that costs what it is told.
func object(_ key: CacheKey, costBytes: Int) -> CachedObject {
    CachedObject(
        key: key, response: response, wireHead: [], body: emptyBody, expiry: .distantFuture, costBytes: costBytes)
}

/// The head of every object whose head does not matter.
let response = StoredResponse(
    status: .ok, fields: [.contentType: "image/png"],
    times: StoredTimes(
        requestTime: HTTPDate(secondsSinceEpoch: 0), responseTime: HTTPDate(secondsSinceEpoch: 0),
        initialAgeSeconds: 0))
private let emptyBody = Chunk(capacity: 0)

extension MemoryStoreOutcome {
    /// The entry of a stored object.
    var entry: (slot: UInt32, generation: UInt32)? {
        if case .stored(let slot, let generation) = self { return (slot, generation) }
        return nil
    }
}
