import HTTPMessages

/// When a response was fetched, and what that says about its age.
///
/// Kept apart from the fields, so that a validation that changed nothing else rewrites only these few numbers.
public struct StoredTimes: Hashable, Sendable {
    /// When the request that led to the response was sent.
    public var requestTime: HTTPDate
    /// When the head of the response was received.
    public var responseTime: HTTPDate
    /// The age at `responseTime`.
    ///
    /// Source: RFC 9111 §4.2.3 (`corrected_initial_age`).
    public var initialAgeSeconds: Int64
    /// For how long after `responseTime` the redirects that led here allow reuse; nil when they do not limit it.
    public var lifetimeLimitSeconds: Int64?
    /// Whether the entry was marked stale by an operator.
    public var isSoftPurged: Bool
    /// The last purge that was known when it was fetched: only later ones concern it.
    public var purgeNumber: UInt64

    /// Makes the times from stored numbers.
    public init(
        requestTime: HTTPDate, responseTime: HTTPDate, initialAgeSeconds: Int64, lifetimeLimitSeconds: Int64? = nil,
        isSoftPurged: Bool = false, purgeNumber: UInt64 = 0
    ) {
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.initialAgeSeconds = initialAgeSeconds
        self.lifetimeLimitSeconds = lifetimeLimitSeconds
        self.isSoftPurged = isSoftPurged
        self.purgeNumber = purgeNumber
    }

    /// Takes the times of a response that was just received.
    ///
    /// - Parameter fields: the fields as received, with the `Age` of the caches before us.
    public init(
        of fields: Fields, requestTime: HTTPDate, responseTime: HTTPDate, lifetimeLimitSeconds: Int64? = nil
    ) {
        self.init(
            requestTime: requestTime, responseTime: responseTime,
            initialAgeSeconds: Self.initialAge(
                of: fields, requestTime: requestTime, responseTime: responseTime),
            lifetimeLimitSeconds: lifetimeLimitSeconds)
    }

    /// How old a response was when it arrived.
    ///
    /// A clock that ran backwards between request and response counts as no delay.
    ///
    /// Source: RFC 9111 §4.2.3.
    public static func initialAge(of fields: Fields, requestTime: HTTPDate, responseTime: HTTPDate) -> Int64 {
        let date = fields.withFirst(.date) { HTTPDate(parsing: $0, now: responseTime) } ?? nil
        let apparentAge = max(0, responseTime.secondsSinceEpoch - (date ?? responseTime).secondsSinceEpoch)
        let responseDelay = max(0, responseTime.secondsSinceEpoch - requestTime.secondsSinceEpoch)
        return max(apparentAge, ageValue(of: fields) + responseDelay)
    }

    /// What the `Age` field says: its first member, 0 when that is not a non-negative integer.
    ///
    /// Source: RFC 9111 §5.1.
    static func ageValue(of fields: Fields) -> Int64 {
        guard let value = fields.combined(.age), let first = FieldList.members(of: value.span).first else { return 0 }
        return CacheControl.deltaSeconds(first.span) ?? 0
    }
}
