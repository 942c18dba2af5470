/// What the first bytes of a body say about it.
public enum SniffOutcome: Hashable, Sendable {
    /// An image of that format.
    case format(ImageFormat)
    /// Not an image, or none that is known.
    case notAnImage
    /// The bytes so far fit an image; more will tell.
    case needMore
}

/// Tells image formats by their first bytes.
///
/// A pure function of the bytes; the declared type plays no part.
///
/// Binary forms are decided within 32 bytes, text forms within 4 KB.
public enum ImageSniffer {
    /// The most bytes that a binary form takes to be told.
    public static let binaryWindowBytes = 32
    /// The most bytes that a text form takes to be told.
    public static let textWindowBytes = 4096

    /// Looks at a body from its first byte on.
    /// - Parameters:
    ///   - bytes: as much of the body as has arrived; bytes behind the window are not looked at.
    ///   - isComplete: true when no more will come.
    public static func sniff(_ bytes: Span<UInt8>, isComplete: Bool) -> SniffOutcome {
        let binary = sniffBinary(bytes.extracting(first: binaryWindowBytes))
        if case .format = binary { return binary }
        let text = SVGSniffer.sniff(bytes.extracting(first: textWindowBytes))
        if case .format = text { return text }

        let awaitsBinary = binary == .needMore && bytes.count < binaryWindowBytes
        let awaitsText = text == .needMore && bytes.count < textWindowBytes
        return !isComplete && (awaitsBinary || awaitsText) ? .needMore : .notAnImage
    }

    private static func sniffBinary(_ bytes: Span<UInt8>) -> SniffOutcome {
        var needsMore = false
        for signature in ImageSignature.all {
            switch signature.match(bytes) {
            case .matched: return .format(signature.format)
            case .tooShort: needsMore = true
            case .different: continue
            }
        }
        switch ImageContainer.sniff(bytes) {
        case .notAnImage: return needsMore ? .needMore : .notAnImage
        case let other: return other
        }
    }
}
