/// Decimal numbers as they stand in messages, read and written without `String`.
public enum DecimalText {
    /// The digits of the largest 64-bit number.
    public static let maxDigits = 20

    /// Reads a number, nil when it is empty, holds anything but digits, or does not fit 64 bits.
    public static func parse(_ digits: Span<UInt8>) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        var value: UInt64 = 0
        for index in digits.indices {
            guard Octet.isDigit(digits[index]) else { return nil }
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isOverflown) = product.addingReportingOverflow(UInt64(digits[index] &- 0x30))
            guard !isTooLarge, !isOverflown else { return nil }
            value = sum
        }
        return value
    }

    /// Counts the digits that a number needs.
    public static func digitCount(_ value: UInt64) -> Int {
        var count = 1
        var rest = value / 10
        while rest > 0 {
            count += 1
            rest /= 10
        }
        return count
    }

    /// Writes a number at the start of a buffer.
    ///
    /// - Returns: The number of bytes written, `digitCount(value)`; the buffer must have room for them.
    @discardableResult
    public static func write(_ value: UInt64, into buffer: inout MutableSpan<UInt8>, at offset: Int = 0) -> Int {
        let count = digitCount(value)
        var rest = value
        var index = offset + count
        while index > offset {
            index -= 1
            buffer[index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return count
    }

    /// Appends a number.
    public static func append(_ value: UInt64, to output: inout [UInt8]) {
        let start = output.count
        var rest = value
        repeat {
            output.append(0x30 + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        output[start...].reverse()
    }
}
