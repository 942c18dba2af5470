/// How one kind of value is read, written and described.
///
/// The option table pairs a kind with a property of `Configuration`; everything that the program says about the value
/// (validation, help, documentation) comes from here.
struct OptionKind<Value: Sendable & Equatable>: Sendable {
    /// The kind's name in help and documentation.
    let type: String
    /// The bounds in words, where there are any.
    var bounds: String?
    /// The unit of a bare number, where there is one.
    var unit: String?
    /// What an error message says was expected.
    let expected: String
    /// Reads a value from the file.
    let read: @Sendable (Setting) throws(ReadProblem) -> Value
    /// Turns the text of an environment variable or `--set` into what the file would hold.
    let fromText: @Sendable (String) -> Setting
    /// Writes a value as the file would.
    let write: @Sendable (Value) -> Setting

    /// The problem that a value of another type is.
    func wrongType(_ setting: Setting) -> ReadProblem {
        ReadProblem(reason: .wrongType, found: setting.found, expected: expected)
    }
}

extension OptionKind where Value == Bool {
    /// `true` or `false`.
    static var flag: Self {
        let expected = "true or false"
        return Self(
            type: "flag", expected: expected,
            read: { (setting) throws(ReadProblem) in
                guard case .bool(let value) = setting else {
                    throw ReadProblem(reason: .wrongType, found: setting.found, expected: expected)
                }
                return value
            },
            fromText: { $0 == "true" ? .bool(true) : $0 == "false" ? .bool(false) : .string($0) },
            write: { .bool($0) })
    }
}

extension OptionKind where Value == Int {
    /// A whole number.
    static func integer(_ range: ClosedRange<Int>, unit: String? = nil) -> Self {
        let bounds = "\(range.lowerBound) to \(range.upperBound)"
        let expected = "a whole number from \(bounds)"
        return Self(
            type: "number", bounds: bounds, unit: unit, expected: expected,
            read: { (setting) throws(ReadProblem) in
                guard case .integer(let value) = setting else {
                    throw ReadProblem(reason: .wrongType, found: setting.found, expected: expected)
                }
                guard range.contains(value) else {
                    throw ReadProblem(reason: .outOfBounds, found: setting.found, expected: expected)
                }
                return value
            },
            fromText: { text in Int(text).map { .integer($0) } ?? .string(text) },
            write: { .integer($0) })
    }

    /// Bytes, or a text with a unit.
    static func size(_ range: ClosedRange<Int>) -> Self {
        let bounds = "\(ByteSize.text(range.lowerBound)) to \(ByteSize.text(range.upperBound))"
        let expected = "a size from \(bounds): bytes, or \"200MB\" (10^6), \"200MiB\" (2^20)"
        return Self(
            type: "size", bounds: bounds, unit: "bytes", expected: expected,
            read: { (setting) throws(ReadProblem) in
                let bytes: Int?
                switch setting {
                case .integer(let value): bytes = value
                case .string(let text): bytes = ByteSize.parse(text)
                default: throw ReadProblem(reason: .wrongType, found: setting.found, expected: expected)
                }
                guard let bytes else { throw ReadProblem(reason: .badValue, found: setting.found, expected: expected) }
                guard range.contains(bytes) else {
                    throw ReadProblem(reason: .outOfBounds, found: setting.found, expected: expected)
                }
                return bytes
            },
            fromText: { text in Int(text).map { .integer($0) } ?? .string(text) },
            write: { ByteSize.render($0) })
    }
}

extension OptionKind where Value == Double {
    /// A number, fractions included.
    static func fraction(_ range: ClosedRange<Int>) -> Self {
        let bounds = "\(range.lowerBound) to \(range.upperBound)"
        let expected = "a number from \(bounds)"
        return Self(
            type: "number", bounds: bounds, expected: expected,
            read: { (setting) throws(ReadProblem) in
                let value: Double
                switch setting {
                case .integer(let whole): value = Double(whole)
                case .number(let number): value = number
                default: throw ReadProblem(reason: .wrongType, found: setting.found, expected: expected)
                }
                guard value >= Double(range.lowerBound), value <= Double(range.upperBound) else {
                    throw ReadProblem(reason: .outOfBounds, found: setting.found, expected: expected)
                }
                return value
            },
            fromText: { text in Double(text).map { .number($0) } ?? .string(text) },
            write: { value in Int(exactly: value).map { .integer($0) } ?? .number(value) })
    }
}

extension OptionKind where Value == Duration {
    /// A text such as `"30s"`.
    static func duration(_ range: ClosedRange<Duration>) -> Self {
        let bounds = "\(TimeSpan.text(range.lowerBound)) to \(TimeSpan.text(range.upperBound))"
        let expected = "a duration from \(bounds), such as \"500ms\", \"30s\", \"5m\", \"1h\", \"7d\""
        return Self(
            type: "duration", bounds: bounds, expected: expected,
            read: { (setting) throws(ReadProblem) in
                guard case .string(let text) = setting else {
                    throw ReadProblem(reason: .wrongType, found: setting.found, expected: expected)
                }
                guard let value = TimeSpan.parse(text) else {
                    throw ReadProblem(reason: .badValue, found: setting.found, expected: expected)
                }
                guard range.contains(value) else {
                    throw ReadProblem(reason: .outOfBounds, found: setting.found, expected: expected)
                }
                return value
            },
            fromText: { .string($0) },
            write: { .string(TimeSpan.text($0)) })
    }
}
