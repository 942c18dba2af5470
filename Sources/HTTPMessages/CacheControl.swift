/// The grammar of `Cache-Control`, of requests and responses alike.
///
/// It knows directives, not their meaning. A directive with broken syntax is still reported under the name it begins
/// with, so that a caller can treat it as what it tried to be.
///
/// Source: RFC 9111 §5.2.
public enum CacheControl {
    /// The greatest number of seconds a directive can mean.
    ///
    /// Source: RFC 9111 §1.2.2: a recipient that cannot represent a value takes it as 2^31.
    public static let greatestDeltaSeconds: Int64 = 2_147_483_648

    /// One directive of the list.
    public struct Directive: Sendable, Equatable {
        /// The name in lower case.
        public let name: [UInt8]
        /// What follows the `=`, unquoted; nil when there is no `=`.
        public let argument: [UInt8]?
        /// Whether the whole member follows the grammar `token [ "=" ( token / quoted-string ) ]`.
        public let isWellFormed: Bool

        /// Makes a directive from its parts.
        public init(name: [UInt8], argument: [UInt8]?, isWellFormed: Bool) {
            self.name = name
            self.argument = argument
            self.isWellFormed = isWellFormed
        }

        /// Whether the name is `text`, which has to be lower case.
        public func isNamed(_ text: StaticString) -> Bool {
            "\(text)".utf8.elementsEqual(name)
        }

        /// The argument as seconds; nil when there is none, or it is not a non-negative integer.
        public var deltaSeconds: Int64? {
            guard isWellFormed, let argument else { return nil }
            return CacheControl.deltaSeconds(argument.span)
        }
    }

    /// The directives of a field value, in order, duplicates included.
    ///
    /// Several field lines are to be joined with commas first. Cost: allocates for each directive.
    public static func directives(in value: Span<UInt8>) -> [Directive] {
        var result: [Directive] = []
        FieldList.forEachMember(in: value) { member in
            if let directive = directive(in: value, at: member) { result.append(directive) }
        }
        return result
    }

    /// Reads a non-negative integer of seconds; nil for a sign, a fraction, anything else, or no digit at all.
    ///
    /// Source: RFC 9111 §1.2.2.
    public static func deltaSeconds(_ value: Span<UInt8>) -> Int64? {
        guard !value.isEmpty else { return nil }
        var result: Int64 = 0
        for index in value.indices {
            let digit = value[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            result = min(result * 10 + Int64(digit), greatestDeltaSeconds)
        }
        return result
    }

    private static func directive(in value: Span<UInt8>, at member: Range<Int>) -> Directive? {
        var nameEnd = member.lowerBound
        while nameEnd < member.upperBound, FieldList.isTokenByte(value[nameEnd]) { nameEnd += 1 }
        guard nameEnd > member.lowerBound else { return nil }
        let name = FieldList.bytes(member.lowerBound..<nameEnd, of: value).map(FieldList.lowercased)
        guard nameEnd < member.upperBound else { return Directive(name: name, argument: nil, isWellFormed: true) }
        guard value[nameEnd] == UInt8(ascii: "=") else {
            return Directive(name: name, argument: nil, isWellFormed: false)
        }
        let argument = argument(in: value, at: nameEnd + 1..<member.upperBound)
        return Directive(name: name, argument: argument ?? [], isWellFormed: argument != nil)
    }

    /// The token or the unquoted quoted string that fills the range; nil when neither does.
    private static func argument(in value: Span<UInt8>, at range: Range<Int>) -> [UInt8]? {
        guard let first = range.first else { return nil }
        guard value[first] == UInt8(ascii: "\"") else {
            guard range.allSatisfy({ FieldList.isTokenByte(value[$0]) }) else { return nil }
            return FieldList.bytes(range, of: value)
        }
        guard FieldList.quotedStringEnd(in: value, from: first) == range.upperBound else { return nil }
        var result: [UInt8] = []
        var index = first + 1
        while index < range.upperBound - 1 {
            if value[index] == UInt8(ascii: "\\") { index += 1 }
            result.append(value[index])
            index += 1
        }
        return result
    }
}
