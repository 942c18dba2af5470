/// Small valid pictures, padded to a wanted size with bytes that a seed determines.
public enum Pictures {
    /// The formats that have a sample here.
    public enum Format: String, CaseIterable, Sendable {
        case png, jpeg, gif, webp, avif, svg

        /// The registered media type.
        public var mediaType: String { self == .svg ? "image/svg+xml" : "image/\(rawValue)" }
    }

    /// A picture of the format, exactly `count` bytes long; never shorter than the sample, unless `count` cuts it.
    ///
    /// Padding stands after the picture's own end, where decoders ignore it; an SVG is padded by white space.
    public static func bytes(_ format: Format, count: Int? = nil, seed: UInt64 = 1) -> [UInt8] {
        var bytes = sample(format)
        guard let count else { return bytes }
        guard count > bytes.count else { return Array(bytes.prefix(count)) }
        bytes.reserveCapacity(count)
        if format == .svg {
            bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: count - bytes.count))
            return bytes
        }
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        while bytes.count < count {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            bytes.append(UInt8(truncatingIfNeeded: state >> 24))
        }
        return bytes
    }

    private static func sample(_ format: Format) -> [UInt8] {
        switch format {
        case .png:
            hex("89504e470d0a1a0a0000000d4948445200000001000000010806000000")
                + hex("1f15c4890000000a49444154789c63000100000500010d0a2db40000000049454e44ae426082")
        case .jpeg:
            hex("ffd8ffe000104a46494600010100000100010000ffdb004300030202020202030202020303030304060404040404")
                + hex("080606050609080a0a090809090a0c0f0c0a0b0e0b09090d110d0e0f101011100a0c12131210130f101010")
                + hex("ffc9000b080001000101011100ffcc000600101005ffda0008010100003f00d2cf20ffd9")
        case .gif:
            hex("47494638396101000100800000000000ffffff21f90401000000002c000000000100010000020144003b")
        case .webp:
            hex("52494646220000005745425056503820160000003001009d012a010001000ec0fe25a400037000000000")
        case .avif:
            // A `ftyp` box that names the brands, then an `mdat` box that reaches to the end of the file.
            hex("0000001c667479706176696600000000617669666d6966316d69616600000000") + hex("6d646174")
        case .svg:
            Array(
                #"<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><rect width="1" height="1"/></svg>"#.utf8
            )
        }
    }

    private static func hex(_ text: String) -> [UInt8] {
        let digits = text.utf8.map { UInt8($0 > 57 ? $0 - 87 : $0 - 48) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
