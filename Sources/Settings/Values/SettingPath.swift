/// One step into a settings tree.
public enum SettingStep: Sendable, Hashable {
    /// A member of an object.
    case key(String)
    /// An element of a list, from 0.
    case index(Int)
}

/// Where a value stands in a settings tree: `freshness.defaultTTL`, `hostOverrides[0].address`.
public struct SettingPath: Sendable, Hashable {
    /// The steps from the root.
    public var steps: [SettingStep]

    /// Makes a path of steps.
    public init(_ steps: [SettingStep] = []) {
        self.steps = steps
    }

    /// Splits a dotted name, as `--set` and the option table write it.
    public init(dotted name: String) {
        steps = name.split(separator: ".", omittingEmptySubsequences: false).map { .key(String($0)) }
    }

    /// The path one step further.
    public func appending(_ step: SettingStep) -> SettingPath {
        SettingPath(steps + [step])
    }

    /// The path with all of `suffix` behind it.
    func appending(contentsOf suffix: [SettingStep]) -> SettingPath {
        SettingPath(steps + suffix)
    }
}

extension SettingPath: CustomStringConvertible {
    /// The path in words; a key that itself holds a dot is quoted, so that it is not taken for two steps.
    public var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .key(let name):
                let isPlain = !name.isEmpty && !name.utf8.contains { $0 == UInt8(ascii: ".") || $0 <= 0x20 }
                text += (text.isEmpty ? "" : ".") + (isPlain ? name : Setting.quoted(name))
            case .index(let index): text += "[\(index)]"
            }
        }
        return text
    }
}
