import HTTPMessages

/// What a client gets of a response that may be served: all of it, a part, or the news that it has it already.
///
/// `If-Match` and `If-Unmodified-Since` are for origin servers; a cache does not evaluate them (RFC 9111 §4.3.2).
///
/// Source: RFC 9110 §13.2.2, §14.2; RFC 9111 §4.3.2.
public enum RequestConditions: Hashable, Sendable {
    /// The whole response.
    case full
    /// 304.
    case notModified
    /// 206 with these bytes.
    case partial(Range<Int64>)
    /// 416.
    case unsatisfiable

    /// Evaluates conditions, then the range.
    ///
    /// - Parameter bodyBytes: the length of the body; nil while it is not known, and ranges are ignored then.
    public static func judge(
        method: Method, request: Fields, response: StoredResponse, bodyBytes: Int64?
    ) -> RequestConditions {
        guard method == .get || method == .head else { return .full }
        // RFC 9110 §13.2.1: where the answer would be no success, conditions do not count.
        guard response.status.isSuccessful else { return .full }
        if isNotModified(request, response) { return .notModified }
        // RFC 9110 §14.2: ranges are for GET, and for what would be a 200.
        guard method == .get, response.status.code == 200, let bodyBytes else { return .full }
        guard let line = onlyLine(.range, in: request), let range = ByteRange(parsing: line.span),
            ifRangeHolds(request, response)
        else { return .full }
        switch range.resolved(length: bodyBytes) {
        case .satisfiable(let bytes): return .partial(bytes)
        case .unsatisfiable: return .unsatisfiable
        }
    }

    /// The fields of the 304 for a stored response: its own, without those that describe a body that is not sent.
    ///
    /// Source: RFC 9110 §15.4.5.
    public static func notModifiedFields(of fields: Fields) -> Fields {
        var result = fields
        result.removeAll { bodyFields.contains($0) }
        return result
    }

    /// The fields of a stored response that its 304 does not carry.
    ///
    /// Source: RFC 9110 §15.4.5.
    public static func bodyFields(of fields: Fields) -> Fields {
        var result = fields
        result.removeAll { !bodyFields.contains($0) }
        return result
    }

    private static let bodyFields: Set<FieldName> = [
        .contentEncoding, .contentLanguage, .contentLength, .contentRange, .contentType,
    ]

    /// Source: RFC 9110 §13.1.2, §13.1.3: `If-None-Match` puts `If-Modified-Since` out of force.
    private static func isNotModified(_ request: Fields, _ response: StoredResponse) -> Bool {
        if let value = request.combined(.ifNoneMatch) {
            return EntityTagCondition(parsing: value.span).matchesWeakly(response.entityTag)
        }
        guard let line = onlyLine(.ifModifiedSince, in: request),
            let since = HTTPDate(parsing: line.span, now: response.times.responseTime)
        else { return false }
        // RFC 9111 §4.3.2: without Last-Modified the Date, or the time of receipt, stands in.
        return (response.lastModified ?? response.date) <= since
    }

    /// Whether `If-Range` is absent or names, strongly, what is stored.
    ///
    /// Source: RFC 9110 §13.1.5, §8.8.2.2.
    private static func ifRangeHolds(_ request: Fields, _ response: StoredResponse) -> Bool {
        guard request.contains(.ifRange) else { return true }
        guard let line = onlyLine(.ifRange, in: request) else { return false }
        if let tag = EntityTag(parsing: line.span) {
            return response.entityTag.map { $0.matchesStrongly(tag) } ?? false
        }
        guard let date = HTTPDate(parsing: line.span, now: response.times.responseTime),
            let modified = response.lastModified
        else { return false }
        // A date is a strong validator only when the response was made at least a second after it.
        return date == modified && response.date.secondsSinceEpoch - modified.secondsSinceEpoch >= 1
    }

    /// The value of a field that stands there once; a singleton field that is repeated is malformed.
    private static func onlyLine(_ name: FieldName, in fields: Fields) -> [UInt8]? {
        let lines = fields.all(name)
        return lines.count == 1 ? lines.first : nil
    }
}
