import Settings

/// Loads a configuration from text, as the tests write it.
func load(
    _ text: String? = nil, environment: [String: String] = [:], set: [String] = []
) throws(ConfigurationError) -> Configuration {
    let file = text.map { ConfigurationFile(name: "test.json5", bytes: Array($0.utf8)) }
    return try Configuration.load(ConfigurationSources(file: file, environment: environment, arguments: set))
}

/// What an operator reads about a bad configuration; empty for a good one.
func complaint(_ text: String? = nil, environment: [String: String] = [:], set: [String] = []) -> String {
    do throws(ConfigurationError) {
        _ = try load(text, environment: environment, set: set)
        return ""
    } catch {
        return error.description
    }
}
