extension OptionKind {
    /// A text that a type knows how to read.
    ///
    /// - Parameters:
    ///   - type: the kind's name.
    ///   - expected: what an error message says.
    ///   - parse: nil when the text will not do.
    ///   - text: writes it back.
    ///   - advice: what an error message says instead, for a text that shows what was meant.
    static func parsed(
        _ type: String, expected: String, _ parse: @escaping @Sendable (String) -> Value?,
        text: @escaping @Sendable (Value) -> String, advice: @escaping @Sendable (String) -> String? = { _ in nil }
    ) -> Self {
        Self(
            type: type, expected: expected,
            read: { (setting) throws(ReadProblem) in
                guard case .string(let written) = setting else {
                    throw ReadProblem(reason: .wrongType, found: setting.found, expected: expected)
                }
                guard let value = parse(written) else {
                    throw ReadProblem(
                        reason: .badValue, found: setting.found, expected: advice(written) ?? expected)
                }
                return value
            },
            fromText: { .string($0) },
            write: { .string(text($0)) })
    }

    /// `null` stands for a value of its own, else as `kind`.
    static func nullable(_ kind: Self, null value: @escaping @autoclosure @Sendable () -> Value) -> Self {
        Self(
            type: kind.type, bounds: kind.bounds, unit: kind.unit, expected: kind.expected + ", or null",
            read: { (setting) throws(ReadProblem) in setting == .null ? value() : try kind.read(setting) },
            fromText: { $0 == "null" ? .null : kind.fromText($0) },
            write: kind.write)
    }
}

extension OptionKind where Value == String {
    /// A text of printable characters, at least one.
    static func text(_ type: String, expected: String) -> Self {
        parsed(type, expected: expected, { isPrintable($0) ? $0 : nil }, text: { $0 })
    }

    /// An absolute or relative path.
    static var path: Self { text("path", expected: "a path") }

    /// A value that may stand in a header field.
    static var fieldValue: Self { text("text", expected: "a text of printable characters") }

    /// The name of a header field.
    ///
    /// Source: RFC 9110 section 5.6.2, `token`.
    static var fieldName: Self {
        parsed(
            "field name", expected: "the name of a header field",
            { name in !name.isEmpty && name.utf8.allSatisfy(isTokenByte) ? name : nil }, text: { $0 })
    }

    private static func isPrintable(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

extension OptionKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of a few words.
    static var choice: Self {
        let words = Value.allCases.map { Setting.quoted($0.rawValue) }
        let expected = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        return Self(
            type: words.joined(separator: ", "), expected: expected,
            read: { (setting) throws(ReadProblem) in
                guard case .string(let word) = setting else {
                    throw ReadProblem(reason: .wrongType, found: setting.found, expected: expected)
                }
                guard let value = Value(rawValue: word) else {
                    let nearest = Nearest.name(to: word, among: Value.allCases.map { $0.rawValue })
                    throw ReadProblem(
                        reason: .badValue, found: setting.found, expected: expected,
                        nearest: nearest.map(Setting.quoted))
                }
                return value
            },
            fromText: { .string($0) },
            write: { .string($0.rawValue) })
    }
}

extension OptionKind where Value == ListenAddress {
    /// A TCP address or Unix socket.
    static var address: Self {
        parsed(
            "address",
            expected: "\"host:port\", \"[v6]:port\" or \"unix:/path\", host being an IP address or localhost",
            { ListenAddress($0) }, text: { $0.description })
    }
}

extension OptionKind where Value == AddressRange {
    /// A network.
    static var network: Self {
        parsed(
            "network", expected: "a network such as \"10.0.0.0/8\" or \"fd00::/8\", no bits behind the prefix",
            { AddressRange($0) }, text: { $0.description })
    }
}

extension OptionKind where Value == IPLiteral {
    /// An IP address.
    static var ipAddress: Self {
        parsed("IP address", expected: "an IP address", { IPLiteral($0) }, text: { $0.description })
    }
}

extension OptionKind where Value == HostPattern {
    /// A host or `*.` and a host.
    static var host: Self {
        parsed(
            "host", expected: "a host such as \"images.example.com\", or \"*.example.com\" for all below it",
            { HostPattern($0) }, text: { $0.description },
            advice: { text in
                guard text.utf8.contains(where: { $0 >= 0x80 }) else { return nil }
                return "the host in ASCII, each part of it that is beyond ASCII in its xn-- form: "
                    + "\"xn--bcher-kva.example\" for \"bücher.example\""
            })
    }
}

extension OptionKind where Value == MediaRange {
    /// A content type.
    static var mediaRange: Self {
        parsed(
            "content type", expected: "a content type such as \"image/png\", \"image/*\" or \"*/*\"",
            { MediaRange($0) }, text: { $0.description })
    }
}

extension OptionKind where Value == UInt32 {
    /// A file mode in octal.
    static var fileMode: Self {
        parsed(
            "file mode", expected: "a file mode in octal, such as \"0660\", at most \"0777\"",
            { text in
                guard (3...4).contains(text.utf8.count), Decimal.parse(text) != nil, let mode = UInt32(text, radix: 8)
                else { return nil }
                return mode <= 0o777 ? mode : nil
            },
            text: { mode in
                let digits = String(mode, radix: 8)
                return String(repeating: "0", count: max(4 - digits.count, 0)) + digits
            })
    }
}

extension OptionKind where Value == UInt16 {
    /// A port of origins.
    static var originPort: Self {
        let number = OptionKind<Int>.integer(1...65_535)
        return Self(
            type: "port", bounds: number.bounds, expected: number.expected,
            read: { (setting) throws(ReadProblem) in
                let port = UInt16(truncatingIfNeeded: try number.read(setting))
                guard !BlockedPorts.ports.contains(port) else {
                    throw ReadProblem(
                        reason: .badValue, found: "\(port), which the Fetch standard blocks in every URL",
                        expected: "a port that it does not block")
                }
                return port
            },
            fromText: number.fromText,
            write: { .integer(Int($0)) })
    }
}
