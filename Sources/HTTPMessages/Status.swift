/// A response status: a three-digit code.
///
/// A struct and not an enum, because origins send codes that no list knows, and those are relayed as they are.
///
/// Source: RFC 9110 §15.
public struct Status: Hashable, Sendable {
    /// The code, 100 to 599 where it came through `init(code:)`.
    public let code: UInt16

    /// Makes a status from a code, nil outside 100…599 (RFC 9110 §15: such codes are invalid).
    public init?(code: Int) {
        guard (100...599).contains(code) else { return nil }
        self.code = UInt16(code)
    }

    /// Makes a status from a code that the source text shows to be valid.
    init(known code: UInt16) {
        self.code = code
    }

    /// The hundreds of the code: the class of the response (RFC 9110 §15).
    public var classDigit: Int { Int(code / 100) }

    /// Tells whether the status is an interim one, 1xx.
    public var isInformational: Bool { classDigit == 1 }
    /// Tells whether the status is 2xx.
    public var isSuccessful: Bool { classDigit == 2 }
    /// Tells whether the status is 3xx.
    public var isRedirection: Bool { classDigit == 3 }
    /// Tells whether the status is 4xx.
    public var isClientError: Bool { classDigit == 4 }
    /// Tells whether the status is 5xx.
    public var isServerError: Bool { classDigit == 5 }

    /// Tells whether a response with this status never has content (RFC 9110 §6.4.1).
    public var forbidsContent: Bool { isInformational || code == 204 || code == 304 }
}

extension Status {
    /// The reason phrase of the registry, empty for a code that is not in it.
    ///
    /// Source: IANA HTTP Status Code Registry.
    public var reason: String {
        switch code {
        case 100..<300: positiveReason
        case 300..<400: redirectionReason
        case 400..<500: clientErrorReason
        default: serverErrorReason
        }
    }

    private var positiveReason: String {
        switch code {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 103: "Early Hints"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 203: "Non-Authoritative Information"
        case 204: "No Content"
        case 205: "Reset Content"
        case 206: "Partial Content"
        default: ""
        }
    }

    private var redirectionReason: String {
        switch code {
        case 300: "Multiple Choices"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        default: ""
        }
    }

    private var clientErrorReason: String {
        switch code {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 402: "Payment Required"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 425: "Too Early"
        case 426: "Upgrade Required"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 451: "Unavailable For Legal Reasons"
        default: ""
        }
    }

    private var serverErrorReason: String {
        switch code {
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        case 508: "Loop Detected"
        case 511: "Network Authentication Required"
        default: ""
        }
    }
}
