import HTTPCaching
import HTTPMessages
import ObjectStore

/// Writes response heads from stored responses: once when an object is made, or for the one answer that needs it.
enum HeadWriter {
    /// Forbids what an image has no business doing; style and embedded pictures are part of SVG.
    private static let imagePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
    /// For what is relayed without being an image.
    private static let relayPolicy = "sandbox"

    /// Status line and fields, without the end of the head, and where the parts lie.
    ///
    /// The fields that describe the body come first: a 304 carries what is behind them.
    ///
    /// - Parameter length: the length of the body; nil leaves the framing to the caller.
    static func wireHead(
        of response: StoredResponse, length: Int?, snapshot: Snapshot
    ) -> (bytes: [UInt8], marks: HeadMarks) {
        var output: [UInt8] = []
        output.reserveCapacity(512)
        ResponseSerializer.appendStatusLine(response.status, to: &output)
        let fields = sentFields(of: response, snapshot: snapshot)
        RequestConditions.bodyFields(of: fields).serialize(into: &output)
        if let length, !response.status.forbidsContent {
            ResponseSerializer.appendField(.contentLength, UInt64(length), to: &output)
        }
        let start = output.count
        let others = RequestConditions.notModifiedFields(of: fields)
        others.serialize(into: &output)
        return (output, marks(of: others, at: start, response))
    }

    /// Finds the validators that a client may repeat as they stand.
    ///
    /// What a condition is judged by is stored; what the client knows was sent. Only where both are the same, and the
    /// condition would count at all (RFC 9110 §13.2.1), do equal bytes make a 304.
    private static func marks(of fields: Fields, at start: Int, _ response: StoredResponse) -> HeadMarks {
        let tag = response.entityTag == nil ? nil : response.fields.first(.eTag)
        let date = response.lastModified == nil ? nil : response.fields.first(.lastModified)
        guard response.status.isSuccessful, tag != nil || date != nil else {
            return HeadMarks(notModifiedStart: start)
        }
        var position = start
        var (tagPlace, datePlace) = (0..<0, 0..<0)
        fields.forEach { name, value in
            let valueStart = position + name.bytes.count + 2  // A colon and a space.
            let place = valueStart..<valueStart + value.count
            if name == .eTag, value == tag { tagPlace = place }
            if name == .lastModified, value == date { datePlace = place }
            position = place.upperBound + 2  // CRLF.
        }
        return HeadMarks(notModifiedStart: start, entityTag: tagPlace, lastModified: datePlace)
    }

    /// The head of a 206: `range` of a body of `length` bytes.
    static func partialHead(of response: StoredResponse, range: Range<Int>, length: Int, snapshot: Snapshot) -> [UInt8]
    {
        var output: [UInt8] = []
        ResponseSerializer.appendStatusLine(.partialContent, to: &output)
        var fields = sentFields(of: response, snapshot: snapshot)
        fields.remove(.contentRange)
        fields.serialize(into: &output)
        let last = range.upperBound - 1
        ResponseSerializer.appendField(.contentRange, "bytes \(range.lowerBound)-\(last)/\(length)", to: &output)
        ResponseSerializer.appendField(.contentLength, UInt64(range.count), to: &output)
        return output
    }

    /// The head of a 304.
    static func notModifiedHead(of response: StoredResponse, snapshot: Snapshot) -> [UInt8] {
        var output: [UInt8] = []
        ResponseSerializer.appendStatusLine(.notModified, to: &output)
        RequestConditions.notModifiedFields(of: sentFields(of: response, snapshot: snapshot)).serialize(into: &output)
        return output
    }

    /// What is stored, without what is not passed on, with what we add to every answer.
    private static func sentFields(of response: StoredResponse, snapshot: Snapshot) -> Fields {
        var fields = snapshot.rules.sentFields(of: response.fields)
        fields.set(.xContentTypeOptions, to: "nosniff")
        if response.status.code == 200 { fields.set(.acceptRanges, to: "bytes") }
        if let policy = contentPolicy(for: fields, snapshot) { fields.set(.contentSecurityPolicy, to: policy) }
        fields.append(.via, Instance.via)
        snapshot.addedFields.forEach { name, value in fields.set(name, to: value) }
        return fields
    }

    private static func contentPolicy(for fields: Fields, _ snapshot: Snapshot) -> String? {
        let type = fields.first(.contentType) ?? []
        let essence = type.prefix { $0 != UInt8(ascii: ";") }.map { $0 | 0x20 }
        if essence.starts(with: "image/svg".utf8) { return imagePolicy }
        guard snapshot.relaysEverything else { return nil }
        return essence.starts(with: "image/".utf8) ? nil : relayPolicy
    }
}
