/// Kinds with the bounds that several options share.
enum Bounds {
    /// More than any machine has: a larger number is a slip.
    static let petabyte = 1_000_000_000_000_000
    /// Sizes of one image.
    ///
    /// The upper bound is far above any image, and below what one allocation should be asked for.
    static let downloadSize = OptionKind<Int>.size(1...(2 << 30))
    /// Budgets; 0 turns the thing off.
    static let budget = OptionKind<Int>.size(0...petabyte)
    /// Timeouts that must be there.
    static let timeout = OptionKind<Duration>.duration(.milliseconds(1)...day)
    /// Waits that may be none at all.
    static let wait = OptionKind<Duration>.duration(.zero...day)
    /// Lifetimes: at most ten years.
    static let lifetime = OptionKind<Duration>.duration(.zero...(day * 3650))
    /// Counts that must be at least one.
    static let count = OptionKind<Int>.integer(1...1_000_000)
    /// Counts whose 0 turns the thing off.
    static let optionalCount = OptionKind<Int>.integer(0...1_000_000)

    private static let day = Duration.seconds(86_400)
}
