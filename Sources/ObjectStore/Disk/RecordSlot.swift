/// One metadata slot: the times of a record, rewritten in place without touching its bytes.
///
/// A record has two. The valid one with the higher sequence counts; an update goes to the other, so a torn update leaves
/// the times from before.
///
/// Shape:
///
/// | offset | bytes | what |
/// | --- | --- | --- |
/// | 0 | 8 | sequence, 1 for the first; 0 marks a slot never written |
/// | 8 | 8 | request time, Unix seconds |
/// | 16 | 8 | response time, Unix seconds |
/// | 24 | 8 | age on arrival, seconds |
/// | 32 | 8 | limit of the lifetime, seconds, -1 none |
/// | 40 | 4 | flags of the owner |
/// | 44 | 4 | uses |
/// | 48 | 8 | number of the owner; 0 in records older than it |
/// | 56 | 448 | zero |
/// | 504 | 8 | XXH3-64 of bytes 0 to 503, seeded with the header's digest of key and head |
struct RecordSlot: Equatable, Sendable {
    /// Which update this is.
    var sequence: UInt64
    /// What it says.
    var times: RecordTimes

    /// A slot to be written.
    init(sequence: UInt64, times: RecordTimes) {
        self.sequence = sequence
        self.times = times
    }

    /// Reads the slot at an offset; nil if it was never written, is torn, or belongs to another record.
    init?(_ bytes: Span<UInt8>, at offset: Int, seed: UInt64) {
        guard bytes.count >= offset + RecordLayout.sectorBytes else { return nil }
        sequence = bytes.word64(at: offset)
        guard sequence > 0, bytes.sectorHolds(at: offset, seed: seed) else { return nil }
        times = RecordTimes(
            requestTime: Int64(bitPattern: bytes.word64(at: offset + 8)),
            responseTime: Int64(bitPattern: bytes.word64(at: offset + 16)),
            initialAgeSeconds: Int64(bitPattern: bytes.word64(at: offset + 24)),
            lifetimeLimitSeconds: Int64(bitPattern: bytes.word64(at: offset + 32)),
            flags: bytes.word32(at: offset + 40), uses: bytes.word32(at: offset + 44),
            mark: bytes.word64(at: offset + 48))
    }

    /// Appends the slot, one sector.
    func write(to bytes: inout [UInt8], seed: UInt64) {
        let start = bytes.count
        bytes.appendWord64(sequence)
        bytes.appendWord64(UInt64(bitPattern: times.requestTime))
        bytes.appendWord64(UInt64(bitPattern: times.responseTime))
        bytes.appendWord64(UInt64(bitPattern: times.initialAgeSeconds))
        bytes.appendWord64(UInt64(bitPattern: times.lifetimeLimitSeconds))
        bytes.appendWord32(times.flags)
        bytes.appendWord32(times.uses)
        bytes.appendWord64(times.mark)
        bytes.sealSector(from: start, seed: seed)
    }

    /// The slot that counts, and the place for the next update.
    static func latest(_ bytes: Span<UInt8>, seed: UInt64) -> (slot: RecordSlot, nextOffset: Int)? {
        let offsets = RecordLayout.slotOffsets
        let first = RecordSlot(bytes, at: offsets[0], seed: seed)
        let second = RecordSlot(bytes, at: offsets[1], seed: seed)
        return switch (first, second) {
        case (nil, nil): nil
        case (let slot?, nil): (slot, offsets[1])
        case (nil, let slot?): (slot, offsets[0])
        case (let one?, let two?): one.sequence >= two.sequence ? (one, offsets[1]) : (two, offsets[0])
        }
    }
}
