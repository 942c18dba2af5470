/// The image formats that are known by their bytes.
public enum ImageFormat: Hashable, Sendable, CaseIterable {
    /// Portable Network Graphics, animated or not.
    case png
    /// JPEG.
    case jpeg
    /// GIF, 87a or 89a.
    case gif
    /// WebP.
    case webp
    /// AV1 in an image container, still or sequence.
    case avif
    /// HEVC in an image container, and image containers that name no codec.
    case heic
    /// JPEG XL, bare or boxed.
    case jxl
    /// Windows bitmap.
    case bmp
    /// Windows icon or cursor.
    case ico
    /// TIFF, classic or big.
    case tiff
    /// Scalable Vector Graphics as text; the only format that can carry scripts.
    case svg

    /// The media type that is sent for the format.
    ///
    /// Source: IANA media types registry; `image/x-icon` is what browsers and servers say for the registered
    /// `image/vnd.microsoft.icon` (WHATWG MIME Sniffing, section 6.1).
    public var mediaType: String {
        switch self {
        case .png: "image/png"
        case .jpeg: "image/jpeg"
        case .gif: "image/gif"
        case .webp: "image/webp"
        case .avif: "image/avif"
        case .heic: "image/heic"
        case .jxl: "image/jxl"
        case .bmp: "image/bmp"
        case .ico: "image/x-icon"
        case .tiff: "image/tiff"
        case .svg: "image/svg+xml"
        }
    }

    /// The media type as bytes of a field value.
    public var mediaTypeBytes: [UInt8] { Array(mediaType.utf8) }

    /// Other types that say the same or more about such bytes, and are passed on when the origin says them.
    public var otherMediaTypes: [String] {
        switch self {
        case .png: ["image/apng"]
        case .heic: ["image/heif", "image/heic-sequence", "image/heif-sequence"]
        case .bmp: ["image/x-ms-bmp"]
        case .ico: ["image/vnd.microsoft.icon"]
        case .jpeg, .gif, .webp, .avif, .jxl, .tiff, .svg: []
        }
    }
}
