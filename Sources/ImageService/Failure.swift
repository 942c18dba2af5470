import HTTPCaching
import HTTPMessages
import Origin

/// Every way in which a request can fail, with the facts that its log line needs.
///
/// What the client sees of each is in `Failure+Answer`.
public enum Failure: Error, Hashable, Sendable {
    // The request.

    /// The head breaks HTTP's grammar; the sentence says how.
    case badRequest(String)
    /// The `url` parameter is no URL that is fetched.
    case badURL(TargetURLError)
    /// A parameter is unknown, repeated, missing or malformed.
    case badParameter(name: String, reason: String)
    /// A rule refuses the URL, or a redirect on the way; the client is never told which.
    case notAllowed(rule: String)
    /// No such path.
    case notFound
    /// No such method here; the sentence says what to use.
    case methodNotAllowed(detail: String)
    /// The head did not come in time.
    case requestTimeout
    /// The URL or the request target is too long.
    case urlTooLong(limit: Int)
    /// The head is too large.
    case headTooLarge(limit: Int)
    /// A foreign `Host` on the admin listener.
    case misdirected
    /// A page of another site asks for a change of state.
    case crossSite
    /// The range lies behind the end of a body of this many bytes.
    case rangeNotSatisfiable(length: Int)
    /// The request has passed here before.
    case loop
    /// A method or transfer coding that nobody speaks here.
    case notImplemented(String)
    /// A version of HTTP that is not spoken here.
    case versionNotSupported

    // The origin.

    /// It will not give this image: a 4xx that concerns it, with what it asks for by `Retry-After`.
    case originStatus(UInt16, retryAfterSeconds: Int64? = nil)
    /// It will not talk to us: a status that concerns the request, not the image.
    case originRefused(UInt16)
    /// It failed: a 5xx, with what it asks for by `Retry-After`.
    case originError(UInt16, retryAfterSeconds: Int64?)
    /// No connection, or one that ended before anything was said, though it was asked.
    case originUnreachable(errno: Int32, wasAsked: Bool = false)
    /// The handshake or the certificate did not convince; libcurl's words.
    case originTLS(String)
    /// The response breaks HTTP, or was cut.
    case originBroken(String)
    /// The name has no address.
    case originDNS
    /// A phase took too long.
    case originTimeout(OriginPhase)
    /// The redirects lead nowhere.
    case badRedirect(String)
    /// What is stored may not be served without the origin's word, and the origin cannot be asked (RFC 9111 §5.2.2.2).
    indirect case cannotValidate(Failure)

    // What the origin sent.

    /// More bytes than `maxDownloadSize`.
    case imageTooLarge(limit: Int)
    /// The bytes are no image, or there are none.
    case notAnImage
    /// An image of a type that is not served.
    case typeNotAllowed(String)

    // Ourselves.

    /// Not in the tiers that the request allows.
    case notCached
    /// The queue is full, or the wait in it too long.
    case overloaded(String)
    /// A purge cannot be kept over a restart.
    case purgeNotKept(PurgeObstacle)
    /// All places for clients are taken.
    case tooManyConnections
    /// The service ends.
    case draining
    /// Somebody cancelled the download.
    case cancelled

    /// Why a purge cannot be kept.
    public enum PurgeObstacle: Hashable, Sendable {
        /// Too many purges by rule are under way; this one was not begun.
        case tooMany
        /// It is in force, but the disk does not take it.
        case notWritten
    }

    /// The phase of a fetch that took too long.
    public enum OriginPhase: String, Hashable, Sendable {
        /// By the timeouts of the configuration: `dnsTimeout`, `connectTimeout`, `firstByteTimeout`,
        /// `transferIdleTimeout`, `totalTimeout`.
        case dns, connect, firstByte, idle, total
    }
}

extension Failure {
    /// Takes over what the origin layer reports.
    init(_ error: OriginError) {
        switch error {
        case .notAllowed(let rule): self = .notAllowed(rule: rule.label)
        case .downgradeRefused: self = .notAllowed(rule: "downgrade")
        case .dns: self = .originDNS
        case .dnsTimeout: self = .originTimeout(.dns)
        case .unreachable(let code): self = .originUnreachable(errno: code)
        case .closedEarly(let code): self = .originUnreachable(errno: code, wasAsked: true)
        case .connectTimeout: self = .originTimeout(.connect)
        case .tls(let text): self = .originTLS(text)
        case .broken(let text): self = .originBroken(text)
        case .firstByteTimeout: self = .originTimeout(.firstByte)
        case .idleTimeout: self = .originTimeout(.idle)
        case .totalTimeout: self = .originTimeout(.total)
        case .tooManyRedirects: self = .badRedirect("too many hops")
        case .redirectLoop: self = .badRedirect("a loop")
        case .badLocation: self = .badRedirect("no usable Location")
        case .internalFailure(let function, let code): self = .overloaded("\(function): \(code)")
        }
    }

