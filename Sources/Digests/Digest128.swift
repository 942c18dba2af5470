// The value of a 128-bit digest.

/// A 128-bit digest as two words.
///
/// The low word is what tables use: XXH3 mixes both words fully, so either is good alone.
public struct Digest128: Hashable, Sendable {
    /// The upper 64 bits.
    public var high: UInt64
    /// The lower 64 bits.
    public var low: UInt64

    /// Puts a digest together from its two words.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
