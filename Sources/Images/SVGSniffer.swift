/// Tells SVG documents from other text by walking to the root element.
///
/// Only what XML allows before a root is stepped over: a byte order mark, white space, declarations and processing
/// instructions, comments, and a document type whose name is `svg`. The root itself must be `svg`, so an HTML page
/// that holds a drawing is not taken for one.
///
/// Source: XML 1.0, section 2.8; SVG 2, section 5.1.
struct SVGSniffer {
    private var position: Int

    /// Looks at text from its first byte on; `needMore` when it ends before the root.
    static func sniff(_ bytes: Span<UInt8>) -> SniffOutcome {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var marked = 0
        while marked < min(3, bytes.count), bytes[marked] == mark[marked] { marked += 1 }
        guard marked == 0 || marked == 3 || marked == bytes.count else { return .notAnImage }
        var sniffer = SVGSniffer(position: marked)
        return sniffer.walk(bytes)
    }

    private mutating func walk(_ bytes: Span<UInt8>) -> SniffOutcome {
        while true {
            while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
            switch item(bytes) {
            case .needMore: return .needMore
            case .other: return .notAnImage
            case .root: return .format(.svg)
            case .instruction: guard skip(past: "?>", bytes) else { return .needMore }
            case .comment: guard skip(past: "-->", bytes) else { return .needMore }
            case .documentType:
                if let outcome = skipDocumentType(bytes) { return outcome }
            }
        }
    }

    /// What begins at the position.
    private enum Item {
        case instruction
        case comment
        case documentType
        case root
        case other
        case needMore
    }

    /// Names what begins at the position and steps over its opening.
    private mutating func item(_ bytes: Span<UInt8>) -> Item {
        let openings: [(StaticString, Item)] = [
            ("<?", .instruction), ("<!--", .comment), ("<!DOCTYPE", .documentType),
            ("<svg:svg", .root), ("<svg", .root),
        ]
        var fitsSoFar = false
        for (opening, item) in openings {
            switch compare(opening, bytes) {
            case .different: continue
            case .tooShort: fitsSoFar = true
            case .matched:
                position += opening.utf8CodeUnitCount
                guard item == .root || item == .documentType else { return item }
                guard position < bytes.count else { return .needMore }
                if item == .root, bytes[position] == UInt8(ascii: ":") { return fitsSoFar ? .needMore : .other }
                return isNameEnd(bytes[position]) ? item : .other
            }
        }
        return fitsSoFar ? .needMore : .other
    }

    /// Steps over a document type; nil when that went well.
    ///
    /// Quoted identifiers and the internal subset may hold `>`; comments inside the subset may hold quotes.
    private mutating func skipDocumentType(_ bytes: Span<UInt8>) -> SniffOutcome? {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        switch compare("svg", bytes) {
        case .different: return .notAnImage
        case .tooShort: return .needMore
        case .matched: position += 3
        }
        guard position < bytes.count else { return .needMore }
        guard isNameEnd(bytes[position]) || bytes[position] == UInt8(ascii: "[") else { return .notAnImage }

        var isInSubset = false
        while position < bytes.count {
            let byte = bytes[position]
            if isInSubset, compare("<!--", bytes) == .matched {
                position += 4
                guard skip(past: "-->", bytes) else { return .needMore }
                continue
            }
            position += 1
            switch byte {
            case UInt8(ascii: "\""): guard skip(past: "\"", bytes) else { return .needMore }
            case UInt8(ascii: "'"): guard skip(past: "'", bytes) else { return .needMore }
            case UInt8(ascii: "["): isInSubset = true
            case UInt8(ascii: "]"): isInSubset = false
            case UInt8(ascii: ">") where !isInSubset: return nil
            default: continue
            }
        }
        return .needMore
    }

    /// Steps behind the next occurrence; false when the text ends first.
    private mutating func skip(past text: StaticString, _ bytes: Span<UInt8>) -> Bool {
        while position < bytes.count {
            if compare(text, bytes) == .matched {
                position += text.utf8CodeUnitCount
                return true
            }
            position += 1
        }
        return false
    }

    private func compare(_ text: StaticString, _ bytes: Span<UInt8>) -> ImageSignature.Match {
        var index = position
        for byte in text.description.utf8 {
            guard index < bytes.count else { return .tooShort }
            guard bytes[index] == byte else { return .different }
            index += 1
        }
        return .matched
    }

    private func isNameEnd(_ byte: UInt8) -> Bool {
        Self.isSpace(byte) || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/")
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
        default: false
        }
    }
}
