/// What the program can be asked to do, in the order of `--help`.
public enum Command: String, Sendable, CaseIterable {
    /// Runs the service.
    case serve
    /// Prints the configuration in force.
    case checkConfig = "check-config"

    /// One line for the list of commands.
    var summary: String {
        switch self {
        case .serve: "run the service in the foreground"
        case .checkConfig: "print the configuration in force; exit 2 when it is bad"
        }
    }

    /// The flags it takes.
    var flags: [Flag] {
        switch self {
        case .serve: [.config, .set, .help]
        case .checkConfig: [.config, .set, .json, .help]
        }
    }

    /// What `--help` says about it.
    public var help: String {
        let usage = "usage: imagestore \(rawValue) " + flags.map { "[\($0.usage)]" }.joined(separator: " ")
        let keys = "Keys for --set, with their defaults ((R) needs a restart when it changes):\n" + Reference.helpText
        return "\(usage)\n\n\(Self.capitalized(summary)).\n\n" + Self.list(flags.map { ($0.usage, $0.meaning) }) + "\n"
            + keys
    }

    /// What `imagestore --help` says.
    public static var overview: String {
        """
        imagestore \(Version.current): an HTTP caching proxy for images

        usage: imagestore COMMAND [OPTIONS]

        Commands:
        \(list(Command.allCases.map { ($0.rawValue, $0.summary) }))
        Options:
        \(list([("--version", "print the version"), ("--help", "print this, or help on a command")]))
        Exit codes: 0 done, 1 failed, 2 usage or configuration.

        """
    }

    private static func list(_ rows: [(String, String)]) -> String {
        let width = (rows.map { $0.0.count }.max() ?? 0) + 2
        return rows.map { "  \($0)\(String(repeating: " ", count: width - $0.count))\($1)\n" }.joined()
    }

    private static func capitalized(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }
}

/// A flag of some command.
enum Flag: String, Sendable, CaseIterable {
    case config = "--config"
    case set = "--set"
    case json = "--json"
    case help = "--help"

    /// Whether a value follows.
    var takesValue: Bool { self == .config || self == .set }

    /// The flag with its value.
    var usage: String {
        switch self {
        case .config: "--config FILE"
        case .set: "--set KEY=VALUE"
        case .json, .help: rawValue
        }
    }

    /// One line for `--help`.
    var meaning: String {
        switch self {
        case .config: "the configuration file, instead of the usual places"
        case .set: "override one key; may be given several times"
        case .json: "print plain JSON"
        case .help: "print this"
        }
    }
}
