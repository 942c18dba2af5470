import HTTPMessages

/// Whether a response may be stored, and if not, which rule says so.
///
/// Source: RFC 9111 §3, §3.5, §5.2.2.
public enum Storability: Hashable, Sendable {
    /// It may be stored, without the fields that `HeaderRules` takes away.
    case store
    /// It may not.
    case doNotStore(Reason)

    /// The rule that keeps a response out of the store.
    public enum Reason: Hashable, Sendable {
        /// The body did not arrive whole (RFC 9111 §3.3: we keep no parts).
        case incomplete
        /// An interim or partial status, or a 304 nobody asked for.
        case statusNotFinal
        /// Only images are kept, and this status carries none.
        case statusNotAnImage
        /// `must-understand`, and we do not know the status.
        case statusNotUnderstood
        /// `no-store` of the origin.
        case noStore
        /// `no-store` of every client that waited for it.
        case requestNoStore
        /// `private` without field names.
        case isPrivate
        /// The request carried `Authorization` and nothing allows sharing.
        case authorization
        /// The request carried `Cookie` and nothing says `public`.
        case cookie
        /// `Vary: *` never matches a request.
        case variesOnEverything
        /// No explicit freshness, and the status may not be cached without.
        case noFreshness
    }

    /// Whether what is stored under the same key holds no longer, because an origin's answer took its place.
    ///
    /// What is about one client alone says nothing about what others share.
    public var endsStored: Bool {
        switch self {
        case .store: true
        case .doNotStore(.requestNoStore), .doNotStore(.authorization), .doNotStore(.cookie),
            .doNotStore(.incomplete):
            false
        case .doNotStore: true
        }
    }

    /// What is stored at all.
    public enum Scope: Hashable, Sendable {
        /// Images: complete 200 and 203 only.
        case images
        /// Every response that RFC 9111 allows.
        case everything
    }

    /// What counts about the requests that a response answers.
    public struct RequestFacts: Hashable, Sendable {
        /// Whether `Authorization` was sent to the origin.
        public var sentAuthorization = false
        /// Whether `Cookie` was sent to the origin.
        public var sentCookie = false
        /// Whether every client that waits said `no-store`.
        public var everyoneSaidNoStore = false

        /// Makes the facts of an ordinary request.
        public init() {}
    }

    /// Judges a response to a GET.
    ///
    /// - Parameter isComplete: whether the whole body arrived, or, while it is still arriving, will have.
    public static func judge(
        status: Status, fields: Fields, request: RequestFacts, isComplete: Bool, scope: Scope,
        settings: CachePolicySettings
    ) -> Storability {
        guard isComplete else { return .doNotStore(.incomplete) }
        if let reason = statusRule(status, scope: scope) { return .doNotStore(reason) }
        let directives = ResponseDirectives(of: fields)
        if let reason = sharingRule(directives, request) { return .doNotStore(reason) }
        if Variance(of: fields) == .any { return .doNotStore(.variesOnEverything) }
        if request.everyoneSaidNoStore { return .doNotStore(.requestNoStore) }
        if settings.keepsForever(status) { return .store }
        if let reason = directiveRule(status, directives) { return .doNotStore(reason) }
        return hasReasonToStore(status, fields, directives) ? .store : .doNotStore(.noFreshness)
    }

    /// Whether a lifetime may be guessed for a response.
    ///
    /// Source: RFC 9111 §4.2.2; RFC 9110 §15.1 (heuristically cacheable statuses), RFC 7725 §3 (451).
    public static func allowsHeuristics(status: Status, directives: ResponseDirectives) -> Bool {
        directives.isPublic || heuristicCodes.contains(status.code)
    }

    /// Without 206, of which we keep no part.
    private static let heuristicCodes: Set<UInt16> = [
        200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 451, 501,
    ]

    /// Statuses whose caching requirements are met here, for `must-understand`.
    private static let understoodCodes: Set<UInt16> = [
        200, 203, 204, 300, 301, 302, 303, 307, 308, 400, 403, 404, 405, 410, 414, 421, 429, 431, 451, 500, 501, 502,
        503, 504, 511,
    ]

    /// A 206 is made whole before it comes here, or refused; a 304 freshens what is stored.
    private static func statusRule(_ status: Status, scope: Scope) -> Reason? {
        guard status.code >= 200, status.code != 206, status.code != 304 else { return .statusNotFinal }
        guard scope == .images else { return nil }
        return status.code == 200 || status.code == 203 ? nil : .statusNotAnImage
    }

    /// What no mode may overrule: another user's answer.
    ///
    /// Source: RFC 9111 §3.5; RFC 6265 says nothing of caches, so a cookie asks for an explicit `public`.
    private static func sharingRule(_ directives: ResponseDirectives, _ request: RequestFacts) -> Reason? {
        let mayShare = directives.isPublic || directives.mustRevalidate || directives.sharedMaxAge != nil
        if request.sentAuthorization, !mayShare { return .authorization }
        return request.sentCookie && !directives.isPublic ? .cookie : nil
    }

    private static func directiveRule(_ status: Status, _ directives: ResponseDirectives) -> Reason? {
        if directives.mustUnderstand {
            // RFC 9111 §5.2.2.3: who understands the status ignores no-store.
            guard understoodCodes.contains(status.code) else { return .statusNotUnderstood }
        } else if directives.noStore {
            return .noStore
        }
        return directives.isPrivate ? .isPrivate : nil
    }

    /// Source: RFC 9111 §3, last point.
    private static func hasReasonToStore(
        _ status: Status, _ fields: Fields, _ directives: ResponseDirectives
    ) -> Bool {
        directives.explicitLifetime != nil || (!directives.isTargeted && fields.contains(.expires))
            || allowsHeuristics(status: status, directives: directives)
    }
}
