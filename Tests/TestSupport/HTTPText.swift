import Glibc

/// A field as it stood on the wire: the name in its own spelling, the value without the space around it.
public struct WireField: Sendable, Equatable {
    /// The name as received.
    public let name: String
    /// The value, trimmed.
    public let value: String
}

/// A head cut out of a stream: the first line and the fields.
struct WireHead {
    let firstLine: [Substring]
    let fields: [WireField]

    /// Takes a head apart; nil when it is none.
    ///
    /// Bytes above 127 survive as Latin-1.
    init?(_ bytes: some Sequence<UInt8>) {
        let text = latin1(bytes)
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)[...]
        guard let first = lines.popFirst() else { return nil }
        firstLine = first.split(separator: " ", maxSplits: 2)
        fields = lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return WireField(name: String(parts[0]), value: parts.count > 1 ? trimmed(parts[1]) : "")
        }
    }
}

/// Bytes as text, one character a byte, so that nothing is lost or repaired.
public func latin1(_ bytes: some Sequence<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes { text.append(Unicode.Scalar(byte)) }
    return String(text)
}

func trimmed(_ text: Substring) -> String {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
}

extension [WireField] {
    /// The values of all fields of the name, in order; names compare without case.
    public func all(_ name: String) -> [String] {
        let name = name.lowercased()
        return filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// The value of the first field of the name.
    public func first(_ name: String) -> String? { all(name).first }
}

extension ArraySlice<UInt8> {
    /// Where the empty line ends that ends a head; nil when it is not there yet.
    var endOfHead: Int? {
        var index = startIndex
        while index + 3 < endIndex {
            if self[index] == 13, self[index + 1] == 10, self[index + 2] == 13, self[index + 3] == 10 {
                return index + 4
            }
            index += 1
        }
        return nil
    }
}

/// A date as HTTP writes it, so many seconds from now.
public func httpDate(in seconds: Int = 0) -> String {
    var time = Glibc.time(nil) + seconds
    var parts = tm()
    gmtime_r(&time, &parts)
    var text = [CChar](repeating: 0, count: 40)
    let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// The text with everything but unreserved characters percent-encoded: what a query value needs.
public func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in text.utf8 {
        switch byte {
        case 48...57, 65...90, 97...122, 45, 46, 95, 126: result.append(byte)
        default: result.append(contentsOf: [37, digits[Int(byte >> 4)], digits[Int(byte & 15)]])
        }
    }
    return String(decoding: result, as: UTF8.self)
}
