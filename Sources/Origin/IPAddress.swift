/// An IPv4 or IPv6 address, without zone and port.
///
/// Shape: the numeric value in host order, so that networks compare by shifting.
public enum IPAddress: Hashable, Sendable {
    /// IPv4, 32 bits.
    case v4(UInt32)
    /// IPv6, the upper and the lower 64 bits.
    case v6(high: UInt64, low: UInt64)

    /// Reads an address from network byte order: 4 bytes are IPv4, 16 are IPv6, nothing else is an address.
    public init?(networkBytes bytes: Span<UInt8>) {
        switch bytes.count {
        case 4: self = .v4(UInt32(truncatingIfNeeded: Self.number(in: bytes, 0..<4)))
        case 16: self = .v6(high: Self.number(in: bytes, 0..<8), low: Self.number(in: bytes, 8..<16))
        default: return nil
        }
    }

    /// The address in network byte order: 4 or 16 bytes.
    public var networkBytes: [UInt8] {
        switch self {
        case .v4(let value):
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
        case .v6(let high, let low):
            [high, low].flatMap { half in
                (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * UInt64($0))) }
            }
        }
    }

    /// How many bits an address of this family has.
    public var bitWidth: Int {
        switch self {
        case .v4: 32
        case .v6: 128
        }
    }

    /// True for `0.0.0.0` and `::`, which a listener uses for "every local address".
    public var isUnspecified: Bool { self == .v4(0) || self == .v6(high: 0, low: 0) }

    /// IPv4 loopback, `127.0.0.1`.
    public static let loopbackV4 = IPAddress.v4(0x7F00_0001)
    /// IPv6 loopback, `::1`.
    public static let loopbackV6 = IPAddress.v6(high: 0, low: 1)

    private static func number(in bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
        var value: UInt64 = 0
        for index in range { value = value << 8 | UInt64(bytes[index]) }
        return value
    }
}
