/// What a body is taken for, given what the origin says and what the bytes say.
///
/// | declared | bytes an image | bytes something else |
/// | --- | --- | --- |
/// | an image type | that image, type from the bytes | not an image |
/// | nothing, a generic type, a malformed string | that image, type from the bytes | not an image |
/// | any other type | another type | another type |
///
/// The string that the origin sent never goes on to a client: a type is written anew from the table or from the parts
/// that were understood.
public enum ContentDecision: Hashable, Sendable {
    /// An image, and the media type to send with it.
    case image(ImageFormat, mediaType: [UInt8])
    /// Neither declared nor recognised as an image that is known.
    case notAnImage
    /// Declared as something that is not an image; holds the clean `type/subtype`, for lists of types to judge.
    case otherType([UInt8])

    /// Judges a body.
    /// - Parameters:
    ///   - declared: the value of `Content-Type`, nil when there is none.
    ///   - sniffed: the format of the bytes, nil when they are no image.
    public static func judge(declared: [UInt8]?, sniffed: ImageFormat?) -> ContentDecision {
        let type = declared.flatMap(DeclaredType.init)
        if let type, !type.isImage, !type.isGeneric { return .otherType(type.essence) }
        guard let sniffed else { return .notAnImage }
        if let type, sniffed.otherMediaTypes.contains(where: { type.essence.elementsEqual($0.utf8) }) {
            return .image(sniffed, mediaType: type.essence)
        }
        return .image(sniffed, mediaType: sniffed.mediaTypeBytes)
    }
}
