import HTTPMessages

/// Reduces `Accept` to the image types it names, so that the countless spellings of browsers make few variants.
enum AcceptReduction {
    /// The types that origins negotiate on, in the order in which they are sent.
    private static let types = [
        "image/avif", "image/webp", "image/jxl", "image/heic", "image/heif", "image/apng", "image/svg+xml",
        "image/png", "image/jpeg", "image/gif", "image/*",
    ].map { Array($0.utf8) }

    private static let everything = Array("*/*".utf8)

    /// The reduced value: the types of the table that the client takes, or `*/*` when it names none.
    ///
    /// Types with weight 0 are refused ones and count as not named; other weights are dropped.
    static func reduced(_ value: [UInt8]?) -> [UInt8] {
        guard let value else { return everything }
        var named: Set<[UInt8]> = []
        for member in FieldList.members(of: value.span) {
            guard let type = MediaType(parsing: member.span), !isRefused(type) else { continue }
            named.insert(type.essence)
        }
        let chosen = types.filter { named.contains($0) }
        guard !chosen.isEmpty else { return everything }
        return Array(chosen.joined(separator: Array(", ".utf8)))
    }

    /// Whether the weight is 0.
    ///
    /// Source: RFC 9110 §12.4.2.
    private static func isRefused(_ type: MediaType) -> Bool {
        guard let weight = type.parameters.first(where: { $0.name == [UInt8(ascii: "q")] }) else { return false }
        return !weight.value.isEmpty && weight.value.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }
    }
}
