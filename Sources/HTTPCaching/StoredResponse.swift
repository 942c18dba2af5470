import HTTPMessages

/// The head of a response as both tiers keep it; the body lies beside it.
public struct StoredResponse: Hashable, Sendable {
    /// The status of the response.
    public var status: Status
    /// The fields that may be stored, hop-by-hop ones already taken away.
    public var fields: Fields
    /// When it was fetched.
    public var times: StoredTimes
    /// The URL that redirects led to; empty where there were none.
    ///
    /// Its validators mean something to that URL alone.
    public var source: [UInt8]

    /// Makes the value from its parts.
    public init(status: Status, fields: Fields, times: StoredTimes, source: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.times = times
        self.source = source
    }

    /// The version of the serialized form.
    private static let formatVersion: UInt8 = 2

    /// Status and fields for the disk tier, without the times, which change more often.
    ///
    /// Shape: one byte version (2), two bytes status code, four bytes length of the source (both little endian), the
    /// source, then the fields as `name: value` lines that end in CRLF.
    public func serializedHead() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(7 + source.count + fields.byteCount)
        output.append(Self.formatVersion)
        output.append(UInt8(truncatingIfNeeded: status.code))
        output.append(UInt8(truncatingIfNeeded: status.code >> 8))
        for shift in [0, 8, 16, 24] { output.append(UInt8(truncatingIfNeeded: source.count >> shift)) }
        output += source
        fields.serialize(into: &output)
        return output
    }

    /// Reads what `serializedHead()` wrote; nil when it is of another version or damaged.
    public init?(serializedHead bytes: [UInt8], times: StoredTimes) {
        guard bytes.count >= 7, bytes[0] == Self.formatVersion else { return nil }
        guard let status = Status(code: Int(bytes[1]) | Int(bytes[2]) << 8) else { return nil }
        let end = 7 + bytes[3..<7].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard end <= bytes.count, let fields = Fields(serialized: bytes.span.extracting(end..<bytes.count)) else {
            return nil
        }
        self.init(status: status, fields: fields, times: times, source: Array(bytes[7..<end]))
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
