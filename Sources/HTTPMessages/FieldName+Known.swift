/// The names that the service itself reads or writes.
extension FieldName {
    /// `Accept`: RFC 9110 §12.5.1.
    public static let accept = FieldName(known: "accept")
    /// `Accept-Encoding`: RFC 9110 §12.5.3.
    public static let acceptEncoding = FieldName(known: "accept-encoding")
    /// `Accept-Language`: RFC 9110 §12.5.4.
    public static let acceptLanguage = FieldName(known: "accept-language")
    /// `Accept-Ranges`: RFC 9110 §14.3.
    public static let acceptRanges = FieldName(known: "accept-ranges")
    /// `Access-Control-Allow-Origin`: Fetch Standard §3.3.3.
    public static let accessControlAllowOrigin = FieldName(known: "access-control-allow-origin")
    /// `Age`: RFC 9111 §5.1.
    public static let age = FieldName(known: "age")
    /// `Allow`: RFC 9110 §10.2.1.
    public static let allow = FieldName(known: "allow")
    /// `Alt-Svc`: RFC 7838 §3.
    public static let altSvc = FieldName(known: "alt-svc")
    /// `Authorization`: RFC 9110 §11.6.2.
    public static let authorization = FieldName(known: "authorization")
    /// `Cache-Control`: RFC 9111 §5.2.
    public static let cacheControl = FieldName(known: "cache-control")
    /// `Cache-Status`: RFC 9211 §2.
    public static let cacheStatus = FieldName(known: "cache-status")
    /// `CDN-Cache-Control`: RFC 9213 §3.1.
    public static let cdnCacheControl = FieldName(known: "cdn-cache-control")
    /// `Connection`: RFC 9110 §7.6.1.
    public static let connection = FieldName(known: "connection")
    /// `Content-Disposition`: RFC 6266 §4.
    public static let contentDisposition = FieldName(known: "content-disposition")
    /// `Content-Encoding`: RFC 9110 §8.4.
    public static let contentEncoding = FieldName(known: "content-encoding")
    /// `Content-Language`: RFC 9110 §8.5.
    public static let contentLanguage = FieldName(known: "content-language")
    /// `Content-Length`: RFC 9110 §8.6.
    public static let contentLength = FieldName(known: "content-length")
    /// `Content-Location`: RFC 9110 §8.7.
    public static let contentLocation = FieldName(known: "content-location")
    /// `Content-Range`: RFC 9110 §14.4.
    public static let contentRange = FieldName(known: "content-range")
    /// `Content-Security-Policy`: CSP Level 3 §3.1.
    public static let contentSecurityPolicy = FieldName(known: "content-security-policy")
    /// `Content-Type`: RFC 9110 §8.3.
    public static let contentType = FieldName(known: "content-type")
    /// `Cookie`: RFC 6265 §5.4.
    public static let cookie = FieldName(known: "cookie")
    /// `Date`: RFC 9110 §6.6.1.
    public static let date = FieldName(known: "date")
    /// `ETag`: RFC 9110 §8.8.3.
    public static let eTag = FieldName(known: "etag")
    /// `Expect`: RFC 9110 §10.1.1.
    public static let expect = FieldName(known: "expect")
    /// `Expires`: RFC 9111 §5.3.
    public static let expires = FieldName(known: "expires")
    /// `Forwarded`: RFC 7239 §4.
    public static let forwarded = FieldName(known: "forwarded")
    /// `Host`: RFC 9110 §7.2.
    public static let host = FieldName(known: "host")
    /// `If-Match`: RFC 9110 §13.1.1.
    public static let ifMatch = FieldName(known: "if-match")
    /// `If-Modified-Since`: RFC 9110 §13.1.3.
    public static let ifModifiedSince = FieldName(known: "if-modified-since")
    /// `If-None-Match`: RFC 9110 §13.1.2.
    public static let ifNoneMatch = FieldName(known: "if-none-match")
    /// `If-Range`: RFC 9110 §13.1.5.
    public static let ifRange = FieldName(known: "if-range")
    /// `If-Unmodified-Since`: RFC 9110 §13.1.4.
    public static let ifUnmodifiedSince = FieldName(known: "if-unmodified-since")
    /// `Keep-Alive`: RFC 2068 §19.7.1.1.
    public static let keepAlive = FieldName(known: "keep-alive")
    /// `Last-Modified`: RFC 9110 §8.8.2.
    public static let lastModified = FieldName(known: "last-modified")
    /// `Link`: RFC 8288 §3.
    public static let link = FieldName(known: "link")
    /// `Location`: RFC 9110 §10.2.2.
    public static let location = FieldName(known: "location")
    /// `Max-Forwards`: RFC 9110 §7.6.2.
    public static let maxForwards = FieldName(known: "max-forwards")
    /// `Origin`: RFC 6454 §7.
    public static let origin = FieldName(known: "origin")
    /// `Pragma`: RFC 9111 §5.4.
    public static let pragma = FieldName(known: "pragma")
    /// `Proxy-Authenticate`: RFC 9110 §11.7.1.
    public static let proxyAuthenticate = FieldName(known: "proxy-authenticate")
    /// `Proxy-Authentication-Info`: RFC 9110 §11.7.3.
    public static let proxyAuthenticationInfo = FieldName(known: "proxy-authentication-info")
    /// `Proxy-Authorization`: RFC 9110 §11.7.2.
    public static let proxyAuthorization = FieldName(known: "proxy-authorization")
    /// `Proxy-Connection`: RFC 9112 §C.2.2.
    public static let proxyConnection = FieldName(known: "proxy-connection")
    /// `Proxy-Status`: RFC 9209 §2.
    public static let proxyStatus = FieldName(known: "proxy-status")
    /// `Range`: RFC 9110 §14.2.
    public static let range = FieldName(known: "range")
    /// `Referer`: RFC 9110 §10.1.3.
    public static let referer = FieldName(known: "referer")
    /// `Retry-After`: RFC 9110 §10.2.3.
    public static let retryAfter = FieldName(known: "retry-after")
    /// `Sec-Fetch-Site`: Fetch Metadata §2.4.
    public static let secFetchSite = FieldName(known: "sec-fetch-site")
    /// `Server`: RFC 9110 §10.2.4.
    public static let server = FieldName(known: "server")
    /// `Server-Timing`: Server Timing §3.
    public static let serverTiming = FieldName(known: "server-timing")
    /// `Set-Cookie`: RFC 6265 §4.1.
    public static let setCookie = FieldName(known: "set-cookie")
    /// `Strict-Transport-Security`: RFC 6797 §6.1.
    public static let strictTransportSecurity = FieldName(known: "strict-transport-security")
    /// `TE`: RFC 9110 §10.1.4.
    public static let te = FieldName(known: "te")
    /// `Timing-Allow-Origin`: Resource Timing §4.5.
    public static let timingAllowOrigin = FieldName(known: "timing-allow-origin")
    /// `Traceparent`: Trace Context §3.2.
    public static let traceparent = FieldName(known: "traceparent")
    /// `Tracestate`: Trace Context §3.3.
    public static let tracestate = FieldName(known: "tracestate")
    /// `Trailer`: RFC 9110 §6.6.2.
    public static let trailer = FieldName(known: "trailer")
    /// `Transfer-Encoding`: RFC 9112 §6.1.
    public static let transferEncoding = FieldName(known: "transfer-encoding")
    /// `Upgrade`: RFC 9110 §7.8.
    public static let upgrade = FieldName(known: "upgrade")
    /// `User-Agent`: RFC 9110 §10.1.5.
    public static let userAgent = FieldName(known: "user-agent")
    /// `Vary`: RFC 9110 §12.5.5.
    public static let vary = FieldName(known: "vary")
    /// `Via`: RFC 9110 §7.6.3.
    public static let via = FieldName(known: "via")
    /// `Warning`: RFC 7234 §5.5.
    public static let warning = FieldName(known: "warning")
    /// `WWW-Authenticate`: RFC 9110 §11.6.1.
    public static let wwwAuthenticate = FieldName(known: "www-authenticate")
    /// `X-Content-Type-Options`: Fetch Standard §3.6.
    public static let xContentTypeOptions = FieldName(known: "x-content-type-options")
    /// `X-Forwarded-For`: de facto, see RFC 7239 §4.
    public static let xForwardedFor = FieldName(known: "x-forwarded-for")
}
