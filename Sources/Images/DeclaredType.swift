/// A `Content-Type` that is well formed from end to end.
///
/// Malformed ones (`image/png, text/html`; `image/png text/html`) are no types at all: browsers have read them in more
/// than one way.
///
/// Source: RFC 9110, section 8.3.1.
struct DeclaredType {
    /// `type/subtype` in lower case.
    let essence: [UInt8]

    /// True for `image/…`.
    var isImage: Bool { essence.starts(with: "image/".utf8) }

    /// True for the types that servers fall back to when they do not know.
    var isGeneric: Bool { Self.generic.contains { essence.elementsEqual($0.utf8) } }

    private static let generic = [
        "application/octet-stream", "binary/octet-stream", "application/x-octet-stream", "text/plain",
        "application/unknown", "unknown/unknown",
    ]

    /// Reads a field value; nil when it is malformed.
    init?(_ value: [UInt8]) {
        var text = value[...]
        Self.dropBlanks(&text)
        let type = Self.takeToken(&text)
        guard !type.isEmpty, text.first == UInt8(ascii: "/") else { return nil }
        text.removeFirst()
        let subtype = Self.takeToken(&text)
        guard !subtype.isEmpty, !subtype.contains(UInt8(ascii: "%")), Self.takeParameters(&text) else { return nil }
        essence = type + [UInt8(ascii: "/")] + subtype
    }

    private static func takeParameters(_ text: inout ArraySlice<UInt8>) -> Bool {
        dropBlanks(&text)
        while text.first == UInt8(ascii: ";") {
            text.removeFirst()
            dropBlanks(&text)
            // Empty parameters, and a semicolon at the end, are allowed.
            if text.isEmpty || text.first == UInt8(ascii: ";") { continue }
            let name = takeToken(&text)
            guard !name.isEmpty, text.first == UInt8(ascii: "=") else { return false }
            text.removeFirst()
            guard takeValue(&text) else { return false }
            dropBlanks(&text)
        }
        return text.isEmpty
    }

    private static func takeValue(_ text: inout ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: "\"") else { return !takeToken(&text).isEmpty }
        text.removeFirst()
        while let byte = text.popFirst() {
            if byte == UInt8(ascii: "\"") { return true }
            if byte == UInt8(ascii: "\\"), text.popFirst() == nil { return false }
        }
        return false
    }

    private static func takeToken(_ text: inout ArraySlice<UInt8>) -> [UInt8] {
        let token = text.prefix(while: isTokenByte)
        text.removeFirst(token.count)
        return token.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    private static func dropBlanks(_ text: inout ArraySlice<UInt8>) {
        while text.first == UInt8(ascii: " ") || text.first == UInt8(ascii: "\t") { text.removeFirst() }
    }

    /// Source: RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
