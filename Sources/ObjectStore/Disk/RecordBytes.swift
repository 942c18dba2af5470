import Digests

// Little-endian numbers and sealed sectors: the alphabet of the record format.

extension Span<UInt8> {
    /// Four bytes as a number.
    ///
    /// The caller has checked the length; outside it traps.
    func word32(at offset: Int) -> UInt32 {
        var value: UInt32 = 0
        for index in 0..<4 { value |= UInt32(self[offset + index]) << UInt32(8 * index) }
        return value
    }

    /// Eight bytes as a number.
    ///
    /// The caller has checked the length; outside it traps.
    func word64(at offset: Int) -> UInt64 {
        UInt64(word32(at: offset)) | UInt64(word32(at: offset + 4)) << 32
    }

    /// Whether the checksum of the sector at an offset holds.
    func sectorHolds(at offset: Int, seed: UInt64) -> Bool {
        let covered = extracting(offset..<offset + RecordLayout.checksumOffset)
        return XXH3.hash64(covered, seed: seed) == word64(at: offset + RecordLayout.checksumOffset)
    }
}

extension [UInt8] {
    /// Appends four bytes.
    mutating func appendWord32(_ value: UInt32) {
        for index in 0..<4 { append(UInt8(truncatingIfNeeded: value >> UInt32(8 * index))) }
    }

    /// Appends eight bytes.
    mutating func appendWord64(_ value: UInt64) {
        appendWord32(UInt32(truncatingIfNeeded: value))
        appendWord32(UInt32(truncatingIfNeeded: value >> 32))
    }

    /// Fills the sector begun at an index with zeros and closes it with its checksum.
    mutating func sealSector(from start: Int, seed: UInt64) {
        append(contentsOf: repeatElement(0, count: start + RecordLayout.checksumOffset - count))
        appendWord64(XXH3.hash64(span.extracting(start..<count), seed: seed))
    }

    /// A part as an array of its own.
    func part(_ range: Range<Int>) -> [UInt8] {
        Self(self[range])
    }
}
