import HTTPMessages

/// The member that this cache adds to `Cache-Status`.
///
/// Source: RFC 9211 §2.
public enum CacheStatus: Hashable, Sendable {
    /// The origin was not needed.
    case hit(ttl: Int64, detail: Detail)
    /// The request went to the origin, or joined one that did.
    case forward(
        ForwardReason, status: UInt16? = nil, ttl: Int64? = nil, stored: Bool = false, collapsed: Bool = false)

    /// Why a request went to the origin.
    ///
    /// Source: RFC 9211 §2.2.
    public enum ForwardReason: String, Hashable, Sendable {
        /// The cache does not handle such requests.
        case bypass
        /// The method is never answered from the cache.
        case method
        /// Nothing is stored under the URL.
        case uriMiss = "uri-miss"
        /// Something is stored, but not for these request fields.
        case varyMiss = "vary-miss"
        /// Nothing usable is stored, and which of the two it is is not known.
        case miss
        /// A fresh response is stored, but the request's directives did not allow it.
        case request
        /// A stale response is stored.
        case stale
        /// Only a part is stored.
        case partial
    }

    /// Where a hit came from, or why a stale response was served.
    public enum Detail: String, Hashable, Sendable {
        /// The memory tier.
        case memory
        /// The disk tier.
        case disk
        /// Served while a background fetch validates it.
        case staleWhileRevalidate = "stale-while-revalidate"
        /// Served because the origin failed.
        case staleIfError = "stale-if-error"
        /// Served because the client allows staleness.
        case maxStale = "max-stale"
        /// Served because the origin is out of reach by decision.
        case offline
        /// A remembered failure.
        case negative
    }

    /// What stands before the number in the member of a hit.
    public static let hitPrefix = "imagestore; hit; ttl="

    /// Appends the member, `imagestore; hit; ttl=3570; detail=memory` for example.
    ///
    /// Cost: allocates only when `output` has to grow.
    public func append(to output: inout [UInt8]) {
        switch self {
        case .hit(let ttl, let detail):
            Self.append(Self.hitPrefix, to: &output)
            Self.append(ttl, to: &output)
            Self.append("; detail=", to: &output)
            Self.append(detail.rawValue, to: &output)
        case .forward(let reason, let status, let ttl, let stored, let collapsed):
            Self.append("imagestore; fwd=", to: &output)
            Self.append(reason.rawValue, to: &output)
            if let status {
                Self.append("; fwd-status=", to: &output)
                Self.append(Int64(status), to: &output)
            }
            if let ttl {
                Self.append("; ttl=", to: &output)
                Self.append(ttl, to: &output)
            }
            if stored { Self.append("; stored", to: &output) }
            if collapsed { Self.append("; collapsed", to: &output) }
        }
    }

    /// The member as bytes of its own.
    public func written() -> [UInt8] {
        var output: [UInt8] = []
        append(to: &output)
        return output
    }

    private static func append(_ text: String, to output: inout [UInt8]) {
        for byte in text.utf8 { output.append(byte) }
    }

    private static func append(_ number: Int64, to output: inout [UInt8]) {
        if number < 0 { output.append(UInt8(ascii: "-")) }
        let magnitude = number.magnitude
        var divisor: UInt64 = 1
        while magnitude / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude / divisor % 10))
            divisor /= 10
        }
    }
}
