import FoundationEssentials

/// The positions of one file, as places.
struct FileMap {
    /// The file, as messages name it.
    let name: String
    /// Where things stand.
    let map: JSON5Scanner.Map

    /// The place of a value or key, or of the nearest thing around it that has one.
    func place(of path: SettingPath, isKey: Bool = false) -> ConfigurationProblem.Place {
        .file(name, position(of: path, isKey: isKey))
    }

    /// Whether one key stands before another.
    func isBefore(_ first: SettingPath, _ second: SettingPath) -> Bool {
        let places = [first, second].map { map.keys[$0] ?? Position(line: .max, column: 0) }
        return (places[0].line, places[0].column) < (places[1].line, places[1].column)
    }

    private func position(of path: SettingPath, isKey: Bool) -> Position? {
        if isKey, let position = map.keys[path] { return position }
        var path = path
        while map.values[path] == nil, !path.steps.isEmpty { path.steps.removeLast() }
        return map.values[path]
    }
}

/// What `JSONDecoder` says about text that the scanner let pass, such as a number of a form that JSON5 does not have.
enum DecoderErrors {
    /// What it says.
    static func text(_ error: any Error) -> String {
        guard let error = error as? DecodingError, case .dataCorrupted(let context) = error else { return "\(error)" }
        return context.underlyingError.map { "\($0)" } ?? context.debugDescription
    }

    /// Where it says so, if it does: `around line 3, column 5`.
    static func position(_ error: any Error) -> Position? {
        let words = text(error).split { !$0.isLetter && !$0.isNumber }
        guard let line = words.firstIndex(of: "line"), line + 3 < words.count, words[line + 2] == "column",
            let row = Int(words[line + 1]), let column = Int(words[line + 3])
        else { return nil }
        return Position(line: row, column: column)
    }
}

extension SettingPath {
    /// The keys with dots between them, as the option table writes names; nothing quoted.
    var plain: String {
        steps.compactMap { step in
            guard case .key(let name) = step else { return nil }
            return name
        }.joined(separator: ".")
    }
}
