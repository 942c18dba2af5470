/// Options written as a file: nested keys, comments where wanted.
struct SettingTree {
    /// One line, or one object of lines.
    enum Node {
        case member(key: String, value: Setting, comment: String?)
        case group(key: String, nodes: [Node])
        case heading(String)
    }

    /// The members of the outermost object.
    var nodes: [Node] = []

    /// Adds options in order; neighbours of one group share an object.
    ///
    /// - Parameters:
    ///   - options: the options.
    ///   - value: the value to write for each.
    ///   - comment: the line to write above each.
    mutating func append(
        _ options: [Option], value: (Option) -> Setting, comment: (Option) -> String? = { _ in nil }
    ) {
        for option in options {
            let steps = option.name.split(separator: ".").map(String.init)
            let member = Node.member(key: steps[steps.count - 1], value: value(option), comment: comment(option))
            guard steps.count > 1 else {
                nodes.append(member)
                continue
            }
            if case .group(let key, let members)? = nodes.last, key == steps[0] {
                nodes[nodes.count - 1] = .group(key: key, nodes: members + [member])
            } else {
                nodes.append(.group(key: steps[0], nodes: [member]))
            }
        }
    }

    /// The whole file, with a line feed at its end.
    func rendered(_ notation: SettingNotation) -> String {
        "{\n" + Self.lines(nodes, notation, indent: "    ") + "}\n"
    }

    private static func lines(_ nodes: [Node], _ notation: SettingNotation, indent: String) -> String {
        var text = ""
        for (index, node) in nodes.enumerated() {
            let comma = notation == .json5 || index < nodes.count - 1 ? "," : ""
            switch node {
            case .heading(let title):
                text += (index > 0 ? "\n" : "") + "\(indent)// --- \(title) ---\n\n"
            case .member(let key, let value, let comment):
                text += comment.map { "\(indent)// \($0)\n" } ?? ""
                text += "\(indent)\(Setting.key(key, notation)): \(value.rendered(notation))\(comma)\n"
            case .group(let key, let members):
                text += "\(indent)\(Setting.key(key, notation)): {\n"
                text += lines(members, notation, indent: indent + "    ")
                text += "\(indent)}\(comma)\n"
            }
        }
        return text
    }
}

extension Configuration {
    /// What a secret is shown as.
    static let redacted = "(redacted)"

    /// The configuration in force, as a file that would bring it about; secrets are left out.
    ///
    /// Options that this version does not act on are not shown: they are not in force.
    public func rendered(_ notation: SettingNotation = .json5) -> String {
        let defaults = Configuration()
        var tree = SettingTree()
        tree.append(
            OptionTable.options.filter { $0.availability == .inForce },
            value: { option in
                let value = option.value(self)
                return option.isSecret && value != option.value(defaults) ? .string(Self.redacted) : value
            })
        return tree.rendered(notation)
    }
}
