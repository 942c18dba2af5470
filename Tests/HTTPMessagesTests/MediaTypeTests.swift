import HTTPMessages
import Testing

private func mediaType(_ text: String) -> MediaType? {
    MediaType(parsing: Array(text.utf8).span)
}

@Suite struct MediaTypeTests {
    @Test(arguments: [
        ("image/png", "image/png", 0), ("IMAGE/PNG", "image/png", 0), (" image/svg+xml ", "image/svg+xml", 0),
        ("image/png;", "image/png", 0), ("image/png ; ;", "image/png", 0), ("text/html;charset=utf-8", "text/html", 1),
        ("text/html; charset=\"utf-8\"; a=b", "text/html", 2), ("a/b;c=\"x\\\"y;z\"", "a/b", 1), ("*/*", "*/*", 0),
    ])
    func `RFC 9110 §8_3_1: type, subtype, parameters`(text: String, essence: String, parameterCount: Int) throws {
        let parsed = try #require(mediaType(text))
        #expect(String(decoding: parsed.essence, as: UTF8.self) == essence)
        #expect(parsed.parameters.count == parameterCount)
    }

    @Test(arguments: [
        "", "image", "image/", "/png", "image /png", "image/ png", "image/png text/html", "image/png,text/html",
        "image/png, text/html; charset=UTF-8", "image/png,text/html; charset=UTF-8", "image/png%;text/html",
        "image/png; charset=UTF-8;text/html", "image/png; a", "image/png; a=", "image/png; a =b", "image/png; a=\"b",
        "image/png; a=\"b\"c", "image/png; =b", "image/png\u{0}", "image/png; a=\"\u{0}\"", "image/png; a=b c",
    ])
    func `what does not follow the grammar to its end has no type`(text: String) {
        #expect(mediaType(text) == nil)
    }

    @Test func `names are lower case, values as received and unquoted`() throws {
        let parsed = try #require(mediaType("Text/HTML; Charset=\"UTF\\-8\""))
        #expect(parsed.parameters == [try #require(mediaType("x/y;charset=UTF-8")).parameters[0]])
        #expect(!parsed.isImage)
        #expect(try #require(mediaType("Image/PNG")).isImage)
    }
}
