import CXXHash

// XXH3 over bytes that are all there. Finds rot and spreads keys; it proves nothing against an attacker who knows the seed.

/// One-shot XXH3 hashes.
public enum XXH3 {
    /// Hashes the bytes to 64 bits.
    ///
    /// - Parameters:
    ///   - bytes: what to hash; may be empty.
    ///   - seed: a different seed gives an unrelated function.
    ///
    /// Source: xxHash, `XXH3_64bits_withSeed`.
    public static func hash64(_ bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
        unsafe bytes.withUnsafeBytes { raw in
            unsafe XXH3_64bits_withSeed(raw.baseAddress, raw.count, seed)
        }
    }

    /// Hashes the bytes to 128 bits.
    ///
    /// - Parameters:
    ///   - bytes: what to hash; may be empty.
    ///   - seed: a different seed gives an unrelated function.
    ///
    /// Source: xxHash, `XXH3_128bits_withSeed`.
    public static func hash128(_ bytes: Span<UInt8>, seed: UInt64 = 0) -> Digest128 {
        let digest = unsafe bytes.withUnsafeBytes { raw in
            unsafe XXH3_128bits_withSeed(raw.baseAddress, raw.count, seed)
        }
        return Digest128(high: digest.high64, low: digest.low64)
    }
}
