/// A host in canonical spelling: a lower-case ASCII name without trailing dot, or an address.
///
/// The rules are narrower than libcurl's on purpose: what passes here reads the same to every parser.
struct TargetURLHost {
    /// The host as it stands in a URL, brackets included.
    let text: [UInt8]
    /// The address, when the host is one.
    let address: IPAddress?

    /// The longest name that DNS carries, in text form.
    ///
    /// Source: RFC 1035, section 2.3.4.
    private static let maxNameBytes = 253
    /// The longest label.
    ///
    /// Source: RFC 1035, section 2.3.4.
    private static let maxLabelBytes = 63

    /// Normalises a host that libcurl split off and wrote in ASCII.
    init(_ raw: [UInt8]) throws(TargetURLError) {
        if raw.first == UInt8(ascii: "[") {
            guard raw.last == UInt8(ascii: "]"), raw.count > 2,
                case .some(let parsed) = IPAddress(raw[1..<(raw.count - 1)]), case .v6 = parsed
            else { throw .badHost }
            address = parsed
            text = [UInt8(ascii: "[")] + Array(parsed.description.utf8) + [UInt8(ascii: "]")]
            return
        }
        var name = raw.map(TargetURL.lowercased)
        if name.last == UInt8(ascii: ".") { name.removeLast() }
        try Self.requireName(name)
        address = IPAddress(name[...])
        text = name
    }

    /// Requires labels of letters, digits, `-` and `_`, none of them empty.
    private static func requireName(_ name: [UInt8]) throws(TargetURLError) {
        guard !name.isEmpty, name.count <= maxNameBytes else { throw .badHost }
        for label in name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard !label.isEmpty, label.count <= maxLabelBytes, label.allSatisfy(isNameByte) else { throw .badHost }
        }
    }

    /// True for a name that ends in a number and yet is no address, such as `256.0.0.1` or `0x`.
    ///
    /// Resolvers differ on these: some read an address out of them. Only a host that stands still is asked, since
    /// libcurl turns `127.1` and its kind into addresses first.
    ///
    /// Source: WHATWG URL, "ends in a number checker".
    var endsInNumber: Bool {
        guard address == nil, let last = text.split(separator: UInt8(ascii: ".")).last else { return false }
        if last.allSatisfy(Self.isDigit) { return true }
        guard last.starts(with: [UInt8(ascii: "0"), UInt8(ascii: "x")]) else { return false }
        return last.dropFirst(2).allSatisfy { Self.isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
