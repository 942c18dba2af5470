/// Formats in an ISO base media file: a box `ftyp` that lists brands.
///
/// Source: ISO/IEC 14496-12, section 4.3; ISO/IEC 23008-12 (HEIF), annexes B and D; AV1 Image File Format, section 6.
enum ImageContainer {
    private static let sizeBytes = 4
    private static let firstCompatibleBrand = 16

    /// Reads the brands within the window; a brand behind it is not seen.
    static func sniff(_ bytes: Span<UInt8>) -> SniffOutcome {
        // A list of brands is never longer than 64 KB; so the two upper bytes of its size tell text at once.
        for index in 0..<min(2, bytes.count) where bytes[index] != 0 { return .notAnImage }
        for (index, byte) in "ftyp".utf8.enumerated() where sizeBytes + index < bytes.count {
            guard bytes[sizeBytes + index] == byte else { return .notAnImage }
        }
        guard bytes.count >= 12 else { return .needMore }
        if let format = format(ofBrand: brand(in: bytes, at: 8)) { return .format(format) }

        let boxEnd = (0..<sizeBytes).reduce(0) { $0 << 8 | Int(bytes[$1]) }
        var offset = firstCompatibleBrand
        while offset + 4 <= min(boxEnd, bytes.count) {
            if let format = format(ofBrand: brand(in: bytes, at: offset)) { return .format(format) }
            offset += 4
        }
        guard bytes.count >= min(boxEnd, ImageSniffer.binaryWindowBytes) else { return .needMore }
        return isImageBrand(brand(in: bytes, at: 8)) ? .format(.heic) : .notAnImage
    }

    private static func brand(in bytes: Span<UInt8>, at offset: Int) -> UInt32 {
        (offset..<(offset + 4)).reduce(0) { $0 << 8 | UInt32(bytes[$1]) }
    }

    /// The brands that name a codec.
    private static func format(ofBrand brand: UInt32) -> ImageFormat? {
        switch brand {
        case code("avif"), code("avis"): .avif
        case code("heic"), code("heix"), code("heim"), code("heis"): .heic
        case code("hevc"), code("hevx"), code("hevm"), code("hevs"): .heic
        default: nil
        }
    }

    /// The brands that say image and leave the codec open.
    private static func isImageBrand(_ brand: UInt32) -> Bool {
        brand == code("mif1") || brand == code("mif2") || brand == code("msf1")
    }

    private static func code(_ text: StaticString) -> UInt32 {
        text.description.utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
