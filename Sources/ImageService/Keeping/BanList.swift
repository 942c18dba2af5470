import Origin

/// A purge as those see it who hold what it concerns.
struct Ban: Hashable, Sendable {
    /// Its place among all purges; what was fetched when it was known carries at least this number.
    let number: UInt64
    /// What it concerns.
    let target: PurgeTarget
    /// Whether things are marked stale, rather than removed.
    let isSoft: Bool
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
    init(_ bans: [Ban] = []) {
        self.bans = bans
        lastNumber = bans.map(\.number).max() ?? 0
    }

    /// Takes a purge in.
    mutating func add(_ ban: Ban) {
        bans.append(ban)
        lastNumber = max(lastNumber, ban.number)
    }

    /// Forgets purges of which nothing is left.
    mutating func remove(_ numbers: Set<UInt64>) {
        bans.removeAll { numbers.contains($0.number) }
    }

    /// Judges something by its key and the last purge that was known when it was fetched.
    ///
    /// Cost: one comparison for each purge since.
    func verdict(_ key: [UInt8], seen: UInt64) -> Verdict {
        var verdict = Verdict.keep
        for ban in bans where ban.number > seen && ban.target.matches(key) {
            guard ban.isSoft else { return .drop }
            verdict = .soften
        }
        return verdict
    }
}

/// How purges by rule are written into the ban file.
///
/// Pure.
///
/// Shape: for each purge number (8 bytes), 1 when it is soft (1), kind (1: prefix, 2: host, 3: all), length (4), the
/// prefix or the host; little-endian.
enum BanCoding {
    private static let headBytes = 14

    /// Writes purges down; those of one URL have no place here.
    static func encode(_ bans: [Ban]) -> [UInt8] {
        var bytes: [UInt8] = []
        for ban in bans {
            guard let (kind, text) = parts(of: ban.target) else { continue }
            append(ban.number, count: 8, to: &bytes)
            bytes += [ban.isSoft ? 1 : 0, kind]
            append(UInt64(text.count), count: 4, to: &bytes)
            bytes += text
        }
        return bytes
    }

    /// Reads what `encode` wrote; nil for anything else.
    static func decode(_ bytes: [UInt8]) -> [Ban]? {
        var bans: [Ban] = []
        var rest = bytes[...]
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
        return bans
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
