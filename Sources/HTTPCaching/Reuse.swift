import HTTPMessages

/// What a stored response is good for, for one request at one moment.
///
/// Source: RFC 9111 §4, §4.2.4, §5.2.1; RFC 5861.
public enum Reuse: Hashable, Sendable {
    /// Serve it.
    case fresh
    /// Serve it, and validate it in the background.
    case staleWhileRevalidate
    /// Serve it stale: the client said that it does not mind.
    case staleForClient
    /// Serve it stale: the origin is out of reach by decision.
    case staleOffline
    /// Ask the origin first.
    case revalidate(CacheStatus.ForwardReason)
    /// It may not be served, and the origin may not be asked: 504.
    case notCached

    /// Judges a stored response that the request selects.
    ///
    /// - Parameter residentSeconds: how long it has been stored; negative when the clock went backwards.
    public static func judge(
        request: RequestDirectives, freshness: Freshness, residentSeconds: Int64, settings: CachePolicySettings
    ) -> Reuse {
        let decision = unrestricted(request, freshness, residentSeconds, settings)
        guard case .revalidate = decision else { return decision }
        if settings.isOffline, mayBeServedOffline(freshness, residentSeconds) { return .staleOffline }
        return settings.isOffline || request.onlyIfCached ? .notCached : decision
    }

    /// Whether a stored response may stand in for an answer of the origin that did not come or was a 5xx.
    ///
    /// A response that is still fresh, but was to be validated because a client asked for it, may be served too:
    /// that client's `no-cache` alone forbids it.
    ///
    /// Source: RFC 5861 §4, RFC 9111 §4.2.4.
    public static func isAllowedOnError(
        request: RequestDirectives, freshness: Freshness, residentSeconds: Int64, settings: CachePolicySettings
    ) -> Bool {
        if freshness.requiresValidation || (request.noCache && settings.honorsClientDirectives) { return false }
        if freshness.isFresh(residentSeconds: residentSeconds) { return true }
        if freshness.forbidsStale { return false }
        let window = max(freshness.staleIfErrorSeconds, request.staleIfError ?? 0)
        return isWithin(window, freshness, residentSeconds)
    }

    private static func unrestricted(
        _ request: RequestDirectives, _ freshness: Freshness, _ residentSeconds: Int64, _ settings: CachePolicySettings
    ) -> Reuse {
        if settings.honorsClientDirectives, !isWelcome(request, freshness, residentSeconds) {
            return .revalidate(.request)
        }
        if freshness.requiresValidation { return .revalidate(.stale) }
        if freshness.isFresh(residentSeconds: residentSeconds) { return .fresh }
        if freshness.forbidsStale { return .revalidate(.stale) }
        if toleratesStaleness(request, freshness, residentSeconds) { return .staleForClient }
        return isWithin(freshness.staleWhileRevalidateSeconds, freshness, residentSeconds)
            ? .staleWhileRevalidate : .revalidate(.stale)
    }

    /// Whether the client takes a response of this age without validation.
    ///
    /// Source: RFC 9111 §5.2.1.1, §5.2.1.3, §5.2.1.4.
    private static func isWelcome(
        _ request: RequestDirectives, _ freshness: Freshness, _ residentSeconds: Int64
    ) -> Bool {
        if request.noCache { return false }
        // Ages are whole seconds, rounded down: nothing that is stored is as young as 0.
        if request.maxAge == 0 { return false }
        if let maxAge = request.maxAge, freshness.currentAge(residentSeconds: residentSeconds) > maxAge { return false }
        guard let minFresh = request.minFresh else { return true }
        return freshness.isFresh(residentSeconds: residentSeconds)
            && freshness.remainingSeconds(residentSeconds: residentSeconds) >= minFresh
    }

    /// Source: RFC 9111 §5.2.1.2.
    private static func toleratesStaleness(
        _ request: RequestDirectives, _ freshness: Freshness, _ residentSeconds: Int64
    ) -> Bool {
        switch request.maxStale {
        case nil: false
        case .any: residentSeconds >= 0
        case .seconds(let limit):
            residentSeconds >= 0 && freshness.stalenessSeconds(residentSeconds: residentSeconds) <= limit
        }
    }

    /// Disconnected caches may serve stale, but not past a directive that forbids it (RFC 9111 §4.2.4).
    private static func mayBeServedOffline(_ freshness: Freshness, _ residentSeconds: Int64) -> Bool {
        if freshness.requiresValidation { return false }
        if freshness.isFresh(residentSeconds: residentSeconds) { return true }
        return !freshness.forbidsStale && isWithin(freshness.keepStaleSeconds, freshness, residentSeconds)
    }

    private static func isWithin(_ windowSeconds: Int64, _ freshness: Freshness, _ residentSeconds: Int64) -> Bool {
        windowSeconds > 0 && residentSeconds >= 0
            && freshness.stalenessSeconds(residentSeconds: residentSeconds) <= windowSeconds
    }
}
