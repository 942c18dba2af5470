import Digests

/// The lower-case hexadecimal digits of the bytes.
func hex(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
        let digits = String(byte, radix: 16)
        return byte < 16 ? "0" + digits : digits
    }.joined()
}

/// Bytes that differ from each other in an order of no meaning.
func sampleBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ ($0 >> 8) &* 13) }
}

// `#expect` cannot capture a `Span`, so these take arrays.

func hash64(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 { XXH3.hash64(bytes.span, seed: seed) }
func hash128(_ bytes: [UInt8], seed: UInt64 = 0) -> Digest128 { XXH3.hash128(bytes.span, seed: seed) }
func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { bytesEqual(left.span, right.span) }
func areEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool { constantTimeEquals(left.span, right.span) }
func encode(_ bytes: [UInt8]) -> [UInt8] { Base64URL.encode(bytes.span) }
func decode(_ text: [UInt8]) -> [UInt8]? { Base64URL.decode(text.span) }
func isValid(_ code: [UInt8], key: [UInt8], message: [UInt8]) -> Bool {
    HMACSHA256.isValid(code.span, key: key.span, message: message.span)
}
