import Glibc

extension OriginError {
    /// The name of the error in a `Proxy-Status` field.
    ///
    /// Source: RFC 9209, section 2.3.
    public var proxyStatusType: String {
        switch self {
        case .notAllowed: "http_request_denied"
        case .downgradeRefused, .tooManyRedirects, .redirectLoop, .badLocation: "http_protocol_error"
        case .dns: "dns_error"
        case .dnsTimeout: "dns_timeout"
        case .unreachable(let code): Self.proxyStatusType(ofConnect: code)
        case .connectTimeout: "connection_timeout"
        case .tls(let text): text.hasPrefix(Self.certificatePrefix) ? "tls_certificate_error" : "tls_protocol_error"
        case .closedEarly: "connection_terminated"
        case .broken(let text): text == Self.cutBody ? "http_response_incomplete" : "http_protocol_error"
        case .firstByteTimeout: "http_response_timeout"
        case .idleTimeout: "connection_read_timeout"
        case .totalTimeout: "http_response_timeout"
        case .internalFailure: "proxy_internal_error"
        }
    }

    /// How the text of a certificate failure begins.
    static let certificatePrefix = "certificate: "
    /// The text of a body that ended before its end.
    static let cutBody = "the body was cut short"

    private static func proxyStatusType(ofConnect code: Int32) -> String {
        switch code {
        case ECONNREFUSED: "connection_refused"
        case ETIMEDOUT: "connection_timeout"
        case ENETUNREACH, EHOSTUNREACH: "destination_ip_unroutable"
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: "proxy_internal_error"
        default: "destination_unavailable"
        }
    }
}
