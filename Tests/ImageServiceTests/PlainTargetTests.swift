import HTTPMessages
import Origin
import Testing

@testable import ImageService

/// What a plain target spells is what the long way makes of it, or nothing that is stored.
@Suite struct PlainTargetTests {
    private static let pieces = [
        "http://", "https://", "HTTP://", "o.test", "O.TEST", "o.test.", ":80", ":8080", ":443", "/", "//", "/.", "/..",
        "%2e", "%2E%2e", "%25", "%2F", "%3F", "%26", "%23", "%", "%4", "%zz", "%0A", "%00", "%20", "%7F", "%C3%A9",
        "?", "&", "=", "#", "+", "a", "b.png", "x=1", "\u{E9}", "\"", "\\", "|", "url=", "&only=memory",
        "&priority=low", "@", "[::1]", "127.1", "1.2.3.4", ";", ",", "~", "!",
    ]

    private func spelled(_ target: String) -> String? {
        var plain = PlainTarget()
        guard plain.read(Array(target.utf8).span) else { return nil }
        return plain.withKeyBytes { String(decoding: $0.copied(), as: UTF8.self) }
    }

    /// The key that the long way leads to; nil where it ends with a refusal, or the request asks for more than a URL.
    private func longWay(_ target: String) -> String? {
        let bytes = Array(target.utf8)
        guard case .image(let range) = Route(bytes.span, method: .get) else { return canonical(bytes) }
        guard let query = try? ImageQuery(bytes.span.extracting(range)), query.only == nil, query.priority == .high
        else { return nil }
        return canonical(query.url)
    }

    private func canonical(_ url: [UInt8]) -> String? {
        (try? TargetURL.parse(decoded: url.span, maxLength: 8192)).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// A careful client encodes everything that is not unreserved.
    private func encoded(_ url: String) -> String {
        url.utf8.reduce(into: "") { text, byte in
            let character = Character(UnicodeScalar(byte))
            let isKept = byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character))
            let digits = String(byte, radix: 16, uppercase: true)
            text += isKept ? String(character) : "%" + (byte < 16 ? "0" : "") + digits
        }
    }

    @Test(arguments: [
        ("/image?url=http://o.test/a.png", "http://o.test/a.png"),
        ("/image?url=http%3A%2F%2Fo.test%2Fa.png", "http://o.test/a.png"),
        ("/image?url=http%3a%2f%2fo.test%2fa+b.png", "http://o.test/a+b.png"),
        ("/image?url=http://o.test/a%2520b.png", "http://o.test/a%20b.png"),
        // A literal question mark takes everything behind it.
        ("/image?url=http://o.test/a?b&c=%26&only=memory", "http://o.test/a?b&c=&&only=memory"),
        ("/image?url=http%3A%2F%2Fo.test%2Fa%3Fb%26c", "http://o.test/a?b&c"),
        // The forward-proxy form is not decoded.
        ("http://o.test/a%20b.png?c&d", "http://o.test/a%20b.png?c&d"),
        // What is spelled here is no key: nothing is found under it.
        ("/image?url=HTTP://O.test", "HTTP://O.test"), ("/image?url=http://o.test/a#f", "http://o.test/a#f"),
    ])
    func `the value is decoded once, the URL of a proxied request not at all`(target: String, key: String) {
        #expect(spelled(target) == key)
    }

    @Test(arguments: [
        "/", "/image", "/image?", "/image?url", "/image?url=", "/image?URL=http://o.test/",
        "/image?%75rl=http://o.test/",
        "/images?url=http://o.test/", "/image?url=http://o.test/a&only=memory", "/image?url=http://o.test/a&",
        "/image?priority=low&url=http://o.test/a", "/image?url=http%3A%2F%2Fo.test%2Fa%3Fb&only=cache",
        "/image?url=http://o.test/%", "/image?url=http://o.test/%2", "/image?url=http://o.test/%zz",
        // No key holds these bytes; a line feed would lead to a variant of another URL.
        "/image?url=http://o.test/a%0Aaccept", "/image?url=http://o.test/%00", "/image?url=http://o.test/a%20b",
        "/image?url=http://o.test/%C3%A9", "/image?url=http://o.test/%7F",
    ])
    func `all else takes the long way`(target: String) {
        #expect(spelled(target) == nil)
    }

    @Test func `the longest URL fits, and a longer one takes the long way`() {
        let url = "http://o.test/" + String(repeating: "a", count: 8192 - 14)
        #expect(spelled("/image?url=" + url) == url)
        #expect(spelled(url) == url)
        #expect(spelled("/image?url=" + url + "a") == nil)
        #expect(spelled(url + "a") == nil)
    }

    @Test func `nothing is left of the target before`() {
        var plain = PlainTarget()
        let first = plain.read(Array("/image?url=http://o.test/a".utf8).span)
        let second = plain.read(Array("/healthz".utf8).span)
        let count = plain.withKeyBytes { $0.count }
        #expect(first && !second && count == 0)
    }

    @Test func `a target that spells a key leads to it the long way too, whatever it looks like`() {
        // Given
        var generator = SeededGenerator(seed: 4)
        var spelledKeys = 0
        for _ in 0..<20_000 {
            let pieces = (0..<Int.random(in: 1...9, using: &generator)).map { _ in
                Self.pieces.randomElement(using: &generator) ?? ""
            }
            let url = (Bool.random(using: &generator) ? "http://o.test/" : "") + pieces.joined()
            for target in ["/image?url=" + url, "/image?url=" + encoded(url), url] where !target.isEmpty {
                // When
                guard let key = spelled(target), canonical(Array(key.utf8)) == key else { continue }
                // Then
                spelledKeys += 1
                #expect(longWay(target) == key, "\(target)")
            }
        }
        #expect(spelledKeys > 10_000, "the generator makes too few keys: \(spelledKeys)")
    }

    @Test func `a canonical URL that is parsed again stays what it is, and a careful client spells it`() {
        var generator = SeededGenerator(seed: 5)
        var keys = 0
        for _ in 0..<20_000 {
            let url = (0..<Int.random(in: 1...9, using: &generator)).reduce(into: "http://o.test/") { url, _ in
                url += Self.pieces.randomElement(using: &generator) ?? ""
            }
            guard let key = canonical(Array(url.utf8)) else { continue }
            keys += 1
            #expect(canonical(Array(key.utf8)) == key, "\(url)")
            #expect(spelled("/image?url=" + encoded(key)) == key, "\(url)")
        }
        #expect(keys > 10_000, "the generator makes too few URLs: \(keys)")
    }
}
