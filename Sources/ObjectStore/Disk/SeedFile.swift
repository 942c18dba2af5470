import Digests

/// The seed under which keys are hashed, kept so that file names mean the same after a restart.
///
/// Random, so that nobody outside can choose keys that collide. Without it the records are useless, hence the one `fsync`
/// of the store.
///
/// Shape: magic `IMGSSEED` (8 bytes), seed (8), XXH3-64 of both (8); little-endian.
enum SeedFile {
    /// `IMGSSEED` read as a little-endian number.
    private static let magic: UInt64 = 0x4445_4553_5347_4D49
    private static let sizeBytes = 24

    /// The bytes of the file.
    static func encode(_ seed: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendWord64(magic)
        bytes.appendWord64(seed)
        bytes.appendWord64(XXH3.hash64(bytes.span))
        return bytes
    }

    /// The seed in the bytes of a file; nil if it is damaged.
    static func decode(_ bytes: Span<UInt8>) -> UInt64? {
        guard bytes.count == sizeBytes, bytes.word64(at: 0) == magic,
            XXH3.hash64(bytes.extracting(0..<16)) == bytes.word64(at: 16)
        else { return nil }
        return bytes.word64(at: 8)
    }
}
