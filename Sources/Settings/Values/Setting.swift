/// A value as the configuration file writes it, before anyone has said what it means.
///
/// The file, an environment variable and `--set` all become this tree; the option table then reads it, and writes it
/// when the configuration in force is shown.
public indirect enum Setting: Sendable, Equatable {
    /// `null`: the option's own default, where the option has "none" or "the system's" as its default.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number.
    case integer(Int)
    /// A number with a fraction, or one too large for `integer`.
    case number(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([Setting])
    /// An object; order is not kept.
    case object([String: Setting])
}

extension Setting: Decodable {
    /// Reads whatever stands there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([Setting].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: Setting].self))
        }
    }
}

extension Setting {
    /// What an error message says was found.
    var found: String {
        switch self {
        case .null: "null"
        case .bool, .integer, .number, .string: rendered()
        case .array(let elements): elements.isEmpty ? "an empty list" : "a list"
        case .object: "an object"
        }
    }
}
