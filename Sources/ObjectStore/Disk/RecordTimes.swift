/// What changes about a stored response while its bytes stay: when it was fetched, and how often it was used.
///
/// Wall-clock seconds, because they outlive the boot. The store keeps them and reads only `uses`.
public struct RecordTimes: Sendable, Equatable {
    /// When the request went to the origin, in Unix seconds.
    public var requestTime: Int64
    /// When the response arrived, in Unix seconds.
    public var responseTime: Int64
    /// The age that the response had on arrival, in seconds.
    public var initialAgeSeconds: Int64
    /// The longest lifetime that the redirects on the way allow, in seconds; -1 without such a limit.
    public var lifetimeLimitSeconds: Int64
    /// Marks of the owner, opaque to the store.
    public var flags: UInt32
    /// How often the object was asked for, as the eviction policy counts it; at least 1.
    public var uses: UInt32
    /// A number of the owner, opaque to the store.
    public var mark: UInt64

    /// Times of a response that was fetched just now, unless said otherwise.
    public init(
        requestTime: Int64, responseTime: Int64, initialAgeSeconds: Int64 = 0, lifetimeLimitSeconds: Int64 = -1,
        flags: UInt32 = 0, uses: UInt32 = 1, mark: UInt64 = 0
    ) {
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.initialAgeSeconds = initialAgeSeconds
        self.lifetimeLimitSeconds = lifetimeLimitSeconds
        self.flags = flags
        self.uses = uses
        self.mark = mark
    }
}
