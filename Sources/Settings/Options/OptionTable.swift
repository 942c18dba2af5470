/// The one table of everything that can be configured.
///
/// Validation, `--help`, `config/imagestore.json5` and `Docs/CONFIGURATION.md` are all made from it. To put an option
/// in force, remove `availability: .notYet` from its row and run `make docs`.
public enum OptionTable {
    /// Options that belong together.
    public struct Section: Sendable {
        /// The heading.
        public let title: String
        /// Its options.
        public let options: [Option]
    }

    /// All sections, in the order of the documentation.
    public static let sections: [Section] = [
        Section(title: "Listening", options: listening),
        Section(title: "Tiers and budgets", options: budgets),
        Section(title: "Clients", options: clients),
        Section(title: "Downloads", options: downloads),
        Section(title: "Freshness", options: freshness),
        Section(title: "Remembered failures", options: negative),
        Section(title: "What may be fetched", options: targets),
        Section(title: "Origins", options: origins),
        Section(title: "Answers", options: answers),
        Section(title: "Access", options: access),
        Section(title: "Logs", options: logs),
    ]

    /// All options.
    public static let options: [Option] = sections.flatMap { $0.options }

    /// Options by name.
    static let byName: [String: Option] = Dictionary(options.map { ($0.name, $0) }) { first, _ in first }

    /// Options by environment variable.
    static let byEnvironmentName: [String: Option] =
        Dictionary(options.map { ($0.environmentName, $0) }) { first, _ in first }

    /// The keys of one of `groups`, as they stand in its object.
    static func keys(ofGroup group: String) -> [String] {
        options.filter { $0.name.hasPrefix(group + ".") }.map { String($0.name.dropFirst(group.count + 1)) }
    }

    /// Names of objects that hold options, such as `freshness`.
    static let groups: Set<String> = Set(
        options.compactMap { $0.name.split(separator: ".").dropLast().first.map(String.init) })
}
