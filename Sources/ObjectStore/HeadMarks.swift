import Digests

// Where the parts of a rendered head lie.

/// Places in the rendered head of an object, so that a 304 can be answered without looking at any field.
///
/// ```
///  0                        notModifiedStart                                              end
///  | status line, fields of the body | all other fields, `ETag` and `Last-Modified` among them |
/// ```
///
/// What a 304 carries of the head (RFC 9110 §15.4.5) is everything from `notModifiedStart` on.
public struct HeadMarks: Hashable, Sendable, BitwiseCopyable {
    private let start: UInt32
    private let tagStart: UInt32
    private let tagEnd: UInt32
    private let dateStart: UInt32
    private let dateEnd: UInt32

    /// Marks the parts of a head.
    ///
    /// - Parameters:
    ///   - notModifiedStart: where the fields begin that a 304 carries too.
    ///   - entityTag: the value of `ETag`; empty when repeating it would not be a condition that holds.
    ///   - lastModified: the value of `Last-Modified`; empty likewise.
    public init(notModifiedStart: Int = 0, entityTag: Range<Int> = 0..<0, lastModified: Range<Int> = 0..<0) {
        start = UInt32(notModifiedStart)
        (tagStart, tagEnd) = (UInt32(entityTag.lowerBound), UInt32(entityTag.upperBound))
        (dateStart, dateEnd) = (UInt32(lastModified.lowerBound), UInt32(lastModified.upperBound))
    }

    /// Where the fields begin that a 304 carries too.
    public var notModifiedStart: Int { Int(start) }
    /// The value of `ETag`: a client that names exactly these bytes has what is stored; empty when that is not so.
    public var entityTag: Range<Int> { Int(tagStart)..<Int(tagEnd) }
    /// The value of `Last-Modified`: a client that names exactly these bytes has what is stored; empty when that is not so.
    public var lastModified: Range<Int> { Int(dateStart)..<Int(dateEnd) }
}

/// Conditions that are held against the rendered head.
extension CachedObject {
    /// Whether `If-None-Match` names the tag in the very bytes in which it is stored.
    ///
    /// Source: RFC 9110 §13.1.2; equal bytes are equal by the weak comparison (§8.8.3.2).
    public func hasEntityTag(_ value: Span<UInt8>) -> Bool {
        hasValidator(marks.entityTag, value)
    }

    /// Whether `If-Modified-Since` names the date in the very bytes in which it is stored.
    ///
    /// Source: RFC 9110 §13.1.3.
    public func hasLastModified(_ value: Span<UInt8>) -> Bool {
        hasValidator(marks.lastModified, value)
    }

    @inline(never)
    private func hasValidator(_ place: Range<Int>, _ value: Span<UInt8>) -> Bool {
        let head = wireHead
        return !place.isEmpty && bytesEqual(head.span.extracting(place), value)
    }
}
