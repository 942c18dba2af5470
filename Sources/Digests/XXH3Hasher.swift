import CXXHash

// XXH3 over bytes that arrive in pieces.

// SAFETY: the state is private, live from init to deinit, and this value, which cannot be copied, is its only owner.
/// A running XXH3 hash; any split of the same bytes gives the one-shot result.
///
/// Owns one C state, freed with the value. Use it for either width, not both.
@safe public struct XXH3Hasher: ~Copyable {
    private let state: OpaquePointer

    /// Starts a hash.
    ///
    /// - Parameter seed: the seed that `XXH3.hash64` or `XXH3.hash128` would be given.
    ///
    /// Cost: allocates about 600 bytes.
    public init(seed: UInt64 = 0) {
        guard let state = unsafe XXH3_createState() else { fatalError("no memory for an XXH3 state") }
        unsafe self.state = state
        unsafe check(XXH3_64bits_reset_withSeed(state, seed))
    }

    deinit {
        _ = unsafe XXH3_freeState(state)  // always XXH_OK
    }

    /// Adds the next bytes.
    public mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { raw in
            // Both widths share one state and one update function.
            unsafe check(XXH3_64bits_update(state, raw.baseAddress, raw.count))
        }
    }

    /// The 64-bit hash of all bytes so far; more may follow.
    public func digest64() -> UInt64 {
        unsafe XXH3_64bits_digest(state)
    }

    /// The 128-bit hash of all bytes so far; more may follow.
    public func digest128() -> Digest128 {
        let digest = unsafe XXH3_128bits_digest(state)
        return Digest128(high: digest.high64, low: digest.low64)
    }
}

/// Traps on an error code: with a live state and a valid span xxHash has no reason to refuse.
private func check(_ code: XXH_errorcode) {
    precondition(code == XXH_OK, "xxHash refused its own state")
}
