import HTTPCaching
import HTTPMessages
import Origin

/// What the head of an origin's final response means for the flight.
///
/// Pure.
enum OriginVerdict: Hashable {
    /// A body to take: the status to store it under and its declared length.
    case body(Status, length: Int?)
    /// What is stored still holds.
    case notModified
    /// Nothing to serve; the failure tells why.
    case failure(Failure)

    /// Judges a head.
    ///
    /// - Parameters:
    ///   - isConditional: whether we asked with the validators of something stored.
    ///   - limit: `maxDownloadSize`.
    ///   - relays: whether every status is passed on.
    static func judge(_ head: OriginHead, isConditional: Bool, limit: Int, relays: Bool, now: Int64) -> OriginVerdict {
        let code = head.status.code
        if code == 304, isConditional { return .notModified }
        switch code {
        case 200, 203: return body(head, limit: limit)
        case 206: return wholePart(head, limit: limit)
        case _ where relays && code != 304: return body(head, limit: limit)
        case 300..<400: return .failure(.badRedirect("a \(code) that leads nowhere"))
        case 401, 407, 408, 416, 421, 426, 431: return .failure(.originRefused(code))
        case 400..<500 where Status.isKnown(code):
            return .failure(.originStatus(code, retryAfterSeconds: retryAfterSeconds(head, now: now)))
        case 500..<600: return .failure(.originError(code, retryAfterSeconds: retryAfterSeconds(head, now: now)))
        default: return .failure(.originRefused(code))
        }
    }

    /// When the origin wants to be asked again.
    static func retryAfterSeconds(_ head: OriginHead, now: Int64) -> Int64? {
        HTTPCaching.NegativeTTL.retryAfterSeconds(in: head.fields, now: HTTPDate(secondsSinceEpoch: now))
    }

    private static func body(_ head: OriginHead, limit: Int) -> OriginVerdict {
        guard let length = head.contentLength else { return .body(head.status, length: nil) }
        guard length <= UInt64(limit) else { return .failure(.imageTooLarge(limit: limit)) }
        return .body(head.status, length: Int(length))
    }

    /// A 206 that nobody asked for is taken when it is the whole (RFC 9110 §15.3.7); parts are not.
    private static func wholePart(_ head: OriginHead, limit: Int) -> OriginVerdict {
        if case .failure(let failure) = body(head, limit: limit) { return .failure(failure) }
        guard let value = head.fields.first(.contentRange), let range = ContentRange(value), range.isWhole,
            head.contentLength.map({ $0 == UInt64(range.length) }) ?? true
        else { return .failure(.originBroken("a part was sent where the whole was asked for")) }
        var whole = head
        whole.status = .ok
        return body(whole, limit: limit)
    }
}

/// `Content-Range: bytes first-last/length`.
///
/// Source: RFC 9110 §14.4.
struct ContentRange: Hashable {
    /// The first byte's place, from 0.
    let first: Int
    /// The last byte's place.
    let last: Int
    /// Bytes of the whole.
    let length: Int

    /// Reads a field value; nil for other units, an unknown length, or ends that contradict each other.
    init?(_ value: [UInt8]) {
        guard value.prefix(6).map({ $0 | 0x20 }).elementsEqual("bytes ".utf8) else { return nil }
        let parts = value[6...].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            let length = Self.number(parts[1]), first <= last, last < length
        else { return nil }
        self.first = first
        self.last = last
        self.length = length
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        DecimalText.parse(Array(digits).span).flatMap { Int(exactly: $0) }
    }

    /// Whether the range is all there is.
    var isWhole: Bool { first == 0 && last == length - 1 }
}

extension Status {
    /// Whether a client error is one that a registry lists, so that it can be passed on.
    ///
    /// Source: IANA HTTP Status Code Registry.
    static func isKnown(_ code: UInt16) -> Bool {
        switch code {
        case 400...417, 421...426, 428, 429, 431, 451: true
        default: false
        }
    }
}
