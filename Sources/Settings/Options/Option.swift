/// Whether this version acts on an option.
public enum Availability: Sendable, Equatable {
    /// It does.
    case inForce
    /// It does not yet: any value but the default is refused.
    case notYet
}

/// One row of the option table.
public struct Option: Sendable {
    /// The key, dotted where it is nested.
    public let name: String
    /// The kind of value, in words.
    public let type: String
    /// The bounds, in words.
    public let bounds: String?
    /// The unit of a bare number.
    public let unit: String?
    /// What it does, in one sentence.
    public let meaning: String
    /// Whether a change needs a restart.
    public let needsRestart: Bool
    /// Whether this version acts on it.
    public let availability: Availability
    /// Whether its value is left out of logs, messages and the printed configuration.
    public let isSecret: Bool
    /// The default as documentation and the sample file give it.
    public let documentedDefault: Setting

    /// Reads a value into a configuration.
    let apply: @Sendable (Setting, inout Configuration) throws(ReadProblem) -> Void
    /// Turns the text of an environment variable or `--set` into what the file would hold.
    let fromText: @Sendable (String) -> Setting
    /// The option's value in a configuration, as the file would hold it.
    let value: @Sendable (Configuration) -> Setting

    /// Pairs a property with its kind.
    ///
    /// - Parameters:
    ///   - name: the key.
    ///   - property: where its value is kept.
    ///   - kind: how it is read and written.
    ///   - meaning: one sentence.
    ///   - needsRestart: whether a change needs a restart.
    ///   - availability: whether this version acts on it.
    ///   - isSecret: whether its value is never shown.
    ///   - documentedDefault: the default in documentation, where it depends on the process.
    init<Value>(
        _ name: String, _ property: any WritableKeyPath<Configuration, Value> & Sendable, _ kind: OptionKind<Value>,
        _ meaning: String, needsRestart: Bool = false, availability: Availability = .inForce, isSecret: Bool = false,
        documentedDefault: Setting? = nil
    ) {
        self.name = name
        type = kind.type
        bounds = kind.bounds
        unit = kind.unit
        self.meaning = meaning
        self.needsRestart = needsRestart
        self.availability = availability
        self.isSecret = isSecret
        self.documentedDefault = documentedDefault ?? kind.write(Configuration()[keyPath: property])
        apply = { (setting, configuration) throws(ReadProblem) in
            configuration[keyPath: property] = try kind.read(setting)
        }
        fromText = kind.fromText
        value = { kind.write($0[keyPath: property]) }
    }

    /// Pairs a property that may be nil with its kind; `null` in the file is nil.
    init<Value>(
        _ name: String, _ property: any WritableKeyPath<Configuration, Value?> & Sendable,
        optional kind: OptionKind<Value>,
        _ meaning: String, needsRestart: Bool = false, availability: Availability = .inForce, isSecret: Bool = false
    ) {
        let expected = kind.expected + ", or null"
        let wrapped = OptionKind<Value?>(
            type: kind.type, bounds: kind.bounds, unit: kind.unit, expected: expected,
            read: { (setting) throws(ReadProblem) in setting == .null ? nil : try kind.read(setting) },
            fromText: { $0 == "null" ? .null : kind.fromText($0) },
            write: { value in value.map { kind.write($0) } ?? .null })
        self.init(
            name, property, wrapped, meaning, needsRestart: needsRestart, availability: availability, isSecret: isSecret
        )
    }

    /// The environment variable that sets it: `freshness.defaultTTL` is `IMAGESTORE_FRESHNESS__DEFAULT_TTL`.
    public var environmentName: String {
        EnvironmentNames.variable(name)
    }
}

/// How keys become environment variables.
enum EnvironmentNames {
    /// What all of ours begin with.
    static let prefix = "IMAGESTORE_"

    /// The variable of a key or group.
    static func variable(_ name: String) -> String {
        prefix + name.split(separator: ".").map { upperSnake(String($0)) }.joined(separator: "__")
    }

    /// `maxURLLength` is `MAX_URL_LENGTH`: a word begins at a capital after a small letter or digit, and at the last
    /// capital of a run that a small letter follows.
    static func upperSnake(_ name: String) -> String {
        let letters = Array(name)
        var result = ""
        for (index, letter) in letters.enumerated() {
            if index > 0, letter.isUppercase {
                let previous = letters[index - 1]
                let next = index + 1 < letters.count ? letters[index + 1] : nil
                if !previous.isUppercase || (next?.isLowercase ?? false) { result.append("_") }
            }
            result += letter.uppercased()
        }
        return result
    }
}
