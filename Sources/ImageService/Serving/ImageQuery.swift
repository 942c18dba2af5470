import HTTPMessages
import Origin

/// The parameters of `/image`.
///
/// Pure, on bytes.
struct ImageQuery: Hashable {
    /// How far a request may go.
    enum Tier: Hashable {
        /// The memory tier alone; memory and disk, but no origin.
        case memory, cache
    }

    /// The `url` value, percent-decoded once.
    var url: [UInt8] = []
    /// The place in the download queue.
    var priority = Priority.high
    /// How far the request may go; nil is to the origin.
    var only: Tier?

    /// Reads a query.
    ///
    /// When the `url` value, as sent, holds a literal `?`, everything after `url=` is the URL, `&` included; when it
    /// does not, the first `&` ends it.
    ///
    /// - Throws: `badParameter` that names what is unknown, repeated, empty or malformed.
    init(_ query: Span<UInt8>) throws(Failure) {
        var seen: Set<[UInt8]> = []
        var position = 0
        while position < query.count {
            let end = query.first(UInt8(ascii: "&"), from: position) ?? query.count
            let equals = query.first(UInt8(ascii: "="), from: position, to: end) ?? end
            let name = TargetURL.percentDecodeOnce(query.extracting(position..<equals))
            let start = min(equals + 1, end)
            guard !name.isEmpty || start < end else {
                position = end + 1
                continue
            }
            guard seen.insert(name).inserted else {
                throw .badParameter(name: Self.printable(name), reason: "is repeated")
            }
            var valueEnd = end
            if name.elementsEqual("url".utf8), query.first(UInt8(ascii: "?"), from: start, to: end) != nil {
                valueEnd = query.count
            }
            try take(name, TargetURL.percentDecodeOnce(query.extracting(start..<valueEnd)))
            position = valueEnd + 1
        }
        guard seen.contains(Array("url".utf8)) else { throw .badParameter(name: "url", reason: "is missing") }
    }

    private mutating func take(_ name: [UInt8], _ value: [UInt8]) throws(Failure) {
        switch String(decoding: name, as: UTF8.self) {
        case "url":
            guard !value.isEmpty else { throw .badParameter(name: "url", reason: "is empty") }
            url = value
        case "priority": priority = try Self.choice("priority", value, ["high": .high, "low": .low])
        case "only": only = try Self.choice("only", value, ["memory": .memory, "cache": .cache])
        case "placeholder":
            throw .badParameter(name: "placeholder", reason: "is not available in this version; remove it")
        case "sig", "expires": break  // They count where signing is in force.
        default: throw .badParameter(name: Self.printable(name), reason: "is not known; put & inside of the URL as %26")
        }
    }

    private static func choice<Value>(
        _ name: String, _ value: [UInt8], _ choices: [String: Value]
    ) throws(Failure) -> Value {
        if let choice = choices[String(decoding: value, as: UTF8.self)] { return choice }
        let names = choices.keys.sorted().joined(separator: " or ")
        throw .badParameter(name: name, reason: "must be \(names)")
    }

    /// A name fit for an answer: short, and without anything but plain characters.
    static func printable(_ name: [UInt8]) -> String {
        let plain = name.prefix(40).map { byte in
            (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") ? Character(UnicodeScalar(byte)) : "?"
        }
        return plain.isEmpty ? "(empty)" : String(plain)
    }
}

extension Span<UInt8> {
    /// Finds a byte at or after `start`, before `end` where that is given.
    func first(_ byte: UInt8, from start: Int, to end: Int? = nil) -> Int? {
        var index = start
        while index < end ?? count {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }
}
