import CCrypto

// Message authentication, by OpenSSL.

/// HMAC with SHA-256.
public enum HMACSHA256 {
    /// Bytes in a code.
    public static let codeBytes = 32

    /// Computes the authentication code of a message.
    ///
    /// - Parameters:
    ///   - key: the secret, of any length.
    ///   - message: what is authenticated.
    /// - Returns: `codeBytes` bytes.
    ///
    /// Source: RFC 2104, FIPS 180-4; OpenSSL `HMAC`.
    /// Cost: allocates the result.
    public static func authenticate(key: Span<UInt8>, message: Span<UInt8>) -> [UInt8] {
        // OpenSSL takes a null key for "keep the last one", so an empty key needs an address that is not null.
        let emptyKey: [UInt8] = [0]
        return unsafe [UInt8](unsafeUninitializedCapacity: codeBytes) { code, count in
            let done = unsafe key.withUnsafeBytes { keyBytes in
                unsafe message.withUnsafeBufferPointer { text in
                    unsafe emptyKey.withUnsafeBytes { empty in
                        let start = unsafe keyBytes.isEmpty ? empty.baseAddress : keyBytes.baseAddress
                        return unsafe HMAC(
                            EVP_sha256(), start, Int32(keyBytes.count), text.baseAddress, text.count,
                            code.baseAddress, nil) != nil
                    }
                }
            }
            precondition(done, "OpenSSL offers no HMAC-SHA256")
            count = codeBytes
        }
    }

    /// Says whether a code is the message's, in time that does not depend on where it differs.
    public static func isValid(_ code: Span<UInt8>, key: Span<UInt8>, message: Span<UInt8>) -> Bool {
        let expected = authenticate(key: key, message: message)
        return constantTimeEquals(expected.span, code)
    }
}
