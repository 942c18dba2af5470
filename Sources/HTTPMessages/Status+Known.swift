/// The statuses that the service itself sends or judges.
extension Status {
    /// 100: RFC 9110 §15.2.1.
    public static let `continue` = Status(known: 100)
    /// 200: RFC 9110 §15.3.1.
    public static let ok = Status(known: 200)
    /// 202: RFC 9110 §15.3.3.
    public static let accepted = Status(known: 202)
    /// 204: RFC 9110 §15.3.5.
    public static let noContent = Status(known: 204)
    /// 206: RFC 9110 §15.3.7.
    public static let partialContent = Status(known: 206)
    /// 301: RFC 9110 §15.4.2.
    public static let movedPermanently = Status(known: 301)
    /// 302: RFC 9110 §15.4.3.
    public static let found = Status(known: 302)
    /// 303: RFC 9110 §15.4.4.
    public static let seeOther = Status(known: 303)
    /// 304: RFC 9110 §15.4.5.
    public static let notModified = Status(known: 304)
    /// 307: RFC 9110 §15.4.8.
    public static let temporaryRedirect = Status(known: 307)
    /// 308: RFC 9110 §15.4.9.
    public static let permanentRedirect = Status(known: 308)
    /// 400: RFC 9110 §15.5.1.
    public static let badRequest = Status(known: 400)
    /// 401: RFC 9110 §15.5.2.
    public static let unauthorized = Status(known: 401)
    /// 403: RFC 9110 §15.5.4.
    public static let forbidden = Status(known: 403)
    /// 404: RFC 9110 §15.5.5.
    public static let notFound = Status(known: 404)
    /// 405: RFC 9110 §15.5.6.
    public static let methodNotAllowed = Status(known: 405)
    /// 408: RFC 9110 §15.5.9.
    public static let requestTimeout = Status(known: 408)
    /// 409: RFC 9110 §15.5.10.
    public static let conflict = Status(known: 409)
    /// 410: RFC 9110 §15.5.11.
    public static let gone = Status(known: 410)
    /// 412: RFC 9110 §15.5.13.
    public static let preconditionFailed = Status(known: 412)
    /// 413: RFC 9110 §15.5.14.
    public static let contentTooLarge = Status(known: 413)
    /// 414: RFC 9110 §15.5.15.
    public static let uriTooLong = Status(known: 414)
    /// 416: RFC 9110 §15.5.17.
    public static let rangeNotSatisfiable = Status(known: 416)
    /// 417: RFC 9110 §15.5.18.
    public static let expectationFailed = Status(known: 417)
    /// 421: RFC 9110 §15.5.20.
    public static let misdirectedRequest = Status(known: 421)
    /// 422: RFC 9110 §15.5.21.
    public static let unprocessableContent = Status(known: 422)
    /// 429: RFC 6585 §4.
    public static let tooManyRequests = Status(known: 429)
    /// 431: RFC 6585 §5.
    public static let headerFieldsTooLarge = Status(known: 431)
    /// 451: RFC 7725 §3.
    public static let unavailableForLegalReasons = Status(known: 451)
    /// 500: RFC 9110 §15.6.1.
    public static let internalServerError = Status(known: 500)
    /// 501: RFC 9110 §15.6.2.
    public static let notImplemented = Status(known: 501)
    /// 502: RFC 9110 §15.6.3.
    public static let badGateway = Status(known: 502)
    /// 503: RFC 9110 §15.6.4.
    public static let serviceUnavailable = Status(known: 503)
    /// 504: RFC 9110 §15.6.5.
    public static let gatewayTimeout = Status(known: 504)
    /// 505: RFC 9110 §15.6.6.
    public static let versionNotSupported = Status(known: 505)
    /// 508: RFC 5842 §7.2.
    public static let loopDetected = Status(known: 508)
}
