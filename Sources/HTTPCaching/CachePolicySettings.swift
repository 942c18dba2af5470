import HTTPMessages

/// What the operator decided about freshness, and where the origin says nothing.
///
/// All durations are whole seconds, the resolution of HTTP.
public struct CachePolicySettings: Hashable, Sendable {
    /// Whether origins are believed.
    public enum Mode: Hashable, Sendable {
        /// RFC 9111 decides.
        case standard
        /// An image never changes under its URL: whatever may be shared at all is stored and stays fresh.
        case forever
    }

    /// Whether origins are believed.
    public var mode = Mode.standard
    /// The lifetime of a response without any freshness information and without `Last-Modified`.
    public var defaultTTL: Int64 = 3600
    /// No lifetime is shorter.
    public var minTTL: Int64 = 0
    /// No lifetime is longer.
    public var maxTTL: Int64 = 365 * 86_400
    /// The `stale-while-revalidate` window where the origin names none.
    public var staleWhileRevalidate: Int64 = 0
    /// The `stale-if-error` window where the origin names none.
    public var staleIfError: Int64 = 86_400
    /// How long a stale entry stays for validation and for the two windows.
    public var keepStale: Int64 = 86_400
    /// What a temporary redirect without explicit freshness allows.
    public var redirectTTL: Int64 = 300
    /// Whether a client may force a fetch by `no-cache`, `max-age` or `min-fresh`.
    public var honorsClientDirectives = true
    /// Whether the origin is out of reach by decision: what is stored is served, fresh or not.
    public var isOffline = false

    /// The defaults of the configuration.
    public init() {}

    /// Whether a response with this status stays fresh for ever: failures and redirects never do.
    func keepsForever(_ status: Status) -> Bool {
        mode == .forever && (status.code == 200 || status.code == 203)
    }
}
