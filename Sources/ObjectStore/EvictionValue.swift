import Glibc

// What an entry is worth to the policy.

/// The price by which the worth of an entry is divided.
enum EvictionDivisor: Equatable, Sendable {
    /// Worth per byte: small hot objects stay, the most requests are served. For memory.
    case bytes
    /// Worth per square root of bytes: gives up some requests for more bytes served. For disk.
    case squareRootOfBytes

    /// The price of an entry, at least 1.
    func price(ofBytes size: Int) -> UInt64 {
        let bytes = UInt64(max(size, 1))
        switch self {
        case .bytes: return bytes
        case .squareRootOfBytes: return 64 * Self.integerSquareRoot(bytes)
        }
    }

    /// The largest integer whose square is not above the number.
    private static func integerSquareRoot(_ number: UInt64) -> UInt64 {
        // The rounded root of a Double may be one off in either direction.
        var root = UInt64(Double(number).squareRoot())
        while root * root > number { root -= 1 }
        while (root + 1) * (root + 1) <= number { root += 1 }
        return root
    }
}

/// The worth of entries, and the one number of it that is learned: the credit of a first use.
///
/// A second use is worth 11, each further one 10 more. What a first use is worth depends on the traffic: nothing where
/// most objects are seen once, almost as much as a second use where objects are short-lived. It is learned from objects
/// that return soon after they were dropped: the class with more returns for each dropped byte deserves more room.
struct EvictionValue: Sendable {
    /// The price of an entry.
    let divisor: EvictionDivisor

    /// Bytes lately dropped that were used once.
    private var droppedOnceBytes = 1.0
    /// Bytes lately dropped that were used more often.
    private var droppedOftenBytes = 1.0
    /// Natural logarithm of the credit.
    private var logCredit = 0.0
    /// The credit of a first use as a fixed-point number with 32 fraction bits.
    private(set) var firstUseCredit: UInt64 = 1 << 32

    /// How far one returning object moves the logarithm of the credit, at most.
    private static let step = 0.02

    /// Starts with a first use worth 1.
    init(divisor: EvictionDivisor) {
        self.divisor = divisor
    }

    /// The worth of an entry.
    func value(uses: UInt64, bytes: Int) -> UInt64 {
        let credit = uses <= 1 ? firstUseCredit : (10 * uses - 9) << 32
        return credit / divisor.price(ofBytes: bytes)
    }

    /// Learns that an object that was dropped after one use is asked for again.
    mutating func objectDroppedOnceReturned() {
        moveCredit(by: Self.step * droppedOftenBytes / (droppedOnceBytes + droppedOftenBytes))
    }

    /// Learns that an object that was dropped after several uses is asked for again.
    mutating func objectDroppedOftenReturned() {
        moveCredit(by: -Self.step * droppedOnceBytes / (droppedOnceBytes + droppedOftenBytes))
    }

    /// Counts dropped bytes in their class.
    mutating func dropped(uses: UInt64, bytes: Int) {
        if uses <= 1 { droppedOnceBytes += Double(bytes) } else { droppedOftenBytes += Double(bytes) }
    }

    /// Halves the weight of what was dropped before, when the filters forget it too.
    mutating func forgetHalf() {
        droppedOnceBytes /= 2
        droppedOftenBytes /= 2
    }

    private mutating func moveCredit(by amount: Double) {
        logCredit = min(max(logCredit + amount, log(0.5)), log(10))
        firstUseCredit = UInt64(exp(logCredit) * 4_294_967_296)
    }
}
