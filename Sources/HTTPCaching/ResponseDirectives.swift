import HTTPMessages

/// What a response says about caching, from whichever field is in force.
///
/// A number that is missing its digits, negative, fractional or otherwise broken counts as 0: RFC 9111 §4.2.1
/// encourages caches to take responses with invalid freshness information as stale. Of duplicates the first counts.
///
/// Source: RFC 9111 §5.2.2, RFC 5861, RFC 9213.
public struct ResponseDirectives: Hashable, Sendable {
    /// `max-age`, nil when absent.
    public var maxAge: Int64?
    /// `s-maxage`, nil when absent.
    public var sharedMaxAge: Int64?
    /// `stale-while-revalidate`, nil when absent.
    public var staleWhileRevalidate: Int64?
    /// `stale-if-error`, nil when absent.
    public var staleIfError: Int64?
    /// Whether `no-cache` stands there without field names.
    public var noCache = false
    /// The fields named by `no-cache`.
    public var noCacheFields: [FieldName] = []
    /// Whether `private` stands there without field names.
    public var isPrivate = false
    /// The fields named by `private`.
    public var privateFields: [FieldName] = []
    /// Whether nothing of the response may be stored.
    public var noStore = false
    /// Whether the response may be stored although it otherwise could not.
    public var isPublic = false
    /// Whether stale reuse without validation is forbidden.
    public var mustRevalidate = false
    /// The same for shared caches, which we are.
    public var proxyRevalidate = false
    /// Whether only caches that know the status may store it, `no-store` or not.
    public var mustUnderstand = false
    /// Whether the directives come from a field addressed to caches like ours, which puts `Expires` out of force.
    public var isTargeted = false

    /// Makes directives that say nothing.
    public init() {}

    /// Reads the directives in force: `CDN-Cache-Control` when it is valid, else `Cache-Control`.
    ///
    /// Source: RFC 9213 §2.2.
    public init(of fields: Fields) {
        if let value = fields.combined(.cdnCacheControl),
            let directives = TargetedDirectives.directives(in: value.span)
        {
            self.init(directives)
            isTargeted = true
        } else if let value = fields.combined(.cacheControl) {
            self.init(CacheControl.directives(in: value.span))
        } else {
            self.init()
        }
    }

    /// Reads a list of directives.
    public init(_ directives: [CacheControl.Directive]) {
        for directive in directives { apply(directive) }
    }

    /// The explicit lifetime that the directives give, nil when they give none.
    ///
    /// Source: RFC 9111 §4.2.1: `s-maxage` before `max-age`.
    public var explicitLifetime: Int64? { sharedMaxAge ?? maxAge }

    /// Whether a stale response may not be reused without validation, whatever a client or a window allows.
    ///
    /// Source: RFC 9111 §5.2.2.2, §5.2.2.8, §5.2.2.10 (`s-maxage` includes `proxy-revalidate`).
    public var forbidsStale: Bool { mustRevalidate || proxyRevalidate || sharedMaxAge != nil }

    private mutating func apply(_ directive: CacheControl.Directive) {
        if directive.isNamed("max-age") {
            maxAge = maxAge ?? directive.deltaSeconds ?? 0
        } else if directive.isNamed("s-maxage") {
            sharedMaxAge = sharedMaxAge ?? directive.deltaSeconds ?? 0
        } else if directive.isNamed("stale-while-revalidate") {
            staleWhileRevalidate = staleWhileRevalidate ?? directive.deltaSeconds ?? 0
        } else if directive.isNamed("stale-if-error") {
            staleIfError = staleIfError ?? directive.deltaSeconds ?? 0
        } else if directive.isNamed("no-cache") {
            Self.add(directive, flag: &noCache, fields: &noCacheFields)
        } else if directive.isNamed("private") {
            Self.add(directive, flag: &isPrivate, fields: &privateFields)
        } else {
            applyFlag(directive)
        }
    }

    /// Directives without an argument; one that comes with an argument all the same is honoured when it restricts.
    private mutating func applyFlag(_ directive: CacheControl.Directive) {
        if directive.isNamed("no-store") {
            noStore = true
        } else if directive.isNamed("must-revalidate") {
            mustRevalidate = true
        } else if directive.isNamed("proxy-revalidate") {
            proxyRevalidate = true
        } else if directive.isNamed("must-understand") {
            mustUnderstand = true
        } else if directive.isNamed("public"), directive.isWellFormed {
            isPublic = true
        }
    }

    /// Takes the field names of a qualified directive; one that names none, an invalid one, or one that
    /// caching rests on, counts as unqualified.
    private static func add(_ directive: CacheControl.Directive, flag: inout Bool, fields: inout [FieldName]) {
        guard directive.isWellFormed, let argument = directive.argument else {
            flag = true
            return
        }
        let members = FieldList.members(of: argument.span)
        let names = members.compactMap { FieldName(bytes: $0) }
        let isDecisive = names.contains { FieldTables.decisive.contains($0) }
        if names.isEmpty || names.count != members.count || isDecisive {
            flag = true
        } else {
            fields += names
        }
    }
}
