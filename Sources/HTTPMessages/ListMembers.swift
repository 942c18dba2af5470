/// Walks over the members of a comma-separated list of tokens, skipping empty ones.
///
/// Source: RFC 9110 §5.6.1. Commas in quoted strings are not looked for: lists of tokens have none.
struct ListMembers: ~Copyable, ~Escapable {
    private let list: Span<UInt8>
    private var position = 0

    /// Begins before the first member.
    @_lifetime(copy list)
    init(_ list: Span<UInt8>) {
        self.list = list
    }

    /// Gives where the next member lies in the list, without white space around it; nil after the last.
    mutating func next() -> Range<Int>? {
        while position < list.count {
            let start = position
            while position < list.count, list[position] != Octet.comma { position += 1 }
            let content = list.extracting(start..<position).contentRange
            position += 1
            if !content.isEmpty { return start + content.lowerBound..<start + content.upperBound }
        }
        return nil
    }
}

extension Span where Element == UInt8 {
    /// Tells whether the octets are a word of lower-case ASCII, in any case of letters.
    func isWord(_ word: String) -> Bool {
        guard word.utf8.count == count else { return false }
        var index = 0
        for octet in word.utf8 {
            guard Octet.lowercased(self[index]) == octet else { return false }
            index += 1
        }
        return true
    }
}
