/// Fixed bytes at the beginning of a format.
struct ImageSignature: Sendable {
    /// How far bytes agree with a signature.
    enum Match {
        case matched
        case different
        case tooShort
    }

    /// What the signature stands for.
    let format: ImageFormat
    /// Expected bytes; nil stands for any byte.
    private let pattern: [UInt8?]
    /// A rule on top, where the fixed bytes alone would take in ordinary text.
    private let also: (@Sendable (Span<UInt8>) -> Bool)?

    private init(
        _ format: ImageFormat, _ pattern: [UInt8?], also: (@Sendable (Span<UInt8>) -> Bool)? = nil
    ) {
        self.format = format
        self.pattern = pattern
        self.also = also
    }

    /// Compares the beginning of a body.
    func match(_ bytes: Span<UInt8>) -> Match {
        for index in 0..<min(bytes.count, pattern.count) {
            if let expected = pattern[index], expected != bytes[index] { return .different }
        }
        guard bytes.count >= pattern.count else { return .tooShort }
        guard let also else { return .matched }
        return also(bytes) ? .matched : .different
    }

    /// Every format with fixed bytes.
    ///
    /// Source: WHATWG MIME Sniffing, section 6.1; ISO/IEC 18181-2 (JPEG XL); TIFF 6.0, section 2, and BigTIFF.
    static let all: [ImageSignature] = [
        ImageSignature(.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        ImageSignature(.jpeg, [0xFF, 0xD8, 0xFF]),
        ImageSignature(.gif, ascii("GIF87a")),
        ImageSignature(.gif, ascii("GIF89a")),
        ImageSignature(.webp, ascii("RIFF") + any(4) + ascii("WEBPVP8") + any(1)),
        ImageSignature(.jxl, [0xFF, 0x0A]),
        ImageSignature(.jxl, [0, 0, 0, 0x0C] + ascii("JXL ") + [0x0D, 0x0A, 0x87, 0x0A]),
        ImageSignature(.tiff, ascii("II") + [0x2A, 0]),
        ImageSignature(.tiff, ascii("MM") + [0, 0x2A]),
        ImageSignature(.tiff, ascii("II") + [0x2B, 0, 8, 0]),
        ImageSignature(.tiff, ascii("MM") + [0, 0x2B, 0, 8]),
        ImageSignature(.bmp, ascii("BM") + any(16), also: hasBitmapHeader),
        ImageSignature(.ico, [0, 0, 1, 0] + any(2), also: hasEntries),
        ImageSignature(.ico, [0, 0, 2, 0] + any(2), also: hasEntries),
    ]

    private static func ascii(_ text: String) -> [UInt8?] { Array(text.utf8) }

    private static func any(_ count: Int) -> [UInt8?] { Array(repeating: nil, count: count) }

    /// `BM` begins many a text; the size of the second header, little-endian at 14, is one of few.
    private static func hasBitmapHeader(_ bytes: Span<UInt8>) -> Bool {
        guard bytes[15] == 0, bytes[16] == 0, bytes[17] == 0 else { return false }
        return [12, 16, 40, 52, 56, 64, 108, 124].contains(bytes[14])
    }

    /// An icon file holds at least one picture; the count is little-endian at 4.
    private static func hasEntries(_ bytes: Span<UInt8>) -> Bool { bytes[4] != 0 || bytes[5] != 0 }
}
