import Origin

/// A purge as those see it who hold what it concerns.
struct Ban: Hashable, Sendable {
    /// Its place among all purges; what was fetched when it was known carries at least this number.
    let number: UInt64
    /// What it concerns.
    let target: PurgeTarget
    /// Whether things are marked stale, rather than removed.
    let isSoft: Bool

    /// Whether an earlier purge says nothing any more that this one does not say.
    func subsumes(_ earlier: Ban) -> Bool {
        (target == .all || target == earlier.target) && (!isSoft || earlier.isSoft)
    }
}

/// The purges that something may still be left of; judged when it is found.
///
/// Pure.
struct BanList {
    /// What is to be done with something that was found.
    enum Verdict: Hashable, Sendable {
        /// No purge concerns it.
        case keep
        /// Use it as stale.
        case soften
        /// It is gone.
        case drop
    }

    /// In order of arrival.
    private(set) var bans: [Ban]
    /// The last purge that this list has heard of; what is fetched from now on carries it.
    private(set) var lastNumber: UInt64

    /// A list of earlier purges.
    ///
    /// - Parameter lastNumber: the last number that was given, where that is known.
    init(_ bans: [Ban] = [], lastNumber: UInt64 = 0) {
        self.bans = bans
        self.lastNumber = max(lastNumber, bans.map(\.number).max() ?? 0)
    }

    /// Takes a purge in, in place of those that it subsumes.
    mutating func add(_ ban: Ban) {
        bans.removeAll(where: ban.subsumes)
        bans.append(ban)
        lastNumber = max(lastNumber, ban.number)
    }

    /// Forgets purges of which nothing is left.
    mutating func remove(_ numbers: Set<UInt64>) {
        bans.removeAll { numbers.contains($0.number) }
    }

    /// Judges something by its key and the last purge that was known when it was fetched.
    ///
    /// A number that was not given yet is one of an earlier process whose numbers were lost: it says nothing.
    ///
    /// Cost: one comparison for each purge since.
    func verdict(_ key: [UInt8], seen: UInt64) -> Verdict {
        let seen = seen > lastNumber ? 0 : seen
        var verdict = Verdict.keep
        for ban in bans where ban.number > seen && ban.target.matches(key) {
            guard ban.isSoft else { return .drop }
            verdict = .soften
        }
        return verdict
    }
}

/// What is kept of purges over a restart.
struct KeptPurges: Hashable, Sendable {
    /// The last number that was given: those of the next process are higher.
    var lastNumber: UInt64
    /// Purges by rule of which files may be left.
    var bans: [Ban]
}

/// How the numbers of purges are given out.
///
/// Pure.
///
/// Each process has numbers of its own, higher than those of all before it, whatever the clock says: the upper half
/// names the process, the lower half counts. The clock is asked so that they grow even where the file was lost.
enum PurgeNumbers {
    /// The number before the first one of a process.
    ///
    /// - Parameters:
    ///   - last: the last number known to be given by an earlier process.
    ///   - wallSeconds: the present in Unix seconds.
    static func base(after last: UInt64, wallSeconds: Int64) -> UInt64 {
        max((last >> 32) &+ 1, UInt64(clamping: wallSeconds) & 0xFFFF_FFFF) << 32
    }
}

/// How they are written into the ban file.
///
/// Pure.
///
/// Shape: the last number (8 bytes); for each purge number (8), 1 when it is soft (1), kind (1: prefix, 2: host, 3: all), length (4), the
/// prefix or the host; little-endian.
enum BanCoding {
    private static let headBytes = 14

    /// Writes purges down; those of one URL have no place here.
    static func encode(_ kept: KeptPurges) -> [UInt8] {
        var bytes: [UInt8] = []
        append(kept.lastNumber, count: 8, to: &bytes)
        for ban in kept.bans {
            guard let (kind, text) = parts(of: ban.target) else { continue }
            append(ban.number, count: 8, to: &bytes)
            bytes += [ban.isSoft ? 1 : 0, kind]
            append(UInt64(text.count), count: 4, to: &bytes)
            bytes += text
        }
        return bytes
    }

    /// Reads what `encode` wrote; nil for anything else.
    static func decode(_ bytes: [UInt8]) -> KeptPurges? {
        guard bytes.count >= 8 else { return nil }
        var bans: [Ban] = []
        var rest = bytes[8...]
        while !rest.isEmpty {
            guard rest.count >= headBytes else { return nil }
            let head = Array(rest.prefix(headBytes))
            let length = Int(number(head[10..<14]))
            guard rest.count >= headBytes + length, head[8] <= 1,
                let target = target(kind: head[9], Array(rest.dropFirst(headBytes).prefix(length)))
            else { return nil }
            bans.append(Ban(number: number(head[0..<8]), target: target, isSoft: head[8] == 1))
            rest = rest.dropFirst(headBytes + length)
        }
        return KeptPurges(lastNumber: number(bytes[..<8]), bans: bans)
    }

    private static func parts(of target: PurgeTarget) -> (kind: UInt8, text: [UInt8])? {
        switch target {
        case .url: nil
        case .prefix(let prefix): (1, prefix)
        case .host(let pattern): (2, Array("\(pattern)".utf8))
        case .all: (3, [])
        }
    }

    private static func target(kind: UInt8, _ text: [UInt8]) -> PurgeTarget? {
        switch kind {
        case 1: .prefix(text)
        case 2: Origin.HostPattern(String(decoding: text, as: UTF8.self)).map { .host($0) }
        case 3: .all
        default: nil
        }
    }

    private static func append(_ value: UInt64, count: Int, to bytes: inout [UInt8]) {
        for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
