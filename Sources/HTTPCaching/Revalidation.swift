import HTTPMessages

/// Asking the origin whether a stored response still holds, and taking in its answer.
///
/// HEAD is never sent to an origin, so RFC 9111 §4.3.5 does not arise.
///
/// Source: RFC 9111 §3.2, §4.3.
public enum Revalidation {
    /// The conditional fields for the request; empty when the stored response has no validator.
    ///
    /// The entity tag goes out as received, malformed or not: only the origin compares it.
    ///
    /// Source: RFC 9111 §4.3.1.
    public static func conditions(for stored: StoredResponse) -> Fields {
        var fields = Fields()
        if let tag = stored.fields.first(.eTag), !tag.isEmpty { fields.append(.ifNoneMatch, tag) }
        if let modified = stored.fields.first(.lastModified), stored.lastModified != nil {
            fields.append(.ifModifiedSince, modified)
        }
        return fields
    }

    /// Whether a 304 speaks of the stored response, whose validators we sent.
    ///
    /// A 304 without any validator does: it answers to the ones we sent. One that names another representation does
    /// not, and the response has to be fetched whole.
    ///
    /// Source: RFC 9111 §4.3.4.
    public static func selects(_ notModified: Fields, stored: StoredResponse, now: HTTPDate) -> Bool {
        if let value = notModified.first(.eTag) {
            guard let tag = EntityTag(parsing: value.span) else { return stored.fields.first(.eTag) == value }
            guard let storedTag = stored.entityTag else { return !stored.fields.contains(.eTag) }
            return tag.isWeak || storedTag.isWeak ? tag.matchesWeakly(storedTag) : tag.matchesStrongly(storedTag)
        }
        guard let value = notModified.first(.lastModified), let storedDate = stored.lastModified else { return true }
        return HTTPDate(parsing: value.span, now: now) == storedDate
    }

    /// The stored response as a 304 makes it: fields of the 304 replace those of the same name.
    ///
    /// Soft purge ends with it: the origin has spoken.
    ///
    /// - Parameters:
    ///   - notModified: the fields of the 304 as received.
    ///   - rules: which response fields are stored at all.
    /// - Returns: the freshened response.
    public static func freshened(
        _ stored: StoredResponse, with notModified: Fields, rules: HeaderRules, requestTime: HTTPDate,
        responseTime: HTTPDate, lifetimeLimitSeconds: Int64? = nil
    ) -> StoredResponse {
        var update = rules.storedFields(of: notModified, receivedAt: responseTime)
        update.removeAll { isFixed($0, rules: rules) }
        var replaced: Set<FieldName> = []
        update.forEach { name, _ in replaced.insert(name) }
        var fields = stored.fields
        fields.removeAll { replaced.contains($0) }
        fields.append(contentsOf: update)
        // A 304 without a Date is dated by its receipt, which `storedFields` has added.
        var dated = notModified
        if let date = fields.first(.date) { dated.set(.date, to: date) }
        let times = StoredTimes(
            of: dated, requestTime: requestTime, responseTime: responseTime,
            lifetimeLimitSeconds: lifetimeLimitSeconds)
        return StoredResponse(status: stored.status, fields: fields, times: times, source: stored.source)
    }

    /// Whether a field describes the stored bytes or how we processed them, so that no 304 may change it.
    ///
    /// Of images the type was decided by looking at the bytes.
    ///
    /// Source: RFC 9111 §3.2.
    private static func isFixed(_ name: FieldName, rules: HeaderRules) -> Bool {
        switch name {
        case .contentLength, .contentEncoding, .contentRange, .transferEncoding: true
        case .contentType: rules.scope == .images
        default: false
        }
    }
}
