/// The key that a request target spells when nothing in it needs a decision.
///
/// Plain are `/image?url=VALUE` without another parameter, and the forward-proxy form, which is the URL as it stands. The
/// value is percent-decoded once, as `ImageQuery` does. It is not made canonical: a stored key is a canonical URL, and one
/// that is parsed again stays what it is. So where the decoded bytes equal a stored key, the long way leads to that key;
/// where they equal none, they may spell one all the same, and the long way has to be taken.
///
/// Pure, on bytes. Owner: a serving loop, which lends its room to one request after the other.
/// Cost: does not allocate.
struct PlainTarget {
    /// What stands before the value.
    private static let prefix: InlineArray<11, UInt8> = [
        0x2F, 0x69, 0x6D, 0x61, 0x67, 0x65, 0x3F, 0x75, 0x72, 0x6C, 0x3D,  // /image?url=
    ]
    /// The longest URL that is read here; the default of `maxURLLength`.
    private static let longestKey = 8192

    private var room = [UInt8](repeating: 0, count: longestKey)
    private var count = 0

    /// Lends what the last target spells; nothing, when it was not plain.
    @inline(__always)
    func withKeyBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        body(room.span.extracting(0..<count))
    }

    /// Reads a target, which is not empty; false when it is not plain, or spells what is no key.
    mutating func read(_ target: Span<UInt8>) -> Bool {
        count = 0
        guard target[0] == UInt8(ascii: "/") else { return copy(target) }
        guard Self.isImage(target) else { return false }
        return decode(target.extracting(Self.prefix.count..<target.count))
    }

    private static func isImage(_ target: Span<UInt8>) -> Bool {
        guard target.count > prefix.count else { return false }
        for index in prefix.indices where target[index] != prefix[index] { return false }
        return true
    }

    private mutating func copy(_ url: Span<UInt8>) -> Bool {
        guard url.count <= Self.longestKey else { return false }
        var output = room.mutableSpan
        for index in url.indices { output[index] = url[index] }
        count = url.count
        return true
    }

    /// Decodes the value of `url`.
    ///
    /// The first `&` ends the value, unless a literal `?` stands before it: then all of it is the URL (`ImageQuery`).
    private mutating func decode(_ value: Span<UInt8>) -> Bool {
        guard value.count <= Self.longestKey else { return false }
        var output = room.mutableSpan
        var length = 0
        var index = 0
        var isWholeQuery = false
        while index < value.count {
            var byte = value[index]
            if byte == UInt8(ascii: "%") {
                guard let decoded = Self.escapedByte(in: value, at: index) else { return false }
                byte = decoded
                index += 2
            } else if byte == UInt8(ascii: "?") {
                isWholeQuery = true
            } else if byte == UInt8(ascii: "&"), !isWholeQuery {
                return false
            }
            output[length] = byte
            length += 1
            index += 1
        }
        count = length
        return true
    }

    /// The byte that `%XX` stands for; nil where it is malformed, or no byte of a key: those are printable ASCII.
    private static func escapedByte(in value: Span<UInt8>, at index: Int) -> UInt8? {
        guard index + 2 < value.count, let high = hexValue(value[index + 1]), let low = hexValue(value[index + 2])
        else { return nil }
        let byte = high << 4 | low
        return (0x21...0x7E).contains(byte) ? byte : nil
    }

    private static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
