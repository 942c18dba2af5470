import FoundationEssentials

extension OptionKind {
    /// A list; as text, elements by comma, or a JSON5 list.
    ///
    /// - Parameters:
    ///   - element: the kind of each element.
    ///   - isShort: whether one element may stand without brackets; then there must be one.
    ///   - isNeeded: whether there must be one.
    static func list<Element>(
        _ element: OptionKind<Element>, orOne isShort: Bool = false, atLeastOne isNeeded: Bool = false
    ) -> Self where Value == [Element] {
        let expected = "a list of: \(element.expected)"
        return Self(
            type: isShort ? "\(element.type) or list" : "list of \(element.type)", bounds: element.bounds,
            expected: expected,
            read: { (setting) throws(ReadProblem) in
                if isShort, case .string = setting { return [try element.read(setting)] }
                guard case .array(let settings) = setting else {
                    throw ReadProblem(reason: .wrongType, found: setting.found, expected: expected)
                }
                guard !settings.isEmpty || !(isShort || isNeeded) else {
                    throw ReadProblem(reason: .badValue, found: setting.found, expected: "at least one")
                }
                return try readElements(settings, element)
            },
            fromText: { listed($0, element) },
            write: { values in
                isShort && values.count == 1 ? element.write(values[0]) : .array(values.map { element.write($0) })
            })
    }

    private static func readElements<Element>(
        _ settings: [Setting], _ element: OptionKind<Element>
    ) throws(ReadProblem) -> [Element] {
        var values: [Element] = []
        for (index, setting) in settings.enumerated() {
            do throws(ReadProblem) {
                values.append(try element.read(setting))
            } catch {
                throw error.under(.index(index))
            }
        }
        return values
    }

    private static func listed<Element>(_ text: String, _ element: OptionKind<Element>) -> Setting {
        // `[::1]:8080` begins with a bracket too, and is no JSON5.
        if text.hasPrefix("["), let list = try? Setting(json5: text) { return list }
        let parts = text.split(separator: ",").map { $0.trimmed }
        return .array(parts.filter { !$0.isEmpty }.map { element.fromText($0) })
    }
}

extension OptionKind where Value == [String: String] {
    /// Header fields: an object of names and values.
    static var fields: Self {
        let expected = "an object of header field names and values"
        return Self(
            type: "object of fields", expected: expected,
            read: { (setting) throws(ReadProblem) in
                guard case .object(let members) = setting else {
                    throw ReadProblem(reason: .wrongType, found: setting.found, expected: expected)
                }
                var fields: [String: String] = [:]
                for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                    do throws(ReadProblem) {
                        fields[try OptionKind<String>.fieldName.read(.string(name))] =
                            try OptionKind<String>.fieldValue.read(value)
                    } catch {
                        throw error.under(.key(name))
                    }
                }
                return fields
            },
            fromText: { text in (try? Setting(json5: text)) ?? .string(text) },
            write: { .object($0.mapValues { .string($0) }) })
    }
}

extension OptionKind {
    /// An object with keys of its own.
    ///
    /// - Parameters:
    ///   - keys: the keys it may have.
    ///   - read: builds the value from a reader.
    ///   - write: the members to write.
    static func record(
        keys: [String], read: @escaping @Sendable (RecordReader) throws(ReadProblem) -> Value,
        write: @escaping @Sendable (Value) -> [String: Setting]
    ) -> Self {
        let expected = "an object {" + keys.joined(separator: ", ") + "}"
        return Self(
            type: "{" + keys.joined(separator: ", ") + "}", expected: expected,
            read: { (setting) throws(ReadProblem) in
                guard case .object(let members) = setting else {
                    throw ReadProblem(reason: .wrongType, found: setting.found, expected: expected)
                }
                return try read(try RecordReader(members: members, keys: keys))
            },
            fromText: { text in (try? Setting(json5: text)) ?? .string(text) },
            write: { .object(write($0)) })
    }
}

/// Reads the members of one object of a list.
struct RecordReader {
    /// The object's members.
    let members: [String: Setting]

    /// Refuses members that are not among `keys`.
    init(members: [String: Setting], keys: [String]) throws(ReadProblem) {
        for key in members.keys.sorted() where !keys.contains(key) {
            throw ReadProblem(
                reason: .unknownKey, steps: [.key(key)], found: key, expected: "one of " + keys.joined(separator: ", "),
                nearest: Nearest.name(to: key, among: keys))
        }
        self.members = members
    }

    /// A member that must be there.
    func required<Value>(_ key: String, _ kind: OptionKind<Value>) throws(ReadProblem) -> Value {
        guard let value = try optional(key, kind) else {
            throw ReadProblem(reason: .missingKey, found: "no \(key)", expected: "\(key): \(kind.expected)")
        }
        return value
    }

    /// A member that may be there.
    func optional<Value>(_ key: String, _ kind: OptionKind<Value>) throws(ReadProblem) -> Value? {
        guard let setting = members[key] else { return nil }
        do throws(ReadProblem) {
            return try kind.read(setting)
        } catch {
            throw error.under(.key(key))
        }
    }
}

extension Setting {
    /// Reads JSON5 text.
    ///
    /// - Throws: what `JSONDecoder` throws.
    init(json5 text: String) throws {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        self = try decoder.decode(Setting.self, from: Data(text.utf8))
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at its ends.
    var trimmed: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = firstIndex { !isSpace($0) } ?? endIndex
        let end = lastIndex { !isSpace($0) }.map { index(after: $0) } ?? endIndex
        return start < end ? String(self[start..<end]) : ""
    }
}
