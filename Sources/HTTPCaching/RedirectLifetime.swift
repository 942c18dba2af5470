import HTTPMessages

/// How long redirects allow the response at their end to be reused under the first URL.
///
/// The chain is only as long-lived as its shortest hop.
public enum RedirectLifetime {
    /// One redirect on the way.
    public struct Hop: Hashable, Sendable {
        /// Its status.
        public let status: Status
        /// Its fields.
        public let fields: Fields

        /// Makes a hop.
        public init(status: Status, fields: Fields) {
            self.status = status
            self.fields = fields
        }
    }

    /// For how many seconds after `responseTime` the chain holds; nil when no hop limits it, 0 when each reuse has to
    /// walk through it.
    public static func limit(
        of hops: [Hop], requestTime: HTTPDate, responseTime: HTTPDate, settings: CachePolicySettings
    ) -> Int64? {
        hops.compactMap { limit(of: $0, requestTime, responseTime, settings) }.min()
    }

    /// A hop with explicit freshness limits to what is left of it; a permanent one without does not limit; a
    /// temporary one without limits to the configured time.
    private static func limit(
        of hop: Hop, _ requestTime: HTTPDate, _ responseTime: HTTPDate, _ settings: CachePolicySettings
    ) -> Int64? {
        let directives = ResponseDirectives(of: hop.fields)
        if directives.noStore || directives.noCache || directives.isPrivate { return 0 }
        let times = StoredTimes(of: hop.fields, requestTime: requestTime, responseTime: responseTime)
        let response = StoredResponse(status: hop.status, fields: hop.fields, times: times)
        let expires = directives.isTargeted ? nil : Freshness.expiresLifetime(of: response)
        if let lifetime = directives.explicitLifetime ?? expires {
            return max(0, lifetime - times.initialAgeSeconds)
        }
        return hop.status.code == 301 || hop.status.code == 308 ? nil : settings.redirectTTL
    }
}
