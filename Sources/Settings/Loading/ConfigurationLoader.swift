/// Puts a configuration together: defaults, then the file, then the environment, then `--set`.
///
/// It goes on after a problem, so that an operator sees all of them at once.
struct ConfigurationLoader {
    /// What has been read so far.
    private(set) var configuration = Configuration()
    /// What is wrong so far.
    private(set) var problems: [ConfigurationProblem] = []
    /// Who wrote each option last.
    private(set) var places: [String: ConfigurationProblem.Place] = [:]
    /// Options with a problem; checks across options leave them alone.
    private var broken: Set<String> = []

    /// Reads all sources.
    ///
    /// - Throws: all problems, when there are any.
    static func load(_ sources: ConfigurationSources) throws(ConfigurationError) -> Configuration {
        var loader = ConfigurationLoader()
        if let file = sources.file { loader.read(file) }
        loader.read(environment: sources.environment)
        for argument in sources.arguments { loader.read(argument: argument) }
        loader.checkContradictions()
        loader.checkFiles()
        guard loader.problems.isEmpty else { throw ConfigurationError(problems: loader.problems) }
        return loader.configuration
    }

    // MARK: Sources

    private mutating func read(_ file: ConfigurationFile) {
        guard let text = String(validating: file.bytes, as: UTF8.self) else {
            report(.file(file.name, nil), "", "not UTF-8", expected: "JSON5 in UTF-8")
            return
        }
        let map: JSON5Scanner.Map
        do throws(JSON5Scanner.SyntaxError) {
            map = try JSON5Scanner.scan(text)
        } catch {
            let place = ConfigurationProblem.Place.file(file.name, error.position)
            report(place, "", "syntax error", found: error.found, expected: error.expected)
            return
        }
        for duplicate in map.duplicates {
            let first = map.keys[duplicate.path].map { "the first is at \($0)" }
            report(
                .file(file.name, duplicate.position), duplicate.path.description, "duplicate key",
                found: first, expected: "each key once")
        }
        do {
            read(try Setting(json5: text), FileMap(name: file.name, map: map))
            sortByPosition()
        } catch {
            report(.file(file.name, DecoderErrors.position(error)), "", "not JSON5", found: DecoderErrors.text(error))
        }
    }

    private mutating func read(environment: [String: String]) {
        for (name, text) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix(EnvironmentNames.prefix) {
            let place = ConfigurationProblem.Place.environment(name)
            guard let option = OptionTable.byEnvironmentName[name] else {
                if let group = OptionTable.groups.first(where: { EnvironmentNames.variable($0) == name }) {
                    reportWhole(group, place, text) { EnvironmentNames.variable($0) }
                    continue
                }
                report(
                    place, "", "unknown variable", expected: "a variable that an option is named by",
                    nearest: Nearest.name(to: name, among: OptionTable.options.map { $0.environmentName }))
                continue
            }
            assign(option.fromText(text), to: option) { _, _ in place }
        }
    }

    private mutating func read(argument: String) {
        let place = ConfigurationProblem.Place.argument(argument)
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else {
            report(place, "", "bad argument", found: Setting.quoted(argument), expected: "key=value")
            return
        }
        let name = String(argument[..<equals])
        let text = String(argument[argument.index(after: equals)...])
        guard let option = OptionTable.byName[name] else {
            if OptionTable.groups.contains(name) {
                reportWhole(name, place, text) { $0 }
            } else {
                reportUnknown(place, SettingPath(dotted: name))
            }
            return
        }
        assign(option.fromText(text), to: option) { _, _ in place }
    }

    // MARK: The tree of a file

    private mutating func read(_ root: Setting, _ file: FileMap) {
        guard case .object(let members) = root else {
            report(file.place(of: SettingPath()), "", "wrong type", found: root.found, expected: "an object {…}")
            return
        }
        read(members, at: SettingPath(), file)
    }

    private mutating func read(_ members: [String: Setting], at path: SettingPath, _ file: FileMap) {
        let inOrder = members.map { (path.appending(.key($0.key)), $0.key, $0.value) }
            .sorted { file.isBefore($0.0, $1.0) }
        for (memberPath, key, setting) in inOrder {
            // A key that holds a dot is one key, and none of ours.
            let name = key.contains(".") ? "" : memberPath.description
            if let option = OptionTable.byName[name] {
                assign(setting, to: option) { steps, isKey in
                    file.place(of: memberPath.appending(contentsOf: steps), isKey: isKey)
                }
            } else if OptionTable.groups.contains(name) {
                guard case .object(let nested) = setting else {
                    report(
                        file.place(of: memberPath), name, "wrong type", found: setting.found,
                        expected: Self.shape(ofGroup: name))
                    continue
                }
                read(nested, at: memberPath, file)
            } else {
                reportUnknown(file.place(of: memberPath, isKey: true), memberPath)
            }
        }
    }

