/// Why an origin gave no (whole) response.
public enum OriginError: Error, Hashable, Sendable {
    /// A rule refuses the URL or every address of it, at the first hop or a later one.
    case notAllowed(TargetRule)
    /// https would have led to http.
    case downgradeRefused
    /// The name has no address.
    case dns(DNSFailure)
    /// The name servers said nothing in time.
    case dnsTimeout
    /// No connection; `errno` is the last reason the system gave, 0 if none.
    case unreachable(errno: Int32)
    /// No connection, TLS included, in time.
    case connectTimeout
    /// The handshake failed, or the certificate did not convince; libcurl's words, for the log.
    case tls(String)
    /// The connection ended before anything was said, even after libcurl's own second try on a fresh connection.
    case closedEarly(errno: Int32)
    /// The response breaks HTTP, or its body was cut; what is wrong, for the log.
    case broken(String)
    /// No complete head in time.
    case firstByteTimeout
    /// The body stood still for too long.
    case idleTimeout
    /// Everything together took too long.
    case totalTimeout
    /// More redirects than allowed.
    case tooManyRedirects
    /// A redirect to a URL that was already asked.
    case redirectLoop
    /// A redirect without one usable `Location`.
    case badLocation
    /// We could not do our part: memory, descriptors, a library that refuses; the function and its code.
    case internalFailure(function: String, code: Int32)
}

/// Why a name has no address.
public enum DNSFailure: Hashable, Sendable {
    /// There is no such name.
    case notFound
    /// The name exists, but has no address.
    case noAddress
    /// The servers answered with a failure, or none could be asked; c-ares's status.
    case serverFailure(status: Int32)
}

extension OriginError {
    /// True when nothing of a response had arrived, so that asking again repeats nothing.
    ///
    /// A total timeout says nothing about how far things were and counts as false.
    public var isBeforeFirstByte: Bool {
        switch self {
        case .notAllowed, .dns, .dnsTimeout, .unreachable, .connectTimeout, .tls, .closedEarly, .firstByteTimeout,
            .internalFailure:
            true
        case .downgradeRefused, .broken, .idleTimeout, .totalTimeout, .tooManyRedirects, .redirectLoop, .badLocation:
            false
        }
    }

    /// True when the same request may well succeed in a moment.
    public var mayPass: Bool {
        switch self {
        case .dns(.serverFailure), .dnsTimeout, .unreachable, .connectTimeout, .closedEarly, .firstByteTimeout: true
        case .broken, .idleTimeout, .totalTimeout, .internalFailure: true
        case .notAllowed, .downgradeRefused, .dns, .tls, .tooManyRedirects, .redirectLoop, .badLocation: false
        }
    }

    /// True when a clock of ours ended it.
    public var isTimeout: Bool {
        switch self {
        case .dnsTimeout, .connectTimeout, .firstByteTimeout, .idleTimeout, .totalTimeout: true
        case .notAllowed, .downgradeRefused, .dns, .unreachable, .tls, .closedEarly, .broken, .tooManyRedirects,
            .redirectLoop, .badLocation, .internalFailure:
            false
        }
    }

    /// A fixed word for counters and logs.
    public var label: String {
        switch self {
        case .notAllowed: "not-allowed"
        case .downgradeRefused: "downgrade-refused"
        case .dns: "dns"
        case .dnsTimeout: "dns-timeout"
        case .unreachable: "unreachable"
        case .connectTimeout: "connect-timeout"
        case .tls: "tls"
        case .closedEarly: "closed-early"
        case .broken: "broken"
        case .firstByteTimeout: "first-byte-timeout"
        case .idleTimeout: "idle-timeout"
        case .totalTimeout: "total-timeout"
        case .tooManyRedirects: "too-many-redirects"
        case .redirectLoop: "redirect-loop"
        case .badLocation: "bad-location"
        case .internalFailure: "internal"
        }
    }
}
