// Remembers keys for a while in little space.

/// A set of recently added key hashes: two generations of a Bloom filter.
///
/// Membership may be claimed falsely (about 1 in 100 when full), never denied falsely for a key of the newer generation.
///
/// Cost: allocates on the first addition, 2.5 bytes for each key it is made for.
struct RecentFilter: Sendable {
    private let bitMask: UInt64
    private var newer: [UInt64] = []
    private var older: [UInt64] = []

    /// More bits than this would make clearing a generation a pause that clients feel (8 MB, about a millisecond).
    private static let maximumBits: UInt64 = 1 << 26
    private static let bitsPerKey = 10
    private static let probes: UInt64 = 4

    /// Makes an empty filter.
    ///
    /// - Parameter keys: how many keys one generation will hold.
    init(keys: Int) {
        let wanted = UInt64(max(keys * Self.bitsPerKey, 1_024))
        var bits: UInt64 = 1_024
        while bits < wanted, bits < Self.maximumBits { bits *= 2 }
        bitMask = bits - 1
    }

    /// Says whether the key was added in this generation or the one before.
    func contains(_ hash: UInt64) -> Bool {
        Self.has(hash, in: newer, mask: bitMask) || Self.has(hash, in: older, mask: bitMask)
    }

    /// Adds a key to the newer generation.
    mutating func add(_ hash: UInt64) {
        if newer.isEmpty { newer = [UInt64](repeating: 0, count: Int(bitMask + 1) / 64) }
        for probe in 0..<Self.probes {
            let bit = Self.bit(probe, of: hash, mask: bitMask)
            newer[Int(bit / 64)] |= 1 << (bit % 64)
        }
    }

    /// Forgets the older generation and starts a new one.
    mutating func rotate() {
        swap(&newer, &older)
        for index in newer.indices { newer[index] = 0 }
    }

    private static func has(_ hash: UInt64, in words: [UInt64], mask: UInt64) -> Bool {
        guard !words.isEmpty else { return false }
        for probe in 0..<probes {
            let bit = bit(probe, of: hash, mask: mask)
            if words[Int(bit / 64)] & (1 << (bit % 64)) == 0 { return false }
        }
        return true
    }

    private static func bit(_ probe: UInt64, of hash: UInt64, mask: UInt64) -> UInt64 {
        (hash &+ probe &* (hash >> 32 | 1)) & mask
    }
}
