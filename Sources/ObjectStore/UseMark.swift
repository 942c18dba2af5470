// What a hit writes: one word for each entry.

/// How often an entry was used, and the age of the policy when it was used last.
///
/// A plain value; the memory tier keeps its bits in an atomic, the disk tier as a field.
///
/// Shape: bits 56 to 63 `uses` (1...63), bits 0 to 55 `stamp`.
struct UseMark: Equatable, Sendable {
    /// The count saturates here: beyond it more uses say nothing new.
    static let maximumUses: UInt64 = 63
    private static let stampBits: UInt64 = 56
    private static let stampMask: UInt64 = (1 << stampBits) - 1

    /// Both fields in one word.
    let bits: UInt64

    /// Takes a word that was kept.
    init(bits: UInt64) {
        self.bits = bits
    }

    /// Marks a new entry.
    ///
    /// - Parameters:
    ///   - uses: at least 1; clamped to what the field holds.
    ///   - stamp: the age of the policy. It grows by some hundred units a miss, so 56 bits do not wrap.
    init(uses: UInt64, stamp: UInt64) {
        bits = min(max(uses, 1), Self.maximumUses) << Self.stampBits | (stamp & Self.stampMask)
    }

    /// How often the entry was used, storing it included.
    var uses: UInt64 { bits >> Self.stampBits }

    /// The age of the policy at the last use.
    var stamp: UInt64 { bits & Self.stampMask }

    /// The mark after one more use.
    func used(at age: UInt64) -> UseMark {
        UseMark(uses: uses + 1, stamp: age)
    }
}
