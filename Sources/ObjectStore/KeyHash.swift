import Digests

// The hash that every index of the store goes by.

/// The seeded XXH3-128 of a key's bytes; of a variant's key only the lower half covers all of them.
///
/// One seed serves the whole process, so that a key is hashed once and the value travels with it. A hash is a place to
/// look, never proof of identity: the full key bytes decide, because a client may choose URLs that collide.
public struct KeyHash: Hashable, Sendable {
    /// The upper 64 bits.
    public let high: UInt64
    /// The lower 64 bits; tables and policies use these.
    public let low: UInt64

    /// Takes a hash that was computed or stored before.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Hashes a URL.
    ///
    /// - Parameters:
    ///   - url: the canonical URL.
    ///   - seed: the seed of this process, which the disk directory keeps across restarts.
    public init(ofURL url: Span<UInt8>, seed: UInt64) {
        let digest = XXH3.hash128(url, seed: seed)
        self.init(high: digest.high, low: digest.low)
    }

    /// Hashes the key of a variant.
    ///
    /// The upper word is the URL's: a URL and all its variants belong to one shard.
    ///
    /// - Parameter bytes: the whole key.
    init(ofVariant bytes: Span<UInt8>, of url: KeyHash, seed: UInt64) {
        self.init(high: url.high, low: XXH3.hash128(bytes, seed: seed).low)
    }

    /// Hashes a key of either kind, which a file holds.
    public init(of bytes: Span<UInt8>, seed: UInt64) {
        guard let end = bytes.indices.first(where: { bytes[$0] == CacheKey.separator }) else {
            self.init(ofURL: bytes, seed: seed)
            return
        }
        self.init(ofVariant: bytes, of: KeyHash(ofURL: bytes.extracting(0..<end), seed: seed), seed: seed)
    }

    /// Feeds the hash to a Swift table, whose own seed mixes it once more.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(low)
    }

    /// The shard that owns the key among `count` shards.
    ///
    /// Taken from the upper word, so that it says nothing about the place inside a shard's tables.
    public func shard(of count: Int) -> Int {
        Int(truncatingIfNeeded: high % UInt64(max(count, 1)))
    }
}
