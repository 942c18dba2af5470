/// What a request head contains beyond the plain `GET` of the fast path, found while parsing.
///
/// A request whose features are within what the caller's fast path understands needs no look at its fields at all;
/// for any other, `RequestHead.fields(in:)` gives them.
public struct RequestFeatures: OptionSet, Hashable, Sendable, BitwiseCopyable {
    /// One bit for each feature.
    public let rawValue: UInt32

    /// Makes a set from its bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// `If-Match`.
    public static let ifMatch = RequestFeatures(rawValue: 1 << 0)
    /// `If-None-Match`.
    public static let ifNoneMatch = RequestFeatures(rawValue: 1 << 1)
    /// `If-Modified-Since`.
    public static let ifModifiedSince = RequestFeatures(rawValue: 1 << 2)
    /// `If-Unmodified-Since`.
    public static let ifUnmodifiedSince = RequestFeatures(rawValue: 1 << 3)
    /// `Range`.
    public static let range = RequestFeatures(rawValue: 1 << 4)
    /// `If-Range`, which means nothing without `Range`.
    public static let ifRange = RequestFeatures(rawValue: 1 << 5)
    /// `Cache-Control`.
    public static let cacheControl = RequestFeatures(rawValue: 1 << 6)
    /// `Pragma`.
    public static let pragma = RequestFeatures(rawValue: 1 << 7)
    /// `Authorization`.
    public static let authorization = RequestFeatures(rawValue: 1 << 8)
    /// `Proxy-Authorization`.
    public static let proxyAuthorization = RequestFeatures(rawValue: 1 << 9)
    /// `Cookie`.
    public static let cookie = RequestFeatures(rawValue: 1 << 10)
    /// `Expect: 100-continue`.
    public static let expectContinue = RequestFeatures(rawValue: 1 << 11)
    /// `Expect` with anything else, which may be answered with 417 (RFC 9110 §10.1.1).
    public static let expectOther = RequestFeatures(rawValue: 1 << 12)
    /// `Upgrade`.
    public static let upgrade = RequestFeatures(rawValue: 1 << 13)
    /// `Via`: the request came through another proxy, perhaps through us.
    public static let via = RequestFeatures(rawValue: 1 << 14)
    /// `Accept`.
    public static let accept = RequestFeatures(rawValue: 1 << 15)
    /// `Accept-Encoding`.
    public static let acceptEncoding = RequestFeatures(rawValue: 1 << 16)
    /// `Accept-Language`.
    public static let acceptLanguage = RequestFeatures(rawValue: 1 << 17)
    /// `traceparent`.
    public static let traceparent = RequestFeatures(rawValue: 1 << 18)
    /// `Origin`.
    public static let origin = RequestFeatures(rawValue: 1 << 19)
    /// `Sec-Fetch-Site`.
    public static let secFetchSite = RequestFeatures(rawValue: 1 << 20)
    /// `User-Agent`.
    public static let userAgent = RequestFeatures(rawValue: 1 << 21)
    /// `Referer`.
    public static let referer = RequestFeatures(rawValue: 1 << 22)
    /// A `Connection` option other than `close` and `keep-alive`: it names fields that go no further.
    public static let connectionOptions = RequestFeatures(rawValue: 1 << 23)
    /// A field that the parser has no bit for.
    public static let otherFields = RequestFeatures(rawValue: 1 << 31)

    /// The preconditions that a cache evaluates (RFC 9111 §4.3.2).
    public static let validation: RequestFeatures = [.ifNoneMatch, .ifModifiedSince]
    /// Any precondition of RFC 9110 §13.1 but `If-Range`.
    public static let conditions: RequestFeatures = [.ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince]
}
