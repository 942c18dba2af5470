extension TargetURL {
    /// Resolves the `Location` of a redirect against this URL; the result goes through every rule of a URL of its own.
    ///
    /// The reference is joined here and not by libcurl, whose joining takes `http:/b` for an absolute URL.
    ///
    /// Source: RFC 3986, section 5.2.2. A fragment is dropped, since nothing of it reaches an origin.
    /// - Throws: `.empty` for a location that says nothing, else the rule that the joined URL breaks.
    public func resolving(location: Span<UInt8>, maxLength: Int = 8192) throws(TargetURLError) -> TargetURL {
        guard let first = location.isEmpty ? nil : location[0] else { throw .empty }
        guard location.count <= maxLength else { throw .tooLong }
        var joined: [UInt8] = []
        if !Self.hasScheme(location) { joined = base(for: first, location) }
        for index in location.indices { joined.append(location[index]) }
        // Joining may exceed the limit by the base; `parse` judges the final length again.
        return try Self.parse(decoded: joined.span, maxLength: maxLength)
    }

    /// What stands before a reference without scheme.
    private func base(for first: UInt8, _ location: Span<UInt8>) -> [UInt8] {
        switch first {
        case UInt8(ascii: "/") where location.count > 1 && location[1] == UInt8(ascii: "/"):
            return Array(scheme.prefix.description.utf8.dropLast(2))
        case UInt8(ascii: "/"):
            return origin
        case UInt8(ascii: "?"), UInt8(ascii: "#"):
            let end = first == UInt8(ascii: "?") ? pathEnd : bytes.endIndex
            return Array(bytes[..<end])
        default:
            let slash = bytes[pathStart..<pathEnd].lastIndex(of: UInt8(ascii: "/")) ?? pathStart
            return Array(bytes[...slash])
        }
    }

    private var pathEnd: Int { bytes[pathStart...].firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex }

    /// Source: RFC 3986, section 3.1: a letter, then letters, digits, `+`, `-`, `.`, then a colon.
    private static func hasScheme(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            switch lowercased(text[index]) {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): continue
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                if index == 0 { return false }
            case UInt8(ascii: ":"): return index > 0
            default: return false
            }
        }
        return false
    }
}
