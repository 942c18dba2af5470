import HTTPMessages

/// Which responses of one URL are stored, told apart by the request fields that their `Vary` names.
///
/// Pure: it knows no response, only what selects each. The most recent one comes first.
///
/// Source: RFC 9111 §4.1.
public struct VariantSet: Hashable, Sendable {
    /// What selects one stored response.
    public struct Entry: Hashable, Sendable {
        /// The fields that its `Vary` names; never `*`.
        public let variance: Variance
        /// What those fields were in its request (`Variance.secondaryKey`); empty without `Vary`, and no two are equal.
        public let key: [UInt8]

        /// The entry of the response to `request`; nil for `*`, which no request ever selects.
        public init?(_ variance: Variance, for request: Fields) {
            guard let key = variance.secondaryKey(request: request) else { return nil }
            self.variance = variance
            self.key = key
        }

        /// Reads an entry back from its key, which names the fields, too; nil when it is not a key.
        init?(key: [UInt8]) {
            guard let variance = Variance(secondaryKey: key) else { return nil }
            self.variance = variance
            self.key = key
        }

        /// Whether the response came without `Vary`, so that every request selects it.
        public var isForEveryone: Bool { variance == .none }
    }

    /// A set in which one more response has found its place.
    public struct Change: Hashable, Sendable {
        /// The set as it is now.
        public let set: VariantSet
        /// Who left: superseded ones and those beyond the limit; the new one's key is not among them.
        public let left: [Entry]
    }

    /// No set has more entries, whatever is configured or read.
    private static let limit = 1024
    /// Bytes of all keys together: the set is written anew at each change, and clients choose what is in the keys.
    private static let limitBytes = 32_768

    /// The entries, the most recent one first.
    public private(set) var entries: [Entry] = []

    /// A set without a response.
    public init() {}

    /// Whether there is nothing in it.
    public var isEmpty: Bool { entries.isEmpty }

    /// Whether it holds one response only, and that is for everyone: it then needs no set to be found.
    public var isPlain: Bool { entries.count == 1 && entries[0].isForEveryone }

    // MARK: Selection

    /// Finds the response that a request selects: of those whose `Vary` fits the most recent, else the one without `Vary`.
    ///
    /// Origins err when they leave `Vary` out of their default response; it would then be chosen although a better one is
    /// stored. Therefore a cache should choose the most recent response with a valid `Vary` first.
    ///
    /// Source: RFC 9111 §4.1, last but one paragraph.
    ///
    /// - Parameter request: the fields as they are sent to the origin.
    public func selected(by request: Fields) -> Entry? {
        var match = Match(request)
        return entries.first { match.fits($0) } ?? entries.first(where: \.isForEveryone)
    }

    /// Whether two requests may wait for the same answer, as far as the stored responses tell: they select the same one;
    /// or neither selects any, and the most recent one's `Vary` does not tell them apart.
    public func mayShare(_ one: Fields, _ other: Fields) -> Bool {
        let selected = selected(by: one)
        guard selected == self.selected(by: other) else { return false }
        guard selected == nil, let latest = entries.first?.variance else { return true }
        return latest.secondaryKey(request: one) == latest.secondaryKey(request: other)
    }

    /// Compares entries with one request.
    private struct Match {
        private let request: Fields
        /// Neighbours mostly vary on the same fields: their key is then made once.
        private var latest: (variance: Variance, key: [UInt8]?)?

        init(_ request: Fields) {
            self.request = request
        }

        /// Whether the entry has `Vary`, and it fits.
        mutating func fits(_ entry: Entry) -> Bool {
            guard !entry.isForEveryone else { return false }
            if latest?.variance != entry.variance {
                latest = (entry.variance, entry.variance.secondaryKey(request: request))
            }
            return latest?.key == entry.key
        }
    }

    // MARK: Change

    /// Puts the response to `request` first.
    ///
    /// What the request would still prefer or confuse with it leaves: every other response whose `Vary` fits, and the one
    /// without `Vary` when the new one has none either, or when it was the one that the request selected until now. The
    /// oldest leave when there are more than `limit`.
    public func storing(_ entry: Entry, for request: Fields, limit: Int) -> Change {
        var match = Match(request)
        let superseded = entries.filter { match.fits($0) }
        let replacesDefault = entry.isForEveryone || superseded.isEmpty
        var set = VariantSet()
        var left: [Entry] = []
        set.entries = [entry]
        var bytes = entry.key.count
        for former in entries where former.key != entry.key {
            let isSuperseded = former.isForEveryone ? replacesDefault : superseded.contains(former)
            bytes += former.key.count
            if isSuperseded || set.entries.count >= min(max(limit, 1), Self.limit) || bytes > Self.limitBytes {
                left.append(former)
            } else {
                set.entries.append(former)
            }
        }
        return Change(set: set, left: left)
    }

    /// The set without an entry.
    public func removing(_ entry: Entry) -> VariantSet {
        var set = self
        set.entries.removeAll { $0.key == entry.key }
        return set
    }
}

/// On disk.
extension VariantSet {
    private static let formatVersion: UInt8 = 1

    /// The set as bytes.
    ///
    /// Shape: one byte version (1), then for each entry the length of its key (4 bytes, big-endian) and its key.
    public func serialized() -> [UInt8] {
        var output = [Self.formatVersion]
        for entry in entries {
            let length = UInt32(truncatingIfNeeded: entry.key.count)
            for shift in [24, 16, 8, 0] { output.append(UInt8(truncatingIfNeeded: length >> UInt32(shift))) }
            output += entry.key
        }
        return output
    }

    /// Reads what `serialized()` wrote; nil when it is of another version or damaged.
    public init?(serialized bytes: [UInt8]) {
        guard bytes.first == Self.formatVersion else { return nil }
        var rest = bytes.dropFirst()
        while !rest.isEmpty {
            guard entries.count < Self.limit else { return nil }
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= 4, length <= rest.count - 4 else { return nil }
            rest = rest.dropFirst(4)
            guard let entry = Entry(key: Array(rest.prefix(length))), !entries.contains(entry) else { return nil }
            entries.append(entry)
            rest = rest.dropFirst(length)
        }
    }
}
