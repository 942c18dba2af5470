import HTTPMessages

/// What an origin is asked for: always a GET.
public struct OriginRequest: Sendable {
    /// The URL to begin with; redirects may lead elsewhere.
    public var url: TargetURL
    /// Fields sent along on every hop.
    public var fields: Fields
    /// Fields sent along to one URL alone, be it the first or one that redirects lead to: a validator means nothing
    /// to another.
    public var conditions = Fields()
    /// That URL.
    public var conditionalURL: [UInt8] = []

    /// Asks for `url`, sending `fields`.
    public init(url: TargetURL, fields: Fields = Fields()) {
        self.url = url
        self.fields = fields
    }
}

/// The head of the final response, and how it was reached.
public struct OriginHead: Sendable, Equatable {
    /// The final status: never an interim one.
    public var status: Status
    /// The fields as received, in order.
    public var fields: Fields
    /// The declared length of the body; nil when it ends with a chunk or with the connection.
    public var contentLength: UInt64?
    /// The redirects that were followed, in order.
    public var hops: [RedirectHop]
    /// When the last hop was begun, in Unix seconds: the delay before `responseTime`, in whole seconds rounded down.
    public var requestTime: Int64
    /// When this head was complete, in Unix seconds.
    public var responseTime: Int64
    /// The URL that gave this response.
    public var finalURL: TargetURL

    /// Makes a head, for tests of those who read one.
    public init(
        status: Status, fields: Fields, contentLength: UInt64?, hops: [RedirectHop] = [],
        requestTime: Int64, responseTime: Int64, finalURL: TargetURL
    ) {
        self.status = status
        self.fields = fields
        self.contentLength = contentLength
        self.hops = hops
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.finalURL = finalURL
    }
}

/// A redirect on the way to the final response: its freshness limits that of the result.
public struct RedirectHop: Sendable, Equatable {
    /// The redirect's status.
    public var status: Status
    /// The redirect's fields.
    public var fields: Fields

    /// Notes a redirect.
    public init(status: Status, fields: Fields) {
        self.status = status
        self.fields = fields
    }
}

/// Who is told what an origin says.
///
/// All calls come on the client's loop, never from inside `fetch`, `cancel`, `pause` or `resume`. They may come from
/// inside libcurl; whatever the handler then asks of the fetch or the client is done right afterwards.
public protocol OriginFetchHandler: AnyObject {
    /// The final response has a head; once. It may still come shortly after `pause`, bytes do not.
    func originFetch(_ fetch: OriginFetch, received head: OriginHead)
    /// Bytes of the body; they are lent, not given.
    func originFetch(_ fetch: OriginFetch, received bytes: Span<UInt8>)
    /// The body is whole, its framing honoured. The last call.
    func originFetchFinished(_ fetch: OriginFetch)
    /// There is no (whole) response. The last call.
    func originFetch(_ fetch: OriginFetch, failed error: OriginError)
}
