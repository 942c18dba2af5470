/// One thing that is wrong with a configuration.
public struct ConfigurationProblem: Sendable, Equatable {
    /// Where a value came from.
    public enum Place: Sendable, Hashable {
        /// A file, and where in it, if that is known.
        case file(String, Position?)
        /// An environment variable.
        case environment(String)
        /// `--set`, as typed.
        case argument(String)
        /// No one wrote it: it follows from defaults.
        case defaults
    }

    /// Where it stands.
    public let place: Place
    /// The option, or the key that is none; empty for syntax errors.
    public let key: String
    /// What is wrong, in a few words.
    public let summary: String
    /// What stands there.
    public var found: String?
    /// What should.
    public var expected: String?
    /// What was probably meant.
    public var nearest: String?
}

extension ConfigurationProblem: CustomStringConvertible {
    /// The block that an operator reads.
    public var description: String {
        var lines = ["\(place): " + (key.isEmpty ? "" : "\(key): ") + summary]
        if let found { lines.append("    found:    \(found)") }
        if let expected { lines.append("    expected: \(expected)") }
        if let nearest { lines.append("    nearest:  \(nearest)") }
        return lines.joined(separator: "\n")
    }
}

extension ConfigurationProblem.Place: CustomStringConvertible {
    /// The place as a compiler writes it.
    public var description: String {
        switch self {
        case .file(let name, let position): position.map { "\(name):\($0)" } ?? name
        case .environment(let name): "environment \(name)"
        case .argument: "--set"
        case .defaults: "configuration"
        }
    }
}

/// Everything that is wrong with a configuration, in the order of the sources.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// At least one.
    public let problems: [ConfigurationProblem]

    /// The blocks, one below the other.
    public var description: String {
        problems.map { $0.description }.joined(separator: "\n")
    }
}
