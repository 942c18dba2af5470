/// An answer as a client saw it, with how it ended.
public struct Answer: Sendable {
    /// How the body came to its end.
    public enum Ending: Sendable, Equatable {
        /// The framing was honoured to the last byte.
        case clean
        /// The connection ended before the framing said so.
        case cut
    }

    /// `HTTP/1.1` or `HTTP/1.0`.
    public let version: String
    /// The status code.
    public let status: Int
    /// The fields in order.
    public let fields: [WireField]
    /// The body, without chunk framing.
    public let body: [UInt8]
    /// How it ended.
    public let ending: Ending
    /// When the head was complete.
    public let headTime: ContinuousClock.Instant
    /// When the last byte was there.
    public let endTime: ContinuousClock.Instant

    /// The value of the first field of that name, whatever its case.
    public subscript(_ name: String) -> String? { fields.first(name) }

    /// The `Cache-Status` field, or an empty text.
    public var cacheStatus: String { fields.all("cache-status").joined(separator: ", ") }

    /// The body as text.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The last part of `urn:imagestore:error:NAME`, when the body is a problem of ours.
    public var problem: String? {
        let marker = "urn:imagestore:error:"
        guard self["content-type"]?.hasPrefix("application/problem+json") == true else { return nil }
        guard let range = text.firstRange(of: marker) else { return nil }
        return String(text[range.upperBound...].prefix { $0 != "\"" })
    }

    /// The `Age` field as a number.
    public var age: Int? { self["age"].flatMap { Int($0) } }

    /// Whether it came out of a cache tier.
    public var isHit: Bool { cacheStatus.contains("; hit") }
}

extension Answer: CustomStringConvertible {
    /// Short, since test reports print what did not hold.
    public var description: String {
        let start = self["content-type"]?.hasPrefix("image/") == true ? "" : " \(latin1(body.prefix(400)))"
        return "\(status) \(ending), \(body.count) bytes, Cache-Status: \(cacheStatus)\(start)"
    }

    /// Whether it is a 200 that ended cleanly with exactly these bytes.
    public func isImage(_ bytes: [UInt8]) -> Bool { status == 200 && ending == .clean && body == bytes }
}
