import FoundationEssentials

/// A configuration file that has been read, but not understood.
public struct ConfigurationFile: Sendable, Equatable {
    /// The path, as messages name it.
    public let name: String
    /// Its bytes.
    public let bytes: [UInt8]

    /// Wraps text that is there already.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// Reads the file that the command line names, else the first of the usual places that is there.
    ///
    /// - Parameters:
    ///   - explicit: what `--config` says.
    ///   - candidates: the usual places.
    /// - Returns: nil when none is named and none is there.
    /// - Throws: when the file named is missing, or a file that is there cannot be read.
    public static func find(
        _ explicit: String?, candidates: [String] = DefaultPaths.configurationFiles
    ) throws(ConfigurationError) -> ConfigurationFile? {
        let path = explicit ?? candidates.first { FileManager.default.fileExists(atPath: $0) }
        guard let path else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            let isThere = FileManager.default.fileExists(atPath: path)
            throw ConfigurationError(problems: [
                ConfigurationProblem(
                    place: .file(path, nil), key: "", summary: "cannot read the configuration file",
                    found: isThere ? "a file or directory that this account may not read" : "no such file",
                    expected: "a readable JSON5 file")
            ])
        }
        return ConfigurationFile(name: path.hasPrefix("./") ? String(path.dropFirst(2)) : path, bytes: [UInt8](data))
    }
}

/// Everything that a configuration is made of, weakest first.
public struct ConfigurationSources: Sendable, Equatable {
    /// The file.
    public var file: ConfigurationFile?
    /// The process environment; only `IMAGESTORE_…` counts.
    public var environment: [String: String]
    /// The arguments of `--set`, in order.
    public var arguments: [String]

    /// Gathers sources.
    public init(file: ConfigurationFile? = nil, environment: [String: String] = [:], arguments: [String] = []) {
        self.file = file
        self.environment = environment
        self.arguments = arguments
    }
}
