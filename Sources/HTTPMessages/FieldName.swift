/// The name of a header field: a token in lower case.
///
/// Field names are case-insensitive (RFC 9110 §5.1); keeping one spelling makes equality a comparison of octets.
public struct FieldName: Hashable, Sendable {
    /// The name in lower case, never empty.
    public let bytes: [UInt8]

    /// Takes a name as received, nil when it is empty or not a token (RFC 9110 §5.1).
    public init?(_ name: Span<UInt8>) {
        guard !name.isEmpty else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.count)
        for index in name.indices {
            guard Octet.isToken(name[index]) else { return nil }
            bytes.append(Octet.lowercased(name[index]))
        }
        self.bytes = bytes
    }

    /// Takes a name as received, nil when it is empty or not a token.
    public init?(bytes: [UInt8]) {
        self.init(bytes.span)
    }

    /// Takes a name from configuration or source text, nil when it is empty or not a token.
    public init?(_ name: String) {
        self.init(bytes: Array(name.utf8))
    }

    /// Takes a name out of a list, where it stands as a token in lower case.
    init(lowercase name: ArraySlice<UInt8>) {
        bytes = Array(name)
    }

    /// Takes a name that the source text shows to be a token in lower case.
    init(known name: String) {
        bytes = Array(name.utf8)
    }

    /// Feeds all octets at once, which the hash of an array does not.
    public func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    /// Tells whether a name as received is this one.
    public func matches(_ name: Span<UInt8>) -> Bool {
        guard name.count == bytes.count else { return false }
        for index in name.indices where Octet.lowercased(name[index]) != bytes[index] {
            return false
        }
        return true
    }
}

extension FieldName: CustomStringConvertible {
    /// The name as text, in lower case.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension FieldName {
    /// Appends a lower-case name as it is customarily written: `Content-Type`, `ETag`.
    ///
    /// Names have no case (RFC 9110 §5.1), but logs, scripts and old clients are read and written by people.
    static func appendWireForm(of name: ArraySlice<UInt8>, to output: inout [UInt8]) {
        guard !name.elementsEqual("etag".utf8) else { return output.append(contentsOf: "ETag".utf8) }
        var isFirst = true
        for octet in name {
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet)
            output.append(isFirst && isLetter ? octet - 0x20 : octet)
            isFirst = octet == UInt8(ascii: "-")
        }
    }
}
