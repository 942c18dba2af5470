extension IPAddress: CustomStringConvertible {
    /// Reads the strict text form: four decimal numbers without leading zeros, or IPv6 without zone and brackets.
    ///
    /// Source: RFC 3986, section 3.2.2 (`IPv4address`); RFC 4291, section 2.2.
    public init?(_ text: ArraySlice<UInt8>) {
        if text.contains(UInt8(ascii: ":")) {
            guard let groups = Self.groups(of: text) else { return nil }
            self = .v6(high: Self.half(groups[0..<4]), low: Self.half(groups[4..<8]))
        } else {
            guard let value = Self.dottedQuad(text) else { return nil }
            self = .v4(value)
        }
    }

    /// Reads the strict text form.
    public init?(_ text: String) { self.init(Array(text.utf8)[...]) }

    /// The canonical text form.
    ///
    /// Source: RFC 5952, sections 4 and 5: lower case, the longest run of zeros (two groups or more, the first of
    /// equals) shortened, IPv4-mapped addresses with a dotted tail.
    public var description: String {
        switch self {
        case .v4(let value): Self.dotted(value)
        case .v6(high: 0, let low) where low >> 32 == 0xFFFF:
            "::ffff:" + Self.dotted(UInt32(truncatingIfNeeded: low))
        case .v6(let high, let low): Self.text(of: Self.groups(of: high) + Self.groups(of: low))
        }
    }

    private static func dotted(_ value: UInt32) -> String {
        "\(value >> 24).\(value >> 16 & 0xFF).\(value >> 8 & 0xFF).\(value & 0xFF)"
    }

    private static func text(of groups: [UInt16]) -> String {
        let hex = groups.map { String($0, radix: 16) }
        guard let zeros = longestZeroRun(groups) else { return hex.joined(separator: ":") }
        return hex[..<zeros.lowerBound].joined(separator: ":") + "::" + hex[zeros.upperBound...].joined(separator: ":")
    }

    private static func longestZeroRun(_ groups: [UInt16]) -> Range<Int>? {
        var longest = 0..<0
        var start = 0
        for index in groups.indices {
            if groups[index] != 0 { start = index + 1 }
            if index + 1 - start > longest.count { longest = start..<(index + 1) }
        }
        return longest.count >= 2 ? longest : nil
    }

    private static func groups(of half: UInt64) -> [UInt16] {
        [48, 32, 16, 0].map { UInt16(truncatingIfNeeded: half >> UInt64($0)) }
    }

    private static func half(_ groups: ArraySlice<UInt16>) -> UInt64 {
        groups.reduce(0) { $0 << 16 | UInt64($1) }
    }

    /// The eight groups of an IPv6 text; nil when it is none.
    private static func groups(of text: ArraySlice<UInt8>) -> [UInt16]? {
        var groups: [UInt16] = []
        var gap: Int?
        var rest = text
        while !rest.isEmpty {
            if rest.starts(with: [colon, colon]) {
                guard gap == nil else { return nil }
                gap = groups.count
                rest = rest.dropFirst(2)
                continue
            }
            // A separator stands between groups, but not after the gap, which brought its own.
            if !groups.isEmpty, gap != groups.count {
                guard rest.first == colon, rest.count > 1 else { return nil }
                rest = rest.dropFirst()
            }
            let word = rest.prefix { $0 != colon }
            if word.contains(UInt8(ascii: ".")) {
                guard word.count == rest.count, let tail = dottedQuad(word) else { return nil }
                groups += [UInt16(truncatingIfNeeded: tail >> 16), UInt16(truncatingIfNeeded: tail)]
            } else {
                guard let group = group(word) else { return nil }
                groups.append(group)
            }
            rest = rest.dropFirst(word.count)
        }
        guard let gap else { return groups.count == 8 ? groups : nil }
        guard groups.count < 8 else { return nil }
        groups.insert(contentsOf: repeatElement(0, count: 8 - groups.count), at: gap)
        return groups
    }

    private static let colon = UInt8(ascii: ":")

    private static func group(_ word: ArraySlice<UInt8>) -> UInt16? {
        guard (1...4).contains(word.count), !word.contains(UInt8(ascii: "+")) else { return nil }
        return UInt16(String(decoding: word, as: UTF8.self), radix: 16)
    }

    private static func dottedQuad(_ text: ArraySlice<UInt8>) -> UInt32? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }),
                part.count == 1 || part.first != UInt8(ascii: "0"),
                let number = UInt8(String(decoding: part, as: UTF8.self))
            else { return nil }
            value = value << 8 | UInt32(number)
        }
        return value
    }
}
