import HTTPMessages

/// What a client asks of a cache.
///
/// Source: RFC 9111 §5.2.1, §5.4; RFC 5861 §4.
public struct RequestDirectives: Hashable, Sendable {
    /// How stale a response a client takes.
    public enum MaxStale: Hashable, Sendable {
        /// At most this many seconds past its lifetime.
        case seconds(Int64)
        /// However stale.
        case any
    }

    /// Whether the stored response has to be validated first.
    public var noCache = false
    /// Whether the answer to this request must not be stored.
    public var noStore = false
    /// The greatest age that is wanted.
    public var maxAge: Int64?
    /// Whether and how stale an answer may be.
    public var maxStale: MaxStale?
    /// For how many seconds more the answer has to be fresh.
    public var minFresh: Int64?
    /// The stale-if-error window that the client allows.
    public var staleIfError: Int64?
    /// Whether the client wants no request to go to the origin.
    public var onlyIfCached = false

    /// Makes directives that ask for nothing.
    public init() {}

    /// Reads `Cache-Control`, and `Pragma: no-cache` where there is none.
    ///
    /// An invalid `max-age` counts as 0; other directives with an invalid number ask for nothing
    /// and give way to a valid duplicate.
    public init(of fields: Fields) {
        guard let value = fields.combined(.cacheControl) else {
            readPragma(fields)
            return
        }
        for directive in CacheControl.directives(in: value.span) { apply(directive) }
    }

    private mutating func readPragma(_ fields: Fields) {
        guard let value = fields.combined(.pragma) else { return }
        noCache = CacheControl.directives(in: value.span).contains { $0.isNamed("no-cache") && $0.isWellFormed }
    }

    private mutating func apply(_ directive: CacheControl.Directive) {
        if directive.isNamed("no-cache") {
            noCache = true
        } else if directive.isNamed("no-store") {
            noStore = true
        } else if directive.isNamed("only-if-cached") {
            onlyIfCached = true
        } else if directive.isNamed("max-age") {
            maxAge = maxAge ?? directive.deltaSeconds ?? 0
        } else if directive.isNamed("min-fresh") {
            minFresh = minFresh ?? directive.deltaSeconds
        } else if directive.isNamed("stale-if-error") {
            staleIfError = staleIfError ?? directive.deltaSeconds
        } else if directive.isNamed("max-stale"), maxStale == nil {
            maxStale =
                directive.argument == nil && directive.isWellFormed
                ? .any : directive.deltaSeconds.map(MaxStale.seconds)
        }
    }
}
