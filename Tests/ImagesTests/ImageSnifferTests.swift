import Images
import Testing

/// A beginning of a body and what it is.
struct SniffCase: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let format: ImageFormat?

    init(_ name: String, _ bytes: [UInt8], _ format: ImageFormat?) {
        self.name = name
        self.bytes = bytes
        self.format = format
    }

    init(_ text: String, _ format: ImageFormat?) {
        self.init(text, Array(text.utf8), format)
    }

    var testDescription: String { name }
}

private func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

private func fileType(_ brands: String..., size: UInt8? = nil) -> [UInt8] {
    let body = ascii("ftyp") + ascii(brands[0]) + [0, 0, 0, 0] + brands.dropFirst().flatMap(ascii)
    return [0, 0, 0, size ?? UInt8(body.count + 4)] + body
}

private let bitmapHead: [UInt8] =
    ascii("BM") + [0x46, 0, 0, 0, 0, 0, 0, 0, 0x36, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0]

/// Heads of real files of each format.
let binaryHeads: [SniffCase] = [
    SniffCase("png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D] + ascii("IHDR"), .png),
    SniffCase("jpeg jfif", [0xFF, 0xD8, 0xFF, 0xE0, 0, 0x10] + ascii("JFIF"), .jpeg),
    SniffCase("jpeg exif", [0xFF, 0xD8, 0xFF, 0xE1, 0x1C, 0x45] + ascii("Exif"), .jpeg),
    SniffCase("jpeg raw", [0xFF, 0xD8, 0xFF, 0xDB], .jpeg),
    SniffCase("gif 89a", ascii("GIF89a") + [1, 0, 1, 0, 0x80], .gif),
    SniffCase("gif 87a", ascii("GIF87a") + [1, 0, 1, 0, 0x80], .gif),
    SniffCase("webp lossy", ascii("RIFF") + [0x24, 0, 0, 0] + ascii("WEBPVP8 "), .webp),
    SniffCase("webp lossless", ascii("RIFF") + [0x24, 0, 0, 0] + ascii("WEBPVP8L"), .webp),
    SniffCase("webp extended", ascii("RIFF") + [0x24, 0, 0, 0] + ascii("WEBPVP8X"), .webp),
    SniffCase("avif", fileType("avif", "avif", "mif1", "miaf"), .avif),
    SniffCase("avif sequence", fileType("avis", "avis", "msf1", "miaf"), .avif),
    SniffCase("avif by compatible brand", fileType("mif1", "mif1", "avif", "miaf"), .avif),
    SniffCase("heic", fileType("heic", "mif1", "heic"), .heic),
    SniffCase("heic by compatible brand", fileType("mif1", "mif1", "heic"), .heic),
    SniffCase("heif without a codec brand", fileType("mif1", "mif1"), .heic),
    SniffCase("hevc sequence", fileType("hevc", "msf1", "hevc"), .heic),
    SniffCase("jxl codestream", [0xFF, 0x0A, 0xFA, 0x1F], .jxl),
    SniffCase("jxl container", [0, 0, 0, 0x0C] + ascii("JXL ") + [0x0D, 0x0A, 0x87, 0x0A, 0, 0, 0, 0x14], .jxl),
    SniffCase("bmp", bitmapHead, .bmp),
    SniffCase("ico", [0, 0, 1, 0, 1, 0, 16, 16, 0, 0], .ico),
    SniffCase("cursor", [0, 0, 2, 0, 1, 0, 32, 32], .ico),
    SniffCase("tiff little-endian", ascii("II") + [0x2A, 0, 8, 0, 0, 0], .tiff),
    SniffCase("tiff big-endian", ascii("MM") + [0, 0x2A, 0, 0, 0, 8], .tiff),
    SniffCase("big tiff little-endian", ascii("II") + [0x2B, 0, 8, 0, 0, 0], .tiff),
    SniffCase("big tiff big-endian", ascii("MM") + [0, 0x2B, 0, 8, 0, 0], .tiff),
]

/// Bodies that are no images, some of them by a byte.
let strangers: [SniffCase] = [
    SniffCase("nothing", [], nil),
    SniffCase("png with a damaged line end", [0x89, 0x50, 0x4E, 0x47, 0x0A, 0x1A, 0x0A, 0], nil),
    SniffCase("two bytes of jpeg", [0xFF, 0xD8], nil),
    SniffCase("jpeg start without a marker", [0xFF, 0xD8, 0x00, 0x10], nil),
    SniffCase("GIF88a...", nil),
    SniffCase("RIFF....WAVEfmt ", nil),
    SniffCase("RIFF....WEBPXXXX", nil),
    SniffCase("mp4", fileType("isom", "isom", "iso2", "mp41"), nil),
    SniffCase("quicktime", fileType("qt  ", "qt  "), nil),
    SniffCase("BMW builds cars, and this is a text about them", nil),
    SniffCase("icon without pictures", [0, 0, 1, 0, 0, 0, 0, 0], nil),
    SniffCase("%PDF-1.7", nil),
    SniffCase("gzip", [0x1F, 0x8B, 0x08, 0], nil),
    SniffCase("zip", ascii("PK") + [3, 4], nil),
    SniffCase("IIRC this is text", nil),
    SniffCase("{\"error\":\"not found\"}", nil),
    SniffCase("utf-16 text", [0xFF, 0xFE, 0x3C, 0], nil),
    SniffCase("zeros", Array(repeating: 0, count: 64), nil),
]

@Suite struct `Binary images` {
    @Test(arguments: binaryHeads) func `each format is told by its head`(_ head: SniffCase) {
        #expect(ImageSniffer.sniff(head.bytes.span, isComplete: true) == head.format.map(SniffOutcome.format))
        #expect(head.bytes.count <= ImageSniffer.binaryWindowBytes)
    }

    @Test(arguments: binaryHeads) func `a cut head asks for more and never lies`(_ head: SniffCase) {
        for count in 0..<head.bytes.count {
            let outcome = ImageSniffer.sniff(Array(head.bytes.prefix(count)).span, isComplete: false)
            #expect(outcome == .needMore || outcome == head.format.map(SniffOutcome.format), "\(count) bytes")
        }
    }

    @Test(arguments: binaryHeads) func `what follows the head changes nothing`(_ head: SniffCase) {
        let long = head.bytes + Array(repeating: 0xAA, count: 5000)
        #expect(ImageSniffer.sniff(long.span, isComplete: false) == head.format.map(SniffOutcome.format))
    }

    @Test(arguments: strangers) func `other bytes are no image`(_ stranger: SniffCase) {
        #expect(ImageSniffer.sniff(stranger.bytes.span, isComplete: true) == .notAnImage)
    }

    @Test func `brands behind the window are not waited for`() {
        // Given a ftyp box of 40 bytes whose only codec brand stands last
        let bytes = fileType("mif1", "miaf", "miaf", "miaf", "miaf", "miaf", "avif")
        // Then the container is decided by what 32 bytes show
        #expect(ImageSniffer.sniff(Array(bytes.prefix(24)).span, isComplete: false) == .needMore)
        #expect(ImageSniffer.sniff(Array(bytes.prefix(32)).span, isComplete: false) == .format(.heic))
    }

    @Test func `nothing yet is not a verdict`() {
        #expect(ImageSniffer.sniff([UInt8]().span, isComplete: false) == .needMore)
    }

    @Test func `random bytes are refused at once`() {
        #expect(ImageSniffer.sniff([UInt8]([0x13, 0x37]).span, isComplete: false) == .notAnImage)
    }
}
