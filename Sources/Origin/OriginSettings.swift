/// How origins are asked: times, identity, trust, redirects.
///
/// A value: work that runs keeps the settings it began with.
public struct OriginSettings: Sendable, Equatable {
    /// How long one name may take to resolve.
    public var dnsTimeout: Duration = .seconds(5)
    /// How long a connection may take, TLS handshake included.
    public var connectTimeout: Duration = .seconds(5)
    /// How long the whole response head may take once connected.
    public var firstByteTimeout: Duration = .seconds(30)
    /// How long the body may stand still.
    public var transferIdleTimeout: Duration = .seconds(15)
    /// How long everything may take, redirects included.
    public var totalTimeout: Duration = .seconds(300)
    /// What `User-Agent` says where the request does not.
    public var userAgent = "imagestore"
    /// A file of trusted certificates that replaces the system's.
    public var caFile: String?
    /// A directory of trusted certificates that replaces the system's.
    public var caPath: String?
    /// Whether redirects are followed; where not, a 3xx is the final answer.
    public var followRedirects = true
    /// How many redirects one request may take.
    public var maxRedirects = 5
    /// Whether https may redirect to http.
    public var allowDowngrade = false
    /// Whether HTTP/2 is offered over TLS; a paused stream then still takes in up to its window.
    public var http2 = false
    /// Names with a fixed address, which is judged like any other.
    public var hostOverrides: [HostOverride] = []
    /// Name servers as `address:port`, instead of the system's; search domains are then off.
    public var resolverServers: [String]?
    /// The largest response head.
    public var maxHeadBytes = 65536

    /// The defaults.
    public init() {}
}

/// A name whose address is not looked up.
public struct HostOverride: Sendable, Equatable {
    /// The name, lower-case ASCII as in a canonical URL.
    public var host: String
    /// The address it stands for.
    public var address: IPAddress

    /// Pins `host` to `address`.
    public init(host: String, address: IPAddress) {
        self.host = host
        self.address = address
    }
}
