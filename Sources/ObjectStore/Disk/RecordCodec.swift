import Digests

/// Everything of a record but its body, read and judged.
///
/// Pure: bytes in, a value or a damage out, so that tests and fuzzers reach all of it without a file.
struct RecordPrefix: Equatable, Sendable {
    /// The header.
    let header: RecordHeader
    /// The times that count.
    let slot: RecordSlot
    /// Where the next times go.
    let nextSlotOffset: Int
    /// The full key.
    let key: [UInt8]
    /// The stored head.
    let head: [UInt8]

    /// Reads all that comes before the body.
    ///
    /// - Parameters:
    ///   - bytes: the file from its start to the body or further.
    ///   - fileBytes: the length of the file.
    init(_ bytes: [UInt8], fileBytes: Int) throws(RecordDamage) {
        header = try RecordHeader(bytes.span, fileBytes: fileBytes)
        guard bytes.count >= header.bodyOffset else { throw .truncated }
        let text = bytes.span.extracting(RecordLayout.keyOffset..<header.bodyOffset)
        guard XXH3.hash64(text) == header.textDigest else { throw .text }
        guard let latest = RecordSlot.latest(bytes.span, seed: header.textDigest) else { throw .slots }
        (slot, nextSlotOffset) = latest
        let keyEnd = RecordLayout.keyOffset + header.keyLength
        key = bytes.part(RecordLayout.keyOffset..<keyEnd)
        head = bytes.part(keyEnd..<keyEnd + header.headLength)
    }

    /// How many bytes a reader needs before it can read the whole prefix, once it has the header.
    static func length(_ bytes: [UInt8], fileBytes: Int) throws(RecordDamage) -> Int {
        try RecordHeader(bytes.span, fileBytes: fileBytes).bodyOffset
    }

    /// Judges the body.
    func check(body: Span<UInt8>) throws(RecordDamage) {
        guard body.count == header.bodyLength else { throw .truncated }
        guard XXH3.hash128(body) == header.bodyDigest else { throw .body }
    }

    /// The bytes of a new record up to its body.
    ///
    /// - Returns: nil if key or head are beyond what the format holds.
    static func encode(
        key: [UInt8], head: [UInt8], times: RecordTimes, body: Span<UInt8>
    ) -> [UInt8]? {
        guard (1...RecordLayout.maxKeyBytes).contains(key.count), head.count <= RecordLayout.maxHeadBytes,
            body.count <= RecordLayout.maxBodyBytes
        else { return nil }
        let bodyOffset = RecordHeader.bodyOffset(keyLength: key.count, headLength: head.count)
        var text = key + head
        text.append(contentsOf: repeatElement(0, count: bodyOffset - RecordLayout.keyOffset - text.count))
        let header = RecordHeader(
            keyLength: key.count, headLength: head.count, bodyLength: body.count,
            textDigest: XXH3.hash64(text.span), bodyDigest: XXH3.hash128(body))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(bodyOffset)
        header.write(to: &bytes)
        RecordSlot(sequence: 1, times: times).write(to: &bytes, seed: header.textDigest)
        bytes.append(contentsOf: repeatElement(0, count: RecordLayout.sectorBytes))
        bytes.append(contentsOf: text)
        return bytes
    }
}
