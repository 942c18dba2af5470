/// An IP address as text gives it; no names, no zone.
///
/// Source: RFC 4291 section 2.2 for IPv6 text; IPv4 is four decimal parts and nothing else, so that no two programs
/// read one text as two addresses (`010.0.0.1`, `0x7f.1`).
public enum IPLiteral: Sendable, Hashable {
    /// Four bytes.
    case v4([UInt8])
    /// Sixteen bytes.
    case v6([UInt8])

    /// Reads an address without brackets.
    ///
    /// - Returns: nil when the text is anything but one address.
    public init?(_ text: some StringProtocol) {
        if text.contains(":") {
            guard let bytes = Self.sixteen(String(text)) else { return nil }
            self = .v6(bytes)
        } else {
            guard let bytes = Self.four(String(text)) else { return nil }
            self = .v4(bytes)
        }
    }

    /// The address's bytes, four or sixteen, in network order.
    public var bytes: [UInt8] {
        switch self {
        case .v4(let bytes), .v6(let bytes): bytes
        }
    }

    /// Whether only this host can reach it: 127.0.0.0/8, ::1, and the former mapped into IPv6.
    public var isLoopback: Bool {
        switch self {
        case .v4(let bytes): bytes[0] == 127
        case .v6(let bytes):
            bytes == [UInt8](repeating: 0, count: 15) + [1]
                || (bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] && bytes[12] == 127)
        }
    }

    private static func four(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            guard part.utf8.count <= 3, part == "0" || !part.hasPrefix("0"), let value = Decimal.parse(part),
                value < 256
            else { return nil }
            bytes.append(UInt8(value))
        }
        return bytes
    }

    private static func sixteen(_ text: String) -> [UInt8]? {
        guard let gap = text.firstRange(of: "::") else {
            let bytes = groups(text[...])
            return bytes?.count == 16 ? bytes : nil
        }
        guard let head = groups(text[..<gap.lowerBound]), let tail = groups(text[gap.upperBound...]),
            !text[..<gap.lowerBound].contains("."), head.count + tail.count <= 14
        else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    /// Colon-separated groups; the last may be an IPv4 address.
    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(".") {
                guard let tail = four(String(part)) else { return nil }
                bytes += tail
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ isHexDigit($0) }),
                    let value = UInt16(part, radix: 16)
                else { return nil }
                bytes += [UInt8(value >> 8), UInt8(value & 0xFF)]
            }
        }
        return bytes
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
    }
}

extension IPLiteral: CustomStringConvertible {
    /// The address in text; IPv6 shortened as RFC 5952 says.
    public var description: String {
        switch self {
        case .v4(let bytes): bytes.map { String($0) }.joined(separator: ".")
        case .v6(let bytes): Self.shortened((0..<8).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) })
        }
    }

    private static func shortened(_ groups: [UInt16]) -> String {
        var longest = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, groups[end] == 0 { end += 1 }
            if end - start > longest.count { longest = start..<end }
            start = max(end, start + 1)
        }
        func text(_ part: ArraySlice<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard longest.count >= 2 else { return text(groups[...]) }
        return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
    }
}
