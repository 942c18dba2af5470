/// Finds what someone probably meant.
enum Nearest {
    /// The candidate nearest to a name by edits, if one is near enough to be worth naming.
    ///
    /// Case does not count, and a part may stand for the whole: `defaultTTL` finds `freshness.defaultTTL`.
    /// Cost: candidates times the product of the lengths.
    static func name(to name: String, among candidates: [String]) -> String? {
        let wanted = Array(name.lowercased().utf8.prefix(64))
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let whole = edits(wanted, Array(candidate.lowercased().utf8))
            let parts = candidate.lowercased().split { $0 == "." || $0 == "-" }.map {
                edits(wanted, Array($0.utf8)) + 1
            }
            let distance = parts.reduce(whole, min)
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        guard let best, best.distance <= max(2, wanted.count / 3) else { return nil }
        return best.candidate
    }

    /// Insertions, deletions, replacements and swaps of neighbours between two texts (optimal string alignment).
    static func edits(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var before: [Int] = []
        var previous = Array(0...second.count)
        for i in 0..<first.count {
            var current = [i + 1]
            for j in 0..<second.count {
                var cost = min(current[j], previous[j + 1]) + 1
                cost = min(cost, previous[j] + (first[i] == second[j] ? 0 : 1))
                if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
                    cost = min(cost, before[j - 1] + 1)
                }
                current.append(cost)
            }
            before = previous
            previous = current
        }
        return previous[second.count]
    }
}
