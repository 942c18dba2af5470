import HTTPCaching
import HTTPMessages
import Origin
import Testing

@testable import ImageService

/// What each failure looks like to a client: the contract's table.
private let answers: [(failure: Failure, status: UInt16, name: String, proxyParameter: String?)] = [
    (.badRequest("Two Host fields."), 400, "bad-request", nil),
    (.badURL(.empty), 400, "bad-url", nil),
    (.badParameter(name: "x", reason: "is not known"), 400, "bad-parameter", nil),
    (.notAllowed(rule: "denied_host"), 403, "not-allowed", nil),
    (.notFound, 404, "not-found", nil),
    (.methodNotAllowed(detail: "Only GET and HEAD are served here."), 405, "method-not-allowed", nil),
    (.requestTimeout, 408, "request-timeout", nil),
    (.urlTooLong(limit: 8192), 414, "url-too-long", nil),
    (.headTooLarge(limit: 8192), 431, "head-too-large", nil),
    (.misdirected, 421, "misdirected", nil),
    (.crossSite, 403, "not-allowed", nil),
    (.rangeNotSatisfiable(length: 10), 416, "range-not-satisfiable", nil),
    (.loop, 508, "loop", nil),
    (.notImplemented("Only chunked."), 501, "not-implemented", nil),
    (.versionNotSupported, 505, "version-not-supported", nil),
    (.originStatus(404), 404, "origin-status", "received-status=404"),
    (.originStatus(403), 403, "origin-status", "received-status=403"),
    (.originStatus(429), 429, "origin-status", "received-status=429"),
    (.originStatus(451), 451, "origin-status", "received-status=451"),
    (.originUnreachable(errno: 111), 502, "origin-unreachable", "error=connection_refused"),
    (.originUnreachable(errno: 113), 502, "origin-unreachable", "error=connection_terminated"),
    (.originTLS("handshake"), 502, "origin-tls", "error=tls_certificate_error"),
    (.originBroken("cut"), 502, "origin-broken", "error=http_protocol_error"),
    (.originDNS, 502, "origin-dns", "error=dns_error"),
    (.originTimeout(.dns), 504, "origin-timeout", "error=dns_timeout"),
    (.originTimeout(.connect), 504, "origin-timeout", "error=connection_timeout"),
    (.originTimeout(.firstByte), 504, "origin-timeout", "error=http_response_timeout"),
    (.originTimeout(.idle), 504, "origin-timeout", "error=connection_read_timeout"),
    (.originTimeout(.total), 504, "origin-timeout", "error=connection_read_timeout"),
    (.badRedirect("a loop"), 502, "bad-redirect", "error=http_protocol_error"),
    (.imageTooLarge(limit: 2_000_000), 502, "image-too-large", "error=http_response_body_size"),
    (.notAnImage, 502, "not-an-image", "error=http_protocol_error"),
    (.typeNotAllowed("image/gif"), 502, "type-not-allowed", "error=http_protocol_error"),
    (.notCached, 504, "not-cached", nil),
    (.overloaded("the queue is full"), 503, "overloaded", nil),
    (.purgeNotKept(.tooMany), 503, "overloaded", nil),
    (.tooManyConnections, 503, "too-many-connections", nil),
    (.draining, 503, "draining", nil),
    (.cancelled, 503, "cancelled", nil),
    (.originRefused(401), 502, "origin-refused", "received-status=401"),
    (.originError(500, retryAfterSeconds: nil), 502, "origin-error", "received-status=500"),
]

/// Source: RFC 9209 §2.3.
private let registeredErrors: Set<String> = [
    "dns_timeout", "dns_error", "destination_not_found", "destination_unavailable", "destination_ip_prohibited",
    "destination_ip_unroutable", "connection_refused", "connection_terminated", "connection_timeout",
    "connection_read_timeout", "connection_write_timeout", "connection_limit_reached", "tls_protocol_error",
    "tls_certificate_error", "tls_alert_received", "http_request_error", "http_request_denied",
    "http_response_incomplete", "http_response_header_section_size", "http_response_header_size",
    "http_response_body_size", "http_response_trailer_section_size", "http_response_trailer_size",
    "http_response_transfer_coding", "http_response_content_coding", "http_response_timeout", "http_upgrade_failed",
    "http_protocol_error", "proxy_internal_response", "proxy_internal_error", "proxy_configuration_error",
    "proxy_loop_detected",
]

@Suite struct FailureTests {
    @Test func `each failure has the status and the type of the contract`() {
        for expected in answers {
            let answer = expected.failure.answer
            #expect(answer.status == expected.status, "\(expected.failure)")
            #expect(answer.name == expected.name, "\(expected.failure)")
            #expect(answer.proxyParameter == expected.proxyParameter, "\(expected.failure)")
        }
    }

