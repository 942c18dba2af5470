import Digests

/// The shape of a record file, format version 1.
///
/// All numbers are little-endian; unused bytes are zero and checked.
///
/// Shape:
///
/// | offset | bytes | what |
/// | --- | --- | --- |
/// | 0 | 8 | magic `IMGSTORE` |
/// | 8 | 4 | format version, 1 |
/// | 12 | 4 | key length K, 1 to 65,536 |
/// | 16 | 4 | head length H, 0 to 1 MiB |
/// | 20 | 4 | head capacity C, H or more: the head and its padding |
/// | 24 | 8 | body length B |
/// | 32 | 8 | XXH3-64 of key, head and padding |
/// | 40 | 16 | XXH3-128 of the body, low word first |
/// | 56 | 448 | zero |
/// | 504 | 8 | XXH3-64 of bytes 0 to 503 |
/// | 512 | 512 | metadata slot 0 (see `RecordSlot`) |
/// | 1024 | 512 | metadata slot 1 |
/// | 1536 | K | key |
/// | 1536+K | C | head, then zeros; this writer pads so that the body starts at a multiple of 512 |
/// | 1536+K+C | B | body; the file ends here |
///
/// Header and slots are each one 512-byte sector, so that a rewritten slot is old or new on common media. Records are not
/// forced to the medium one by one: a crash may leave a torn file under a final name, and the checksums find it when it
/// is next read. That costs a fetch, where `fsync` would cost every store milliseconds.
enum RecordLayout {
    /// `IMGSTORE` read as a little-endian number.
    static let magic: UInt64 = 0x4552_4F54_5347_4D49
    /// The only version that this reader takes; it is also in the directory's name.
    static let version: UInt32 = 1
    /// The size of the header and of each slot: one sector of a disk.
    static let sectorBytes = 512
    /// Where the checksum of a sector lies.
    static let checksumOffset = 504
    /// Where each slot begins.
    static let slotOffsets = [512, 1024]
    /// Where the key begins.
    static let keyOffset = 1536
    /// No key is longer: a URL is limited to less.
    static let maxKeyBytes = 65_536
    /// No head is longer: the origin's is limited to 64 KiB, ours add little.
    static let maxHeadBytes = 1 << 20
    /// No body is longer; keeps sums far from overflow.
    static let maxBodyBytes = 1 << 40
    /// How much a reader asks for first: a small record whole, of a large one all but the body.
    static let firstReadBytes = 4096

    /// The room that a file of this length takes on a file system with blocks of 4,096 bytes.
    static func allocation(of fileBytes: Int) -> Int {
        (fileBytes + 4095) & ~4095
    }
}

/// How a file falls short of being a record.
///
/// Any of them makes it a miss, and the file is removed.
enum RecordDamage: Error, Equatable {
    /// Shorter than what must be there.
    case truncated
    /// Another magic.
    case magic
    /// Another version.
    case version
    /// The header's checksum does not hold.
    case header
    /// A length is out of bounds, or the file's length is not their sum.
    case lengths
    /// No slot holds.
    case slots
    /// The checksum of key and head does not hold.
    case text
    /// The checksum of the body does not hold.
    case body
    /// The key does not hash to the file's name.
    case name
}

/// The fixed header of a record.
struct RecordHeader: Equatable, Sendable {
    /// The length of the key.
    var keyLength: Int
    /// The length of the head.
    var headLength: Int
    /// The length of the head with its padding.
    var headCapacity: Int
    /// The length of the body.
    var bodyLength: Int
    /// XXH3-64 of key, head and padding.
    var textDigest: UInt64
    /// XXH3-128 of the body.
    var bodyDigest: Digest128

    /// Where the body begins.
    var bodyOffset: Int { RecordLayout.keyOffset + keyLength + headCapacity }

    /// The length of the file.
    var fileBytes: Int { bodyOffset + bodyLength }

    /// Where the body of a new record begins: behind key and head, at the next multiple of a sector.
    static func bodyOffset(keyLength: Int, headLength: Int) -> Int {
        let end = RecordLayout.keyOffset + keyLength + headLength
        return (end + RecordLayout.sectorBytes - 1) / RecordLayout.sectorBytes * RecordLayout.sectorBytes
    }

    /// Reads and judges a header.
    ///
    /// - Parameters:
    ///   - bytes: the first bytes of the file, at least a sector of them.
    ///   - fileBytes: the length of the file.
    init(_ bytes: Span<UInt8>, fileBytes: Int) throws(RecordDamage) {
        guard bytes.count >= RecordLayout.sectorBytes else { throw .truncated }
        guard bytes.word64(at: 0) == RecordLayout.magic else { throw .magic }
        guard bytes.word32(at: 8) == RecordLayout.version else { throw .version }
        guard bytes.sectorHolds(at: 0, seed: 0) else { throw .header }
        keyLength = Int(bytes.word32(at: 12))
        headLength = Int(bytes.word32(at: 16))
        headCapacity = Int(bytes.word32(at: 20))
        bodyLength = Int(truncatingIfNeeded: bytes.word64(at: 24))
        textDigest = bytes.word64(at: 32)
        bodyDigest = Digest128(high: bytes.word64(at: 48), low: bytes.word64(at: 40))
        guard (1...RecordLayout.maxKeyBytes).contains(keyLength),
            headLength <= headCapacity, headCapacity <= RecordLayout.maxHeadBytes + RecordLayout.sectorBytes,
            (0...RecordLayout.maxBodyBytes).contains(bodyLength), self.fileBytes == fileBytes
        else { throw .lengths }
    }

    /// A header for a new record.
    init(keyLength: Int, headLength: Int, bodyLength: Int, textDigest: UInt64, bodyDigest: Digest128) {
        self.keyLength = keyLength
        self.headLength = headLength
        self.headCapacity =
            Self.bodyOffset(keyLength: keyLength, headLength: headLength) - RecordLayout.keyOffset - keyLength
        self.bodyLength = bodyLength
        self.textDigest = textDigest
        self.bodyDigest = bodyDigest
    }

    /// Appends the header, one sector.
    func write(to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.appendWord64(RecordLayout.magic)
        bytes.appendWord32(RecordLayout.version)
        bytes.appendWord32(UInt32(keyLength))
        bytes.appendWord32(UInt32(headLength))
        bytes.appendWord32(UInt32(headCapacity))
        bytes.appendWord64(UInt64(bodyLength))
        bytes.appendWord64(textDigest)
        bytes.appendWord64(bodyDigest.low)
        bytes.appendWord64(bodyDigest.high)
        bytes.sealSector(from: start, seed: 0)
    }
}
