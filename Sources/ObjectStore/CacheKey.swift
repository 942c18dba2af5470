import Digests

// The identity of a stored response.

/// The canonical bytes of a key with their hash.
///
/// Equal means equal bytes; the hash only makes unequal keys cheap to tell apart.
public struct CacheKey: Hashable, Sendable {
    /// What stands between the URL and what tells its variants apart; never part of a URL.
    public static let separator = UInt8(ascii: "\n")

    /// The canonical key: for an image without variants its URL.
    ///
    /// Shape: the URL; for one of several variants then a line feed and what tells it apart.
    public let bytes: [UInt8]
    /// The hash of the bytes.
    public let hash: KeyHash

    /// Makes the key of a URL.
    ///
    /// - Parameters:
    ///   - url: the canonical URL.
    ///   - seed: the seed of this process.
    public init(_ url: [UInt8], seed: UInt64) {
        bytes = url
        hash = KeyHash(ofURL: url.span, seed: seed)
    }

    /// Makes a key whose hash is known.
    ///
    /// The hash must be that of the bytes under the seed of this process; nothing checks it.
    public init(bytes: [UInt8], hash: KeyHash) {
        self.bytes = bytes
        self.hash = hash
    }

    /// Makes the key of one of several variants of a URL.
    ///
    /// - Parameters:
    ///   - secondary: what tells the variant apart (`Variance.secondaryKey`).
    ///   - url: the key of the URL.
    ///   - seed: the seed of this process.
    public init(variant secondary: [UInt8], of url: CacheKey, seed: UInt64) {
        let whole = url.bytes + [Self.separator] + secondary
        bytes = whole
        hash = KeyHash(ofVariant: whole.span, of: url.hash, seed: seed)
    }

    /// Says whether two keys are the same.
    public static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.hash == right.hash && left.bytes == right.bytes
    }

    /// Feeds the known hash instead of the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }

    /// Says whether the key's bytes are these.
    ///
    /// Cost: one comparison of memory.
    public func hasBytes(_ other: Span<UInt8>) -> Bool {
        bytesEqual(bytes, other)
    }
}