    @Test func `an origin's fault is told in the words of RFC 9209`() {
        for failure in answers.map(\.failure) {
            guard let parameter = failure.answer.proxyParameter, parameter.hasPrefix("error=") else { continue }
            #expect(registeredErrors.contains(String(parameter.dropFirst(6))), "\(failure)")
        }
    }

    @Test func `every answer says in one sentence what is wrong`() {
        for failure in answers.map(\.failure) {
            let answer = failure.answer
            #expect(!answer.title.isEmpty)
            #expect(answer.detail.hasSuffix("."), "\(answer.detail)")
            #expect(answer.name.utf8.allSatisfy { (97...122).contains($0) || $0 == 45 })
        }
        for error in TargetURLError.allCases { #expect(error.advice.hasSuffix("."), "\(error)") }
    }

    @Test func `what is only for the log does not reach the client`() {
        let secrets: [Failure] = [
            .notAllowed(rule: "SECRET"), .originTLS("SECRET"), .originBroken("SECRET"), .overloaded("SECRET"),
            .typeNotAllowed("SECRET"),
        ]
        for failure in secrets {
            #expect(!failure.answer.detail.contains("SECRET"))
            #expect(!failure.answer.title.contains("SECRET"))
        }
        #expect(Failure.notAllowed(rule: "port").answer == Failure.notAllowed(rule: "denied_host").answer)
    }

    @Test func `who can only wait is told how long`() {
        let waiting: [Failure] = [
            .overloaded("x"), .purgeNotKept(.notWritten), .tooManyConnections, .draining, .cancelled,
        ]
        for failure in waiting { #expect(failure.answer.retryAfterSeconds == 1) }
        #expect(Failure.originError(503, retryAfterSeconds: 17).answer.retryAfterSeconds == 17)
        #expect(Failure.originError(503, retryAfterSeconds: nil).answer.retryAfterSeconds == nil)
        #expect(Failure.notCached.answer.retryAfterSeconds == nil)
    }

    // MARK: From the origin layer

    @Test(
        arguments: [
            (.notAllowed(.deniedHost), .notAllowed(rule: TargetRule.deniedHost.label)),
            (.downgradeRefused, .notAllowed(rule: "downgrade")),
            (.dns(.notFound), .originDNS), (.dns(.noAddress), .originDNS),
            (.dns(.serverFailure(status: 2)), .originDNS),
            (.dnsTimeout, .originTimeout(.dns)),
            (.unreachable(errno: 111), .originUnreachable(errno: 111)),
            (.closedEarly(errno: 104), .originUnreachable(errno: 104, wasAsked: true)),
            (.connectTimeout, .originTimeout(.connect)),
            (.tls("x"), .originTLS("x")), (.broken("x"), .originBroken("x")),
            (.firstByteTimeout, .originTimeout(.firstByte)), (.idleTimeout, .originTimeout(.idle)),
            (.totalTimeout, .originTimeout(.total)),
            (.tooManyRedirects, .badRedirect("too many hops")), (.redirectLoop, .badRedirect("a loop")),
            (.badLocation, .badRedirect("no usable Location")),
            (.internalFailure(function: "f", code: 3), .overloaded("f: 3")),
        ] as [(OriginError, Failure)])
    func `what the origin layer reports has its place`(error: OriginError, failure: Failure) {
        #expect(Failure(error) == failure)
    }

    // MARK: Consequences

    @Test func `faults of the origin are remembered by kind, those of the client and ours are not`() {
        let kinds: [(Failure, NegativeTTL.Failure)] = [
            (.originStatus(404), .notFound), (.originRefused(401), .notFound),
            (.originError(500, retryAfterSeconds: nil), .serverError), (.originUnreachable(errno: 0), .refused),
            (.originBroken(""), .refused), (.badRedirect(""), .refused), (.originTimeout(.idle), .timeout),
            (.originDNS, .dns), (.originTLS(""), .tls), (.imageTooLarge(limit: 1), .tooLarge),
            (.notAnImage, .notAnImage), (.typeNotAllowed(""), .notAnImage),
        ]
        for (failure, kind) in kinds { #expect(failure.negativeKind == kind, "\(failure)") }
        let names = Set(kinds.map { $0.0.answer.name })
        for failure in answers.map(\.failure) where !names.contains(failure.answer.name) {
            #expect(failure.negativeKind == nil, "\(failure)")
        }
    }

    @Test func `RFC 5861 §4: a stale image stands in only where the origin may recover`() {
        let recovering: Set = [
            "origin-error", "origin-unreachable", "origin-tls", "origin-broken", "origin-dns", "origin-timeout",
            "overloaded", "cancelled",
        ]
        for failure in answers.map(\.failure) {
            // It shares the name of downloads that wait, and no image waits for a purge.
            if case .purgeNotKept = failure {
                #expect(!failure.allowsStale)
            } else {
                #expect(failure.allowsStale == recovering.contains(failure.answer.name), "\(failure)")
            }
        }
    }
}
