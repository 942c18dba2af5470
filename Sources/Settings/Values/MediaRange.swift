/// A set of content types: `image/png`, `image/*`, `*/*`.
///
/// Source: RFC 9110 section 12.5.1, without parameters.
public struct MediaRange: Sendable, Hashable {
    /// The type, lower case, or `*`.
    public let type: String
    /// The subtype, lower case, or `*`.
    public let subtype: String

    /// Reads a range.
    ///
    /// - Returns: nil when it is not `type/subtype`, `type/*` or `*/*`.
    public init?(_ text: String) {
        let parts = text.lowercased().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0 == "*" || Self.isToken($0) }),
            parts[0] != "*" || parts[1] == "*"
        else { return nil }
        type = String(parts[0])
        subtype = String(parts[1])
    }

    /// Whether it stands for every type, which makes the service a plain caching proxy.
    public var isAnything: Bool { type == "*" }

    /// Whether a content type, lower case, falls under the range.
    public func contains(type: String, subtype: String) -> Bool {
        isAnything || (self.type == type && (self.subtype == "*" || self.subtype == subtype))
    }

    private static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (97...122).contains($0) || "!#$&^_.+-".utf8.contains($0)
            }
    }
}

extension MediaRange: CustomStringConvertible {
    /// The range as the configuration writes it.
    public var description: String { "\(type)/\(subtype)" }
}
