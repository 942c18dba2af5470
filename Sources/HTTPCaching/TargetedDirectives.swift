import HTTPMessages

/// Reads a targeted cache field such as `CDN-Cache-Control`: a dictionary structured field, parsed strictly.
///
/// A field that does not parse, is empty, or gives a known directive a value of the wrong type is as if it were not
/// there, so that `Cache-Control` decides.
///
/// Source: RFC 9213 §2.1, RFC 8941 §4.2.2.
enum TargetedDirectives {
    /// The directives, or nil when the field is to be ignored.
    static func directives(in value: Span<UInt8>) -> [CacheControl.Directive]? {
        var parser = DictionaryParser(value)
        guard let members = parser.members(), !members.isEmpty else { return nil }
        var result: [CacheControl.Directive] = []
        for member in members {
            guard isAllowed(member.value, for: member.key) else { return nil }
            if let directive = directive(member) { result.append(directive) }
        }
        return result
    }

    private static func directive(_ member: DictionaryMember) -> CacheControl.Directive? {
        switch member.value {
        case .boolean(false):
            nil
        case .boolean(true), .other:
            CacheControl.Directive(name: member.key, argument: nil, isWellFormed: true)
        case .integer(let digits), .string(let digits):
            CacheControl.Directive(name: member.key, argument: digits, isWellFormed: true)
        }
    }

    private static func isAllowed(_ value: DictionaryValue, for key: [UInt8]) -> Bool {
        switch String(decoding: key, as: UTF8.self) {
        case "max-age", "s-maxage", "stale-while-revalidate", "stale-if-error":
            if case .integer = value { true } else { false }
        case "no-store", "must-revalidate", "proxy-revalidate", "public", "must-understand", "no-transform",
            "immutable":
            if case .boolean = value { true } else { false }
        case "no-cache", "private":
            switch value {
            case .boolean, .string: true
            case .integer, .other: false
            }
        default:
            true
        }
    }
}

/// A member of a dictionary structured field, parameters left out.
struct DictionaryMember: Equatable {
    /// The key.
    var key: [UInt8]
    /// The value; true when none is written.
    var value: DictionaryValue
}

/// The value of a dictionary member, as far as caching directives need it.
enum DictionaryValue: Equatable {
    /// An integer, as written.
    case integer([UInt8])
    /// A string, unquoted.
    case string([UInt8])
    /// A truth value.
    case boolean(Bool)
    /// A decimal, a token, a byte sequence or an inner list.
    case other
}