    /// The class by which the failure is remembered; nil when it is not.
    var negativeKind: NegativeTTL.Failure? {
        switch self {
        case .originStatus, .originRefused: .notFound
        case .originError: .serverError
        case .originUnreachable, .originBroken, .badRedirect: .refused
        case .originTimeout: .timeout
        case .originDNS: .dns
        case .originTLS: .tls
        case .imageTooLarge: .tooLarge
        case .notAnImage, .typeNotAllowed: .notAnImage
        case .cannotValidate(let cause): cause.negativeKind
        case .badRequest, .badURL, .badParameter, .notAllowed, .notFound, .methodNotAllowed, .requestTimeout,
            .urlTooLong, .headTooLarge, .misdirected, .crossSite, .rangeNotSatisfiable, .loop, .notImplemented,
            .versionNotSupported, .notCached, .overloaded, .purgeNotKept, .tooManyConnections, .draining, .cancelled:
            nil
        }
    }

    /// Whether the origin has seen the request, so that other request fields may fare better.
    var dependsOnRequest: Bool {
        switch self {
        case .originDNS, .originTLS, .originTimeout(.dns), .originTimeout(.connect): false
        case .originUnreachable(_, let wasAsked): wasAsked
        default: true
        }
    }

    /// Whether the origin's word is about the request it was sent, rather than about the image.
    var isAboutRequest: Bool {
        switch self {
        case .originStatus(let code, _), .originRefused(let code):
            [400, 403, 405, 406, 411, 412, 413, 414, 415, 417, 422, 428, 431].contains(code)
        default: false
        }
    }

    /// Whether the origin says that the image is gone, or not to be had, which ends what is stored (RFC 9111 §4.3.3).
    ///
    /// Other refusals are about the request.
    var endsStored: Bool {
        guard case .originStatus(let code, _) = self else { return false }
        return [403, 404, 410, 451].contains(code)
    }

    /// When the origin wants to be asked again; nil when it did not say.
    var retryAfterSeconds: Int64? {
        switch self {
        case .originStatus(_, let seconds), .originError(_, let seconds): seconds
        case .cannotValidate(let cause): cause.retryAfterSeconds
        default: nil
        }
    }

    /// Whether a stale image may stand in: the origin is at fault and may recover (RFC 5861 §4).
    var allowsStale: Bool {
        switch self {
        case .originError, .originUnreachable, .originTLS, .originBroken, .originDNS, .originTimeout, .overloaded,
            .cancelled:
            true
        case .badRequest, .badURL, .badParameter, .notAllowed, .notFound, .methodNotAllowed, .requestTimeout,
            .urlTooLong, .headTooLarge, .misdirected, .crossSite, .rangeNotSatisfiable, .loop, .notImplemented,
            .versionNotSupported, .originStatus, .originRefused, .badRedirect, .imageTooLarge, .notAnImage,
            .typeNotAllowed, .notCached, .purgeNotKept, .tooManyConnections, .draining, .cannotValidate:
            false
        }
    }

    /// Whether there was no word of the origin at all, as for a cache that is disconnected.
    private var isDisconnection: Bool {
        switch self {
        case .originUnreachable, .originTLS, .originBroken, .originDNS, .originTimeout: true
        case .badRequest, .badURL, .badParameter, .notAllowed, .notFound, .methodNotAllowed, .requestTimeout,
            .urlTooLong, .headTooLarge, .misdirected, .crossSite, .rangeNotSatisfiable, .loop, .notImplemented,
            .versionNotSupported, .originStatus, .originRefused, .originError, .badRedirect, .cannotValidate,
            .imageTooLarge, .notAnImage, .typeNotAllowed, .notCached, .overloaded, .purgeNotKept, .tooManyConnections,
            .draining, .cancelled:
            false
        }
    }

    /// The failure as those see it for whom something is stored that only the origin could have allowed.
    ///
    /// Source: RFC 9111 §5.2.2.2: a disconnected cache answers 504 then.
    func forbidding(stale isForbidden: Bool) -> Failure {
        isForbidden && isDisconnection ? .cannotValidate(self) : self
    }
}
