import HTTPMessages

/// Where a request goes.
///
/// Pure, on bytes.
enum Route: Hashable {
    /// `/image?…`: the query as sent.
    case image(query: Range<Int>)
    /// The forward-proxy form: the whole target is the URL.
    case proxied
    /// `CONNECT`.
    case tunnel
    /// `/`: what this is, and how to ask.
    case welcome
    /// `/healthz`.
    case health
    /// Any other path; the admin listener knows more of them.
    case other(path: Range<Int>, query: Range<Int>)

    /// Reads a target.
    init(_ target: Span<UInt8>, method: Method) {
        if method == .connect {
            self = .tunnel
            return
        }
        guard target[0] == UInt8(ascii: "/") else {
            self = .proxied
            return
        }
        var mark = target.count
        for index in target.indices where target[index] == UInt8(ascii: "?") {
            mark = index
            break
        }
        let query = min(mark + 1, target.count)..<target.count
        let path = target.extracting(0..<mark)
        if path.isWord("/image") {
            self = .image(query: query)
        } else if path.isWord("/healthz") {
            self = .health
        } else if path.isWord("/") {
            self = .welcome
        } else {
            self = .other(path: 0..<mark, query: query)
        }
    }
}

extension Span<UInt8> {
    /// Whether the bytes are exactly those of `word`.
    func isWord(_ word: StaticString) -> Bool {
        let bytes = "\(word)".utf8
        guard bytes.count == count else { return false }
        var index = 0
        for byte in bytes {
            if self[index] != byte { return false }
            index += 1
        }
        return true
    }
}