    // MARK: One option

    /// Reads a value into the configuration, or says why not.
    ///
    /// - Parameters:
    ///   - setting: the value.
    ///   - option: whose it is.
    ///   - place: finds the place of a part of the value, or of its key.
    private mutating func assign(
        _ setting: Setting, to option: Option, place: ([SettingStep], Bool) -> ConfigurationProblem.Place
    ) {
        places[option.name] = place([], false)
        guard option.availability == .inForce else {
            refuseUnlessDefault(setting, option, place([], true))
            return
        }
        do throws(ReadProblem) {
            try option.apply(setting, &configuration)
        } catch {
            broken.insert(option.name)
            let path = SettingPath(dotted: option.name).appending(contentsOf: error.steps)
            report(
                place(error.steps, error.reason == .unknownKey), path.description, error.reason.rawValue,
                found: option.isSecret ? "(hidden)" : error.found, expected: error.expected, nearest: error.nearest)
        }
    }

    private mutating func refuseUnlessDefault(
        _ setting: Setting, _ option: Option, _ place: ConfigurationProblem.Place
    ) {
        var candidate = Configuration()
        let isRead: Bool
        do throws(ReadProblem) {
            try option.apply(setting, &candidate)
            isRead = true
        } catch {
            isRead = false
        }
        guard !isRead || option.value(candidate) != option.value(Configuration()) else { return }
        broken.insert(option.name)
        reportNotYet(option.name, place)
    }

    // MARK: Problems

    /// Duplicates are found before all else; people read a file from its top.
    private mutating func sortByPosition() {
        func place(_ problem: ConfigurationProblem) -> (Int, Int) {
            guard case .file(_, let position?) = problem.place else { return (0, 0) }
            return (position.line, position.column)
        }
        problems.sort { place($0) < place($1) }
    }

    private mutating func checkContradictions() {
        for contradiction in Contradiction.all where broken.isDisjoint(with: contradiction.options) {
            guard let clash = contradiction.judge(configuration) else { continue }
            let key = contradiction.options.first { places[$0] != nil } ?? contradiction.options[0]
            report(places[key] ?? .defaults, key, "contradiction", found: clash.found, expected: clash.expected)
        }
    }

    private mutating func checkFiles() {
        for check in TrustCheck.all where !broken.contains(check.option) {
            guard let fault = check.judge(configuration) else { continue }
            report(
                places[check.option] ?? .defaults, check.option, "bad value", found: fault.found,
                expected: fault.expected)
        }
    }

    private static func shape(ofGroup group: String) -> String {
        "an object {" + OptionTable.keys(ofGroup: group).joined(separator: ", ") + "}"
    }

    /// Refuses text for a whole group, which only a file can give.
    ///
    /// - Parameter spelling: how the source names a key.
    private mutating func reportWhole(
        _ group: String, _ place: ConfigurationProblem.Place, _ text: String, spelling: (String) -> String
    ) {
        let members = OptionTable.options.filter { $0.name.hasPrefix(group + ".") }
        guard let example = members.first(where: { $0.availability == .inForce }) else {
            return reportNotYet(group, place)
        }
        let hint = "; its keys are set one by one: \(spelling(example.name))=…"
        // The group may hold secrets.
        let isSecret = members.contains { $0.isSecret }
        report(
            place, group, "wrong type", found: isSecret ? "(hidden)" : Setting.quoted(text),
            expected: Self.shape(ofGroup: group) + hint)
    }

    private mutating func reportNotYet(_ name: String, _ place: ConfigurationProblem.Place) {
        report(place, name, "`\(name)` is not available in this version; remove it")
    }

    private mutating func reportUnknown(_ place: ConfigurationProblem.Place, _ path: SettingPath) {
        let names = OptionTable.options.map { $0.name } + OptionTable.groups.sorted()
        let group = path.steps.dropLast()
        let expected = group.isEmpty ? "a key of the configuration" : "a key of `\(SettingPath(Array(group)))`"
        report(
            place, path.description, "unknown key", found: path.steps.last.map { SettingPath([$0]).description },
            expected: expected, nearest: Nearest.name(to: path.plain, among: names))
    }

    private mutating func report(
        _ place: ConfigurationProblem.Place, _ key: String, _ summary: String, found: String? = nil,
        expected: String? = nil, nearest: String? = nil
    ) {
        problems.append(
            ConfigurationProblem(
                place: place, key: key, summary: summary, found: found, expected: expected, nearest: nearest))
    }
}

extension Configuration {
    /// Reads all sources, weakest first, and checks them together.
    ///
    /// - Throws: all problems, when there are any; their description is what an operator should read.
    public static func load(_ sources: ConfigurationSources) throws(ConfigurationError) -> Configuration {
        try ConfigurationLoader.load(sources)
    }
}
