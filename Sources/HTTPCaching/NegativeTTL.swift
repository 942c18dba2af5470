import HTTPMessages

/// For how long a failure is remembered, so that a broken image does not cost a fetch for every request.
public struct NegativeTTL: Hashable, Sendable {
    /// What went wrong, as far as memory for it differs.
    public enum Failure: Hashable, Sendable, CaseIterable {
        /// The origin says that there is no such image, or that it will not give it: a 4xx.
        case notFound
        /// The origin says 5xx.
        case serverError
        /// No connection could be made, or it broke.
        case refused
        /// Something took too long.
        case timeout
        /// The name does not resolve.
        case dns
        /// The certificate or the handshake is bad.
        case tls
        /// The body is larger than allowed.
        case tooLarge
        /// The bytes are no image.
        case notAnImage
    }

    /// Seconds for a 4xx.
    public var notFound: Int64 = 60
    /// Seconds for a 5xx.
    public var serverError: Int64 = 5
    /// Seconds for a failed connection.
    public var refused: Int64 = 5
    /// Seconds for a timeout.
    public var timeout: Int64 = 5
    /// Seconds for a failed lookup.
    public var dns: Int64 = 10
    /// Seconds for a failed handshake.
    public var tls: Int64 = 60
    /// Seconds for a body over the limit.
    public var tooLarge: Int64 = 600
    /// Seconds for bytes that are no image.
    public var notAnImage: Int64 = 60

    /// The defaults of the configuration.
    public init() {}

    /// An hour: the longest that an origin can make us wait by `Retry-After`.
    public static let greatestRetryAfterSeconds: Int64 = 3600

    /// For how many seconds a failure is remembered; 0 means not at all.
    ///
    /// - Parameter retryAfterSeconds: what the origin asked for; it takes the place of what is configured, from a
    ///   second to an hour.
    public func seconds(for failure: Failure, retryAfterSeconds: Int64? = nil) -> Int64 {
        guard let retryAfterSeconds else { return configured(failure) }
        return min(max(1, retryAfterSeconds), Self.greatestRetryAfterSeconds)
    }

    /// What `Retry-After` asks for, as seconds from `now`; nil when it is absent or malformed.
    ///
    /// Source: RFC 9110 §10.2.3.
    public static func retryAfterSeconds(in fields: Fields, now: HTTPDate) -> Int64? {
        guard let value = fields.first(.retryAfter) else { return nil }
        if let seconds = CacheControl.deltaSeconds(value.span) { return seconds }
        guard let date = HTTPDate(parsing: value.span, now: now) else { return nil }
        return max(0, date.secondsSinceEpoch - now.secondsSinceEpoch)
    }

    private func configured(_ failure: Failure) -> Int64 {
        switch failure {
        case .notFound: notFound
        case .serverError: serverError
        case .refused: refused
        case .timeout: timeout
        case .dns: dns
        case .tls: tls
        case .tooLarge: tooLarge
        case .notAnImage: notAnImage
        }
    }
}
