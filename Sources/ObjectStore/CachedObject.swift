import EventLoops
import HTTPCaching
import HTTPMessages

// What the memory tier keeps.

/// A stored response that is ready to be sent.
///
/// Immutable: a validation that changes anything makes a new object around the same body.
public final class CachedObject: Sendable {
    /// Memory that an entry takes besides the bytes that can be counted.
    ///
    /// Slot, queue node, bucket, this object, and the headers and slack of its allocations; counted by `ObjectSizeTests`.
    public static let overheadBytes = 784

    /// The key under which it is stored.
    public let key: CacheKey
    /// Status, fields and times, for every decision that the rendered head does not settle.
    public let response: StoredResponse
    /// What the request fields named by `Vary` were when it was fetched (`Variance.secondaryKey`); empty without `Vary`.
    public let variantKey: [UInt8]
    /// How long it may be reused.
    public let freshness: Freshness
    /// When its response was received, by the clock that runs while the machine sleeps.
    public let residentSince: Instant
    /// The head as it is sent, but for what changes from answer to answer.
    public let wireHead: [UInt8]
    /// Where the parts of that head lie.
    public let marks: HeadMarks
    /// The body.
    public let body: Chunk
    /// Until when it is fresh, by the clock that runs while the machine sleeps.
    public let expiry: Instant
    /// What the object costs of the memory budget.
    public let costBytes: Int
    /// Whether request fields select it among other responses of its URL: then the URL alone does not lead to it.
    public let isSelectedByFields: Bool
    /// The configuration under which its URL was admitted and its head rendered; 0 for none.
    ///
    /// Under another one both have to be done again before it may answer.
    public let epoch: UInt64
    /// Of a marker, which stands under a URL's key where its responses vary: what is stored; nil for a response.
    ///
    /// A marker is never sent to anyone. It has no body, and its expiry is long past, so that no hit path takes it.
    public let variants: VariantSet?

    /// Makes an object of a finished body.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - response: the head as stored.
    ///   - variantKey: what the request fields named by `Vary` were.
    ///   - freshness: how long it may be reused; nil for the defaults of the configuration.
    ///   - residentSince: when the response was received.
    ///   - wireHead: the head as sent.
    ///   - marks: where its parts lie.
    ///   - body: the whole body; nothing is appended to it any more.
    ///   - expiry: until when the object is fresh.
    ///   - costBytes: what to charge; nil for body, head, key and overhead.
    ///   - isSelectedByFields: whether request fields select it.
    ///   - epoch: the configuration under which its URL was admitted and its head rendered.
    public init(
        key: CacheKey, response: StoredResponse, variantKey: [UInt8] = [], freshness: Freshness? = nil,
        residentSince: Instant = .now(), wireHead: [UInt8], marks: HeadMarks = HeadMarks(), body: Chunk,
        expiry: Instant, costBytes: Int? = nil, isSelectedByFields: Bool = false, epoch: UInt64 = 0
    ) {
        self.key = key
        self.response = response
        self.variantKey = variantKey
        self.freshness = freshness ?? Freshness(of: response, settings: CachePolicySettings())
        self.residentSince = residentSince
        self.wireHead = wireHead
        self.marks = marks
        self.body = body
        self.expiry = expiry
        self.isSelectedByFields = isSelectedByFields || !variantKey.isEmpty
        self.epoch = epoch
        variants = nil
        self.costBytes =
            costBytes
            ?? (body.footprintBytes + wireHead.count + response.fields.byteCount + response.source.count
                + key.bytes.count + variantKey.count + Self.overheadBytes)
    }

    /// Makes the same object around another copy of its body.
    public init(_ object: CachedObject, body: Chunk) {
        key = object.key
        response = object.response
        variantKey = object.variantKey
        freshness = object.freshness
        residentSince = object.residentSince
        wireHead = object.wireHead
        marks = object.marks
        self.body = body
        expiry = object.expiry
        costBytes = object.costBytes - object.body.footprintBytes + body.footprintBytes
        variants = object.variants
        isSelectedByFields = object.isSelectedByFields
        epoch = object.epoch
    }

    /// Makes the marker of a URL whose responses vary.
    ///
    /// - Parameters:
    ///   - key: the key of the URL.
    ///   - variants: what is stored.
    ///   - times: when the set last changed.
    ///   - now: the present.
    public init(markerOf key: CacheKey, variants: VariantSet, times: StoredTimes, now: Instant) {
        self.key = key
        self.variants = variants
        response = StoredResponse(status: .ok, fields: Fields(), times: times)
        variantKey = []
        freshness = Freshness(of: response, settings: CachePolicySettings())
        residentSince = now
        wireHead = []
        marks = HeadMarks()
        body = Chunk(capacity: 0)
        expiry = Instant(nanoseconds: 0)
        isSelectedByFields = true
        epoch = 0
        costBytes = variants.entries.reduce(key.bytes.count + Self.overheadBytes) { $0 + $1.key.count }
    }

    /// How long it has been stored, in whole seconds; negative when the wall clock went back behind its receipt.
    public func residentSeconds(now: Instant) -> Int64 {
        let nanoseconds = now.nanoseconds - residentSince.nanoseconds
        return nanoseconds >= 0 ? nanoseconds / 1_000_000_000 : (nanoseconds - 999_999_999) / 1_000_000_000
    }

    /// Says whether the object is stored under this key.
    ///
    /// Not inlined: where the optimizer sees the object leave its caller, it retains the key for the comparison.
    @inline(never)
    func isStored(under keyBytes: Span<UInt8>) -> Bool {
        key.hasBytes(keyBytes)
    }
}
