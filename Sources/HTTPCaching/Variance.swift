import HTTPMessages

/// Which request fields select among the responses of one URL.
///
/// Source: RFC 9111 §4.1, RFC 9110 §12.5.5.
public enum Variance: Hashable, Sendable {
    /// No field: one response an URL.
    case none
    /// These fields, sorted and each once.
    case fields([FieldName])
    /// `*`: something that we cannot see; no request ever matches.
    case any

    /// Reads all `Vary` lines; a `*` anywhere in them wins.
    ///
    /// A member that is no field name can match nothing either.
    public init(of fields: Fields) {
        guard let value = fields.combined(.vary) else {
            self = .none
            return
        }
        var names: Set<FieldName> = []
        for member in FieldList.members(of: value.span) {
            guard member != [UInt8(ascii: "*")], let name = FieldName(bytes: member) else {
                self = .any
                return
            }
            names.insert(name)
        }
        let sorted = names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        self = sorted.isEmpty ? .none : .fields(sorted)
    }

    /// What distinguishes the variants: equal for requests that select the same response; nil for `*`.
    ///
    /// An absent field and an empty one differ. Shape: for each field its name, then, if present, `:` and the
    /// normalised value, then LF, which neither may contain.
    ///
    /// - Parameter request: the fields as they are sent to the origin, not as the client sent them.
    public func secondaryKey(request: Fields) -> [UInt8]? {
        switch self {
        case .any: return nil
        case .none: return []
        case .fields(let names):
            var key: [UInt8] = []
            for name in names {
                key += name.bytes
                if let value = request.combined(name) {
                    key.append(UInt8(ascii: ":"))
                    key += Self.normalized(value, of: name)
                }
                key.append(UInt8(ascii: "\n"))
            }
            return key
        }
    }

    /// Reads the fields back from a key that `secondaryKey` made; nil when it is not one.
    init?(secondaryKey key: [UInt8]) {
        guard !key.isEmpty else {
            self = .none
            return
        }
        var lines = key.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.popLast()?.isEmpty == true else { return nil }
        let names = lines.map { FieldName(bytes: Array($0.prefix { $0 != UInt8(ascii: ":") })) }
        let known = names.compactMap(\.self)
        guard known.count == lines.count else { return nil }
        self = .fields(known)
    }

    /// A value brought into the form in which equal meanings are equal bytes.
    ///
    /// Whitespace around commas is dropped in every field. In fields that negotiate content, whose members have no
    /// order but by weight and no case, they are also sorted and written in lower case.
    static func normalized(_ value: [UInt8], of name: FieldName) -> [UInt8] {
        var members = FieldList.members(of: value.span)
        if negotiating.contains(name) {
            members = members.map { $0.filter { !FieldList.isWhitespace($0) }.map(FieldList.lowercased) }
            members.sort { $0.lexicographicallyPrecedes($1) }
        }
        return Array(members.joined(separator: [UInt8(ascii: ",")]))
    }

    private static let negotiating: Set<FieldName> = [.accept, .acceptEncoding, .acceptLanguage]
}
