/// Everything an operator may decide, with the defaults.
///
/// A value: the service takes one snapshot and narrows it for the layers below. Properties are named as the keys of
/// the configuration file, sizes are bytes. Meaning, bounds and availability of each are in `OptionTable`.
public struct Configuration: Sendable, Equatable {
    // MARK: Listening

    /// Where applications ask.
    public var listen: [ListenAddress] = [.tcp(.v4([127, 0, 0, 1]), port: 8080)]
    /// Where operators ask.
    public var adminListen: [ListenAddress] = [.tcp(.v4([127, 0, 0, 1]), port: 8081)]
    /// File mode of Unix sockets.
    public var socketMode: UInt32 = 0o660
    /// Event loops; 0 is one per core.
    public var loops = 0
    /// The account to become after binding.
    public var user: String?
    /// How long a drain may take.
    public var drainTimeout: Duration = .seconds(30)

    // MARK: Sizes

    /// The largest image taken from an origin.
    public var maxDownloadSize = 2_000_000
    /// Budget of the memory tier; 0 turns it off.
    public var cacheLimit = 200_000_000
    /// Budget of the disk tier; 0 turns it off.
    public var diskCacheLimit = 2_000_000_000
    /// Directory of the disk tier.
    public var diskCachePath = DefaultPaths.diskCache
    /// Which images the disk tier takes.
    public var diskAdmission = DiskAdmission.always
    /// Budget of bytes in running downloads.
    public var inFlightLimit = 128_000_000
    /// Budget of interrupted downloads kept for resumption.
    public var partialLimit = 32_000_000
    /// Whether the memory tier gives way when the machine runs short of memory.
    public var memoryPressure = true

    // MARK: Clients

    /// The longest image URL.
    public var maxURLLength = 8192
    /// The largest request head.
    public var maxHeaderSize = 8192
    /// Client connections at a time.
    public var maxConnections = 10_000
    /// Client connections at a time from one address; 0 is no limit.
    public var maxConnectionsPerAddress = 0
    /// How long a request head may take.
    public var headerTimeout: Duration = .seconds(10)
    /// How long a connection may stay without a request.
    public var idleTimeout: Duration = .seconds(75)
    /// Bytes a second below which a reading client is dropped.
    public var minClientRate = 1000
    /// Requests a second from one address; 0 is no limit.
    public var rateLimit = 0

    // MARK: Downloads

    /// Downloads at a time.
    public var maxDownloads = 64
    /// Downloads at a time from one host.
    public var maxDownloadsPerHost = 16
    /// Downloads that may wait.
    public var maxQueue = 100_000
    /// How long a download may wait for its turn.
    public var queueTimeout: Duration = .seconds(30)
    /// How long a name lookup may take.
    public var dnsTimeout: Duration = .seconds(5)
    /// How long a connection to an origin may take, TLS included.
    public var connectTimeout: Duration = .seconds(5)
    /// How long an origin may think.
    public var firstByteTimeout: Duration = .seconds(30)
    /// How long an origin may pause.
    public var transferIdleTimeout: Duration = .seconds(15)
    /// How long a download may take in all.
    public var totalTimeout: Duration = .seconds(300)
    /// Further attempts before the first byte.
    public var retries = 1
    /// When a failing host is left alone.
    public var breaker = Breaker()
    /// What becomes of a download that nobody waits for.
    public var abandonedDownloads = AbandonedDownloads.finish
    /// How long a suspended download keeps its connection.
    public var suspendedConnectionLimit: Duration = .seconds(60)

    // MARK: Caching

    /// How long images are good for.
    public var freshness = Freshness()
    /// How long failures are remembered.
    public var negativeTTL = NegativeTTL()
    /// Whether to answer from the cache alone.
    public var offline = false
    /// Query parameters that are no part of the key.
    public var keyRules: [KeyRule] = []

    // MARK: What is fetched

    /// Content types that are served.
    public var contentTypes: [MediaRange] = [MediaRange.images]
    /// Whether SVG counts as an image.
    public var allowSVG = true
    /// Pixels above which an image is refused; 0 is no limit.
    public var maxPixels = 0
    /// Whether redirects are followed.
    public var followRedirects = true
    /// How many hops.
    public var maxRedirects = 5
    /// Special-purpose networks opened for fetching.
    public var allowedNetworks: [AddressRange] = []
    /// Ports that may be fetched from; empty is all but the blocked ones.
    public var allowedPorts: [UInt16] = []
    /// Hosts that may be fetched from; empty is all.
    public var allowedHosts: [HostPattern] = []
    /// Hosts that may not.
    public var deniedHosts: [HostPattern] = []
    /// Whether anyone may fetch any URL through a listener beyond loopback.
    public var openProxy = false
    /// Whether an https URL may redirect to http.
    public var allowDowngrade = false

    // MARK: Origins

    /// Certificates to trust, one PEM file; nil is the system's.
    public var caFile: String?
    /// Certificates to trust, a hashed directory; nil is the system's.
    public var caPath: String?
    /// A proxy towards the origins.
    public var originProxy: String?
    /// Whether HTTP/2 is spoken to origins.
    public var originHTTP2 = false
    /// What origins are told we are.
    public var userAgent = "imagestore/\(Version.current)"
    /// Fields added to requests, per host.
    public var originHeaders: [OriginHeaders] = []
    /// Addresses used instead of DNS.
    public var hostOverrides: [HostOverride] = []
    /// Other limits for some hosts.
    public var perHost: [PerHost] = []
    /// Request fields passed to origins.
    public var forwardHeaders = ["Accept", "Accept-Language", "traceparent"]

    // MARK: Answers

    /// Further response fields kept.
    public var keepHeaders: [String] = []
    /// Response fields dropped.
    public var dropHeaders: [String] = []
    /// Fields added to every answer.
    public var addHeaders: [String: String] = [:]
    /// The placeholder image.
    public var placeholder = Placeholder()
    /// Whether answers carry `Server-Timing`.
    public var serverTiming = false

    // MARK: Access

    /// URL signing.
    public var signing = Signing()
    /// Bearer token of the admin listener.
    public var adminToken: String?
    /// `Host` values the admin listener answers to, besides its addresses and `localhost`.
    public var adminHosts: [HostPattern] = []

    // MARK: Logs

    /// What is logged, and where.
    public var log = Log()

    /// The defaults.
    public init() {}
}

extension MediaRange {
    /// `image/*`.
    static let images = MediaRange(type: "image", subtype: "*")

    /// Makes a range of parts known to be sound.
    private init(type: String, subtype: String) {
        self.type = type
        self.subtype = subtype
    }
}
