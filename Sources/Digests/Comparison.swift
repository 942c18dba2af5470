import CCrypto
import Glibc

// Two ways to compare bytes: one for secrets, one for speed.

/// Compares two byte strings in time that depends on their lengths alone.
///
/// Source: OpenSSL `CRYPTO_memcmp`.
public func constantTimeEquals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { leftBytes in
        unsafe right.withUnsafeBytes { rightBytes in
            unsafe CRYPTO_memcmp(leftBytes.baseAddress, rightBytes.baseAddress, leftBytes.count) == 0
        }
    }
}

/// Compares two byte strings as fast as memory allows; for anything but secrets.
///
/// Source: `memcmp`.
public func bytesEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { leftBytes in
        unsafe right.withUnsafeBytes { rightBytes in
            guard let leftStart = leftBytes.baseAddress, let rightStart = rightBytes.baseAddress else { return true }
            return unsafe memcmp(leftStart, rightStart, leftBytes.count) == 0
        }
    }
}

/// Compares an array with bytes as fast as memory allows.
///
/// The array is borrowed as it is: its `span` would cost a retain where it is a property of a shared object.
public func bytesEqual(_ left: [UInt8], _ right: Span<UInt8>) -> Bool {
    bytesEqual(left.span, right)
}
