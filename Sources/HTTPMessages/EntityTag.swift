/// An entity tag: the opaque name of one representation.
///
/// Source: RFC 9110 §8.8.3.
public struct EntityTag: Hashable, Sendable {
    /// The bytes between the quotes.
    public let opaque: [UInt8]
    /// Whether it only promises equivalence, not equal bytes.
    public let isWeak: Bool

    /// Makes a tag from its parts.
    public init(opaque: [UInt8], isWeak: Bool) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// Reads an `ETag` field value; nil when it is not exactly one entity tag.
    public init?(parsing value: Span<UInt8>) {
        let range = FieldList.trimmed(0..<value.count, in: value)
        guard let (tag, end) = Self.read(in: value, from: range.lowerBound), end == range.upperBound else {
            return nil
        }
        self = tag
    }

    /// Whether both are strong and equal: the comparison for ranges.
    ///
    /// Source: RFC 9110 §8.8.3.2.
    public func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Whether the opaque parts are equal: the comparison for cache validation.
    ///
    /// Source: RFC 9110 §8.8.3.2.
    public func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    /// Appends the tag as a field value.
    public func append(to output: inout [UInt8]) {
        if isWeak {
            output.append(UInt8(ascii: "W"))
            output.append(UInt8(ascii: "/"))
        }
        output.append(UInt8(ascii: "\""))
        output.append(contentsOf: opaque)
        output.append(UInt8(ascii: "\""))
    }

    /// Reads one tag at `start`: the tag and the index after it.
    static func read(in value: Span<UInt8>, from start: Int) -> (tag: EntityTag, end: Int)? {
        var index = start
        var isWeak = false
        if index + 1 < value.count, value[index] == UInt8(ascii: "W"), value[index + 1] == UInt8(ascii: "/") {
            isWeak = true
            index += 2
        }
        guard index < value.count, value[index] == UInt8(ascii: "\"") else { return nil }
        let opaqueStart = index + 1
        index = opaqueStart
        // A backslash is an ordinary byte here: entity tags have no escapes.
        while index < value.count, isTagByte(value[index]) { index += 1 }
        guard index < value.count, value[index] == UInt8(ascii: "\"") else { return nil }
        return (EntityTag(opaque: FieldList.bytes(opaqueStart..<index, of: value), isWeak: isWeak), index + 1)
    }

    private static func isTagByte(_ byte: UInt8) -> Bool {
        byte == 0x21 || (byte >= 0x23 && byte != 0x7F)
    }
}

/// What `If-None-Match` asks for.
///
/// Source: RFC 9110 §13.1.2.
public enum EntityTagCondition: Equatable, Sendable {
    /// `*`: any representation at all.
    case any
    /// The tags of the list; members that are no entity tags are left out, as nothing can match them.
    case tags([EntityTag])

    /// Reads the field value; several lines are to be joined with commas first.
    public init(parsing value: Span<UInt8>) {
        let range = FieldList.trimmed(0..<value.count, in: value)
        if range.count == 1, value[range.lowerBound] == UInt8(ascii: "*") {
            self = .any
            return
        }
        var tags: [EntityTag] = []
        var index = 0
        while index < value.count {
            if FieldList.isWhitespace(value[index]) || value[index] == UInt8(ascii: ",") {
                index += 1
            } else if let (tag, end) = EntityTag.read(in: value, from: index), Self.isMemberEnd(end, in: value) {
                tags.append(tag)
                index = end
            } else {
                while index < value.count, value[index] != UInt8(ascii: ",") { index += 1 }
            }
        }
        self = .tags(tags)
    }

    /// Whether the representation with this tag is meant, by weak comparison.
    public func matchesWeakly(_ tag: EntityTag?) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags):
            if let tag { tags.contains { $0.matchesWeakly(tag) } } else { false }
        }
    }

    private static func isMemberEnd(_ end: Int, in value: Span<UInt8>) -> Bool {
        end == value.count || value[end] == UInt8(ascii: ",") || FieldList.isWhitespace(value[end])
    }
}
