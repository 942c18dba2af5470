import HTTPMessages
import Origin

/// The parameters of `DELETE /images`.
///
/// Pure, on bytes.
struct PurgeQuery: Hashable {
    /// What is named: exactly one of these.
    enum Name: Hashable {
        /// One image, percent-decoded once.
        case url([UInt8])
        /// What lies at or below a URL, percent-decoded once.
        case prefix([UInt8])
        /// A host.
        case host([UInt8])
        /// Everything.
        case all
    }

    /// What is named.
    let name: Name
    /// Whether it is marked stale, rather than removed.
    let isSoft: Bool

    /// Reads a query; `&` ends a value.
    ///
    /// - Throws: `badParameter` that names what is unknown, repeated, missing, empty or too much.
    init(_ query: Span<UInt8>) throws(Failure) {
        var values: [String: [UInt8]] = [:]
        var position = 0
        while position < query.count {
            let end = query.first(UInt8(ascii: "&"), from: position) ?? query.count
            let equals = query.first(UInt8(ascii: "="), from: position, to: end) ?? end
            guard position < end else {
                position = end + 1
                continue
            }
            let name = ImageQuery.printable(TargetURL.percentDecodeOnce(query.extracting(position..<equals)))
            let value = TargetURL.percentDecodeOnce(query.extracting(min(equals + 1, end)..<end))
            position = end + 1
            guard ["url", "prefix", "host", "all", "soft"].contains(name) else {
                throw .badParameter(name: name, reason: "is not known; put & inside of a URL as %26")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw .badParameter(name: name, reason: "is repeated")
            }
            guard !value.isEmpty else { throw .badParameter(name: name, reason: "is empty") }
        }
        isSoft = try Self.isOn("soft", values.removeValue(forKey: "soft"))
        name = try Self.name(in: values)
    }

    private static func name(in values: [String: [UInt8]]) throws(Failure) -> Name {
        guard let (name, value) = values.first else {
            throw .badParameter(name: "url", reason: "is missing; host, prefix or all=1 may stand in for it")
        }
        guard values.count == 1 else {
            let names = values.keys.sorted()
            throw .badParameter(name: names[1], reason: "cannot go together with \(names[0])")
        }
        switch name {
        case "url": return .url(value)
        case "prefix": return .prefix(value)
        case "host": return .host(value)
        default:
            guard try isOn("all", value) else { throw .badParameter(name: "all", reason: "must be 1") }
            return .all
        }
    }

    private static func isOn(_ name: String, _ value: [UInt8]?) throws(Failure) -> Bool {
        guard let value else { return false }
        guard value == [UInt8(ascii: "0")] || value == [UInt8(ascii: "1")] else {
            throw .badParameter(name: name, reason: "must be 0 or 1")
        }
        return value == [UInt8(ascii: "1")]
    }

    /// What is to be purged.
    func target(limit: Int, seed: UInt64) throws(Failure) -> PurgeTarget {
        switch name {
        case .url(let url): try .url(decoded: url.span, limit: limit, seed: seed)
        case .prefix(let url): try .prefix(decoded: url.span, limit: limit)
        case .host(let host): try .host(String(decoding: host, as: UTF8.self))
        case .all: .all
        }
    }
}
