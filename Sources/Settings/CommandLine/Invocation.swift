/// What a command line asks for.
public enum Invocation: Sendable, Equatable {
    /// Run the service.
    case serve(ConfigurationRequest)
    /// Print the configuration.
    case checkConfig(ConfigurationRequest, SettingNotation)
    /// Print the version.
    case version
    /// Print help, on one command or all.
    case help(Command?)
    /// Print a file that is made from the option table; for `make docs`, and not in `--help`.
    case document(GeneratedFile)

    /// Reads arguments, the program's name left out.
    ///
    /// - Throws: when there is no such command or flag, or one lacks its value.
    public init(_ arguments: [String]) throws(UsageError) {
        guard let first = arguments.first else { throw UsageError(command: nil, text: "a command is missing") }
        let rest = Array(arguments.dropFirst())
        if first == "--help" || first == "-h" {
            self = .help(nil)
        } else if first == "--version" {
            self = .version
        } else if first == "document", let name = rest.first, let file = GeneratedFile(rawValue: name) {
            self = .document(file)
        } else if let command = Command(rawValue: first) {
            self = try Self.parse(command, rest)
        } else {
            let known = Command.allCases.map { $0.rawValue } + ["--help", "--version"]
            let kind = first.hasPrefix("-") ? "option" : "command"
            throw UsageError(
                command: nil, text: "unknown \(kind) `\(first)`", nearest: Nearest.name(to: first, among: known))
        }
    }

    private static func parse(_ command: Command, _ arguments: [String]) throws(UsageError) -> Invocation {
        var request = ConfigurationRequest()
        var notation = SettingNotation.json5
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let (flag, attached) = try flag(argument, of: command)
            switch flag {
            case .help: return .help(command)
            case .json: notation = .json
            case .config:
                guard request.file == nil else { throw UsageError(command: command, text: "--config is given twice") }
                request.file = try value(of: flag, attached, &rest, command)
            case .set: request.overrides.append(try value(of: flag, attached, &rest, command))
            }
        }
        switch command {
        case .serve: return .serve(request)
        case .checkConfig: return .checkConfig(request, notation)
        }
    }

    /// Splits `--config=file`.
    private static func flag(_ argument: String, of command: Command) throws(UsageError) -> (Flag, String?) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = argument == "-h" ? "--help" : String(parts[0])
        guard name.hasPrefix("-") else { throw UsageError(command: command, text: "unexpected argument `\(argument)`") }
        guard let flag = command.flags.first(where: { $0.rawValue == name }) else {
            let nearest = Nearest.name(to: name, among: command.flags.map { $0.rawValue })
            throw UsageError(command: command, text: "unknown option `\(name)`", nearest: nearest)
        }
        let attached = parts.count == 2 ? String(parts[1]) : nil
        guard attached == nil || flag.takesValue else {
            throw UsageError(command: command, text: "\(name) takes no value")
        }
        return (flag, attached)
    }

    private static func value(
        of flag: Flag, _ attached: String?, _ rest: inout ArraySlice<String>, _ command: Command
    ) throws(UsageError) -> String {
        guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
            throw UsageError(command: command, text: "\(flag.rawValue) needs a value: \(flag.usage)")
        }
        return value
    }
}

/// Which configuration a command line asks for.
public struct ConfigurationRequest: Sendable, Equatable {
    /// The file that `--config` names.
    public var file: String?
    /// The arguments of `--set`.
    public var overrides: [String] = []

    /// Nothing but the usual places.
    public init() {}

    /// Finds the file and reads everything.
    ///
    /// - Parameter environment: the process environment.
    /// - Throws: all problems found.
    public func load(environment: [String: String]) throws(ConfigurationError) -> Configuration {
        let found = try ConfigurationFile.find(file)
        return try Configuration.load(
            ConfigurationSources(file: found, environment: environment, arguments: overrides))
    }
}

/// Files that are made from the option table.
public enum GeneratedFile: String, Sendable, CaseIterable {
    /// `Docs/CONFIGURATION.md`.
    case page = "configuration"
    /// `config/imagestore.json5`.
    case sample

    /// The whole file.
    public var content: String {
        switch self {
        case .page: Reference.page
        case .sample: Reference.sampleFile
        }
    }
}

/// A command line that cannot be read.
public struct UsageError: Error, Equatable, CustomStringConvertible {
    /// The command, once it is known.
    public var command: Command?
    /// What is wrong.
    public var text: String
    /// What was probably meant.
    public var nearest: String?

    /// One line on what is wrong, one on where to read on.
    public var description: String {
        let guess = nearest.map { "; did you mean `\($0)`?" } ?? ""
        let help = "imagestore " + (command.map { "\($0.rawValue) " } ?? "") + "--help"
        return "\(text)\(guess)\nSee `\(help)`."
    }
}
