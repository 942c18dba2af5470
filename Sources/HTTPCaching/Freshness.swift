import HTTPMessages

/// How long a stored response may be reused, and what may be done with it after that.
///
/// Computed once, when the response is stored or read back; a lookup then only adds the time it has been resident.
///
/// Source: RFC 9111 §4.2, §5.2.2; RFC 5861.
public struct Freshness: Hashable, Sendable {
    /// What the lifetime rests on.
    public enum Source: Hashable, Sendable {
        /// `s-maxage`.
        case sharedMaxAge
        /// `max-age`.
        case maxAge
        /// `Expires` minus `Date`; 0 when either is invalid.
        case expires
        /// A tenth of the time since the last modification.
        case heuristic
        /// The configured default.
        case defaultTTL
        /// Nothing: a status without explicit freshness that may not be guessed.
        case none
        /// The mode in which nothing goes stale.
        case forever
    }

    /// The freshness lifetime, all clamps and limits applied.
    public let lifetimeSeconds: Int64
    /// What the lifetime rests on, before clamps and limits.
    public let source: Source
    /// The age at the moment the response was received.
    public let initialAgeSeconds: Int64
    /// Whether every reuse needs a successful validation.
    public let requiresValidation: Bool
    /// Whether a stale response may never be reused without validation.
    public let forbidsStale: Bool
    /// How far past its lifetime the response may be served while it is validated in the background.
    public let staleWhileRevalidateSeconds: Int64
    /// How far past its lifetime the response may be served when the origin fails.
    public let staleIfErrorSeconds: Int64
    /// How far past its lifetime the response is worth keeping.
    public let keepStaleSeconds: Int64
    /// Whether the response is stale by an operator's decision.
    public let isSoftPurged: Bool

    /// Judges a stored response under the settings in force.
    public init(of response: StoredResponse, settings: CachePolicySettings) {
        let directives = ResponseDirectives(of: response.fields)
        let isForever = settings.keepsForever(response.status)
        let times = response.times
        let (lifetime, source) = Self.lifetime(of: response, directives: directives, settings: settings)
        self.source = source
        initialAgeSeconds = Self.plausible(times.initialAgeSeconds)
        lifetimeSeconds = isForever ? lifetime : Self.limited(lifetime, by: times)
        // A redirect that allows nothing has to be walked through for each reuse.
        requiresValidation = !isForever && (directives.noCache || times.lifetimeLimitSeconds.map { $0 <= 0 } ?? false)
        forbidsStale = !isForever && directives.forbidsStale
        let mayBeStale = !requiresValidation && !forbidsStale
        staleWhileRevalidateSeconds =
            mayBeStale ? directives.staleWhileRevalidate ?? settings.staleWhileRevalidate : 0
        staleIfErrorSeconds = mayBeStale ? directives.staleIfError ?? settings.staleIfError : 0
        keepStaleSeconds = max(settings.keepStale, max(staleWhileRevalidateSeconds, staleIfErrorSeconds))
        isSoftPurged = times.isSoftPurged
    }

    /// Whether the response may be reused without the origin's word once it is stale, as far as directives go.
    public var mayBeStale: Bool { !requiresValidation && !forbidsStale }

    /// The age after `residentSeconds` in the store.
    ///
    /// Source: RFC 9111 §4.2.3 (`current_age`).
    public func currentAge(residentSeconds: Int64) -> Int64 {
        initialAgeSeconds + Self.plausible(residentSeconds)
    }

    /// For how long the response stays fresh; negative once it is stale.
    ///
    /// It is what `Cache-Status` calls `ttl`. An operator's word ends the lifetime at once: the response has just gone
    /// stale, until its own lifetime ends and it grows staler.
    public func remainingSeconds(residentSeconds: Int64) -> Int64 {
        let seconds = lifetimeSeconds - currentAge(residentSeconds: residentSeconds)
        return isSoftPurged ? min(seconds, 0) : seconds
    }

    /// Whether the lifetime is greater than the age (RFC 9111 §4.2) and nobody marked the response stale.
    ///
    /// A negative residence means that the wall clock went backwards: the age is not known, so it is not fresh.
    public func isFresh(residentSeconds: Int64) -> Bool {
        !isSoftPurged && residentSeconds >= 0 && remainingSeconds(residentSeconds: residentSeconds) > 0
    }

    /// How far past its lifetime the response is, never negative.
    public func stalenessSeconds(residentSeconds: Int64) -> Int64 {
        max(0, -remainingSeconds(residentSeconds: residentSeconds))
    }

    /// Whether the response is still of use to anyone, be it only for validation.
    public func isWorthKeeping(residentSeconds: Int64) -> Bool {
        stalenessSeconds(residentSeconds: residentSeconds) <= keepStaleSeconds
    }

    /// For how many seconds after it was received the response may be served without any further thought; 0 when
    /// every reuse has to be judged.
    public var unconditionalSeconds: Int64 {
        requiresValidation || isSoftPurged ? 0 : max(0, remainingSeconds(residentSeconds: 0))
    }
}

/// The lifetime and its sources.
extension Freshness {
    /// A day: the greatest lifetime that is guessed.
    private static let heuristicLimitSeconds: Int64 = 86_400

    private static func lifetime(
        of response: StoredResponse, directives: ResponseDirectives, settings: CachePolicySettings
    ) -> (seconds: Int64, source: Source) {
        if settings.keepsForever(response.status) {
            // Of no practical end, and far from any overflow.
            return (1 << 40, .forever)
        }
        let (seconds, source) = unclamped(response, directives, settings)
        return (min(max(seconds, settings.minTTL), settings.maxTTL), source)
    }

    /// Source: RFC 9111 §4.2.1, §4.2.2.
    private static func unclamped(
        _ response: StoredResponse, _ directives: ResponseDirectives, _ settings: CachePolicySettings
    ) -> (Int64, Source) {
        if let seconds = directives.sharedMaxAge { return (seconds, .sharedMaxAge) }
        if let seconds = directives.maxAge { return (seconds, .maxAge) }
        if !directives.isTargeted, let seconds = expiresLifetime(of: response) { return (seconds, .expires) }
        guard Storability.allowsHeuristics(status: response.status, directives: directives) else { return (0, .none) }
        guard let modified = response.lastModified else { return (settings.defaultTTL, .defaultTTL) }
        let sinceModified = max(0, response.date.secondsSinceEpoch - modified.secondsSinceEpoch)
        return (min(sinceModified / 10, heuristicLimitSeconds), .heuristic)
    }

    /// What `Expires` gives, measured from `Date`; 0 for an invalid one, nil when there is none.
    ///
    /// Source: RFC 9111 §5.3: invalid dates, `0` above all, lie in the past.
    static func expiresLifetime(of response: StoredResponse) -> Int64? {
        guard response.fields.contains(.expires) else { return nil }
        guard let expires = response.date(.expires) else { return 0 }
        return max(0, expires.secondsSinceEpoch - response.date.secondsSinceEpoch)
    }

    /// Cuts a lifetime to what the redirects allow, which counts from the moment the response was received.
    private static func limited(_ lifetime: Int64, by times: StoredTimes) -> Int64 {
        guard let limit = times.lifetimeLimitSeconds else { return lifetime }
        return min(lifetime, plausible(times.initialAgeSeconds) + plausible(limit))
    }

    /// A duration that sums of a few never overflow: numbers read from a disk may be anything.
    private static func plausible(_ seconds: Int64) -> Int64 {
        min(max(0, seconds), 1 << 41)
    }
}
