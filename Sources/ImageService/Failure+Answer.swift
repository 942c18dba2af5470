import HTTPMessages

/// What the client sees of a failure: status, problem type, one sentence that says what to do.
struct FailureAnswer: Hashable, Sendable {
    /// The HTTP status; the origin's own where its word is passed on.
    let status: UInt16
    /// The last part of `urn:imagestore:error:NAME`.
    let name: String
    /// The problem's `title`: the same words for each type.
    let title: String
    /// The problem's `detail`: one sentence that says what to do, without internal facts.
    let detail: String
    /// The parameter of `Proxy-Status` where the origin is at fault: an `error` of RFC 9209 §2.3, or the status received
    /// (§2.1.4).
    var proxyParameter: String?
    /// The value of `Retry-After`, where the client is told when to come again.
    var retryAfterSeconds: Int64?

    /// Makes a row of the table; only what the origin is to blame for has a `proxy` parameter.
    init(
        _ status: UInt16, _ name: String, _ title: String, _ detail: String, proxy: String? = nil,
        retryAfter: Int64? = nil
    ) {
        self.status = status
        self.name = name
        self.title = title
        self.detail = detail
        proxyParameter = proxy
        retryAfterSeconds = retryAfter
    }

    /// The same answer under another status.
    func withStatus(_ status: UInt16) -> FailureAnswer {
        FailureAnswer(status, name, title, detail, proxy: proxyParameter, retryAfter: retryAfterSeconds)
    }
}

extension Failure {
    /// The answer of each failure: the contract's table, in its order.
    var answer: FailureAnswer {
        switch self {
        case .badRequest(let detail): .init(400, "bad-request", "Bad request", detail)
        case .badURL(let error):
            .init(
                400, "bad-url", "Bad image URL",
                "The url parameter is not a URL that can be fetched: \(error.advice)")
        case .badParameter(let name, let reason):
            .init(400, "bad-parameter", "Bad parameter", "The parameter \(name) \(reason).")
        case .notAllowed:
            .init(403, "not-allowed", "Not allowed", "This URL may not be fetched through this service.")
        case .notFound:
            .init(
                404, "not-found", "Not found",
                "There is nothing here; ask for /image?url=… with a percent-encoded URL.")
        case .methodNotAllowed(let detail): .init(405, "method-not-allowed", "Method not allowed", detail)
        case .requestTimeout:
            .init(408, "request-timeout", "Request timeout", "The request head took too long; send it in one go.")
        case .urlTooLong(let limit):
            .init(414, "url-too-long", "URL too long", "The URL is longer than \(limit) bytes; use a shorter one.")
        case .headTooLarge(let limit):
            .init(
                431, "head-too-large", "Head too large",
                "The request head is larger than \(limit) bytes; send fewer fields.")
        case .misdirected:
            .init(
                421, "misdirected", "Misdirected request",
                "This Host is not served here; use the listener's address, or add the name to adminHosts.")
        case .crossSite:
            .init(
                403, "not-allowed", "Not allowed",
                "Pages of other sites may not change anything here; ask from the service's own pages, or with curl.")
        case .rangeNotSatisfiable:
            .init(
                416, "range-not-satisfiable", "Range not satisfiable",
                "The range begins behind the end of the image; ask without Range.")
        case .loop:
            .init(
                508, "loop", "Loop detected",
                "The request has passed this service already; do not point it at itself.")
        case .notImplemented(let detail): .init(501, "not-implemented", "Not implemented", detail)
        case .versionNotSupported:
            .init(
                505, "version-not-supported", "HTTP version not supported",
                "Only HTTP/1.1 and HTTP/1.0 are spoken here.")
        case .originStatus(let code, let retryAfter):
            .init(
                code, "origin-status", "The origin said \(code)",
                "The origin does not give this image: it answered \(code).", proxy: "received-status=\(code)",
                retryAfter: retryAfter)
        case .originRefused(let code):
            .init(
                502, "origin-refused", "The origin refused",
                "The origin answered \(code), which does not concern the image; check what it expects.",
                proxy: "received-status=\(code)")
        case .originError(let code, let retryAfter):
            .init(
                502, "origin-error", "The origin failed", "The origin answered \(code); try again later.",
                proxy: "received-status=\(code)", retryAfter: retryAfter)
        case .originUnreachable(let code, _):
            .init(
                502, "origin-unreachable", "The origin is unreachable",
                "No connection to the origin could be kept; check that it is up.",
                proxy: code == Self.connectionRefused ? "error=connection_refused" : "error=connection_terminated")
        case .originTLS:
            .init(
                502, "origin-tls", "The origin's TLS failed",
                "The origin's certificate or TLS handshake was not accepted; check it, or set caFile.",
                proxy: "error=tls_certificate_error")
        case .originBroken:
            .init(
                502, "origin-broken", "The origin broke HTTP",
                "The origin's response was malformed or cut short.", proxy: "error=http_protocol_error")
        case .originDNS:
            .init(
                502, "origin-dns", "The name does not resolve",
                "The host of the image has no address; check its spelling.", proxy: "error=dns_error")
        case .originTimeout(let phase):
            .init(
                504, "origin-timeout", "The origin took too long",
                "The origin did not answer in time; try again later.", proxy: "error=\(phase.proxyError)")
        case .badRedirect(let what):
            .init(
                502, "bad-redirect", "Bad redirect", "The origin's redirects lead nowhere: \(what).",
                proxy: "error=http_protocol_error")
        case .cannotValidate(let cause): cause.answer.withStatus(504)
        case .imageTooLarge(let limit):
            .init(
                502, "image-too-large", "Image too large",
                "The image is larger than maxDownloadSize, \(limit) bytes.", proxy: "error=http_response_body_size")
        case .notAnImage:
            .init(
                502, "not-an-image", "Not an image", "What the origin sent is not an image.",
                proxy: "error=http_protocol_error")
        case .typeNotAllowed:
            .init(
                502, "type-not-allowed", "Type not allowed",
                "The origin sent a type that contentTypes or allowSVG does not admit.",
                proxy: "error=http_protocol_error")
        case .notCached:
            .init(
                504, "not-cached", "Not cached",
                "The image is not in the cache, and the request does not let it be fetched.")
        case .overloaded:
            .init(
                503, "overloaded", "Overloaded", "Too many downloads are waiting; try again in a moment.",
                retryAfter: 1)
        case .purgeNotKept(let obstacle): .init(503, "overloaded", "Overloaded", obstacle.advice, retryAfter: 1)
        case .tooManyConnections:
            .init(
                503, "too-many-connections", "Too many connections",
                "All client connections are taken; try again in a moment.", retryAfter: 1)
        case .draining:
            .init(
                503, "draining", "Shutting down", "The service is shutting down; try again in a moment.",
                retryAfter: 1)
        case .cancelled:
            .init(
                503, "cancelled", "Cancelled", "The download was cancelled; ask again to start a new one.",
                retryAfter: 1)
        }
    }

    /// ECONNREFUSED of Linux, connect(2).
    private static let connectionRefused: Int32 = 111
}

extension Failure.PurgeObstacle {
    /// What to do about it.
    var advice: String {
        switch self {
        case .tooMany: "Too many purges by host or prefix are under way; try again later."
        case .notWritten: "The purge is in force, but the disk does not keep it over a restart; try again."
        }
    }
}

extension Failure.OriginPhase {
    /// Source: RFC 9209 §2.3.
    var proxyError: String {
        switch self {
        case .dns: "dns_timeout"
        case .connect: "connection_timeout"
        case .firstByte: "http_response_timeout"
        case .idle, .total: "connection_read_timeout"
        }
    }
}
