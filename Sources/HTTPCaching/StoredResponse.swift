import HTTPMessages

/// The head of a response as both tiers keep it; the body lies beside it.
public struct StoredResponse: Hashable, Sendable {
    /// The status of the response.
    public var status: Status
    /// The fields that may be stored, hop-by-hop ones already taken away.
    public var fields: Fields
    /// When it was fetched.
    public var times: StoredTimes

    /// Makes the value from its parts.
    public init(status: Status, fields: Fields, times: StoredTimes) {
        self.status = status
        self.fields = fields
        self.times = times
    }

    /// The version of the serialized form.
    private static let formatVersion: UInt8 = 1

    /// Status and fields for the disk tier, without the times, which change more often.
    ///
    /// Shape: one byte version (1), two bytes status code (little endian), then the fields as `name: value` lines
    /// that end in CRLF.
    public func serializedHead() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(3 + fields.byteCount)
        output.append(Self.formatVersion)
        output.append(UInt8(truncatingIfNeeded: status.code))
        output.append(UInt8(truncatingIfNeeded: status.code >> 8))
        fields.serialize(into: &output)
        return output
    }

    /// Reads what `serializedHead()` wrote; nil when it is of another version or damaged.
    public init?(serializedHead bytes: [UInt8], times: StoredTimes) {
        guard bytes.count >= 3, bytes[0] == Self.formatVersion else { return nil }
        guard let status = Status(code: Int(bytes[1]) | Int(bytes[2]) << 8) else { return nil }
        guard let fields = Fields(serialized: bytes.span.extracting(3..<bytes.count)) else { return nil }
        self.init(status: status, fields: fields, times: times)
    }

    /// The entity tag, nil when there is none or it is malformed.
    public var entityTag: EntityTag? {
        fields.withFirst(.eTag) { EntityTag(parsing: $0) } ?? nil
    }

    /// The `Last-Modified` date, nil when there is none or it is malformed.
    public var lastModified: HTTPDate? {
        date(.lastModified)
    }

    /// The `Date` of the response, or when it was received.
    public var date: HTTPDate {
        date(.date) ?? times.responseTime
    }

    /// The first field line of that name as a date.
    func date(_ name: FieldName) -> HTTPDate? {
        fields.withFirst(name) { HTTPDate(parsing: $0, now: times.responseTime) } ?? nil
    }
}
