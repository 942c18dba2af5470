import HTTPMessages
import Testing

private func tag(_ text: String) -> EntityTag? {
    EntityTag(parsing: Array(text.utf8).span)
}

private func condition(_ text: String) -> EntityTagCondition {
    EntityTagCondition(parsing: Array(text.utf8).span)
}

private func strong(_ text: String) -> EntityTag { EntityTag(opaque: Array(text.utf8), isWeak: false) }

private func weak(_ text: String) -> EntityTag { EntityTag(opaque: Array(text.utf8), isWeak: true) }

@Suite struct EntityTagTests {
    @Test(arguments: [
        ("\"xyzzy\"", strong("xyzzy")), ("W/\"xyzzy\"", weak("xyzzy")), ("\"\"", strong("")),
        (" \"a\" ", strong("a")), ("\"a,b\"", strong("a,b")), ("\"a\\\"", strong("a\\")), ("\"ü\"", strong("ü")),
    ])
    func `RFC 9110 §8_8_3: a tag is quoted and may be weak`(text: String, expected: EntityTag) {
        #expect(tag(text) == expected)
    }

    @Test(arguments: [
        "", "v1", "w/\"v1\"", "W\"v1\"", "W/v1", "W/ \"v1\"", "\"v1", "v1\"", "\"a\"b\"", "\"a b\"", "\"a\", \"b\"",
        "\"a\u{7F}\"", "*",
    ])
    func `RFC 9110 §8_8_3: anything else is no tag`(text: String) {
        #expect(tag(text) == nil)
    }

    @Test(arguments: [
        (weak("1"), weak("1"), false, true), (weak("1"), weak("2"), false, false),
        (weak("1"), strong("1"), false, true), (strong("1"), strong("1"), true, true),
    ])
    func `RFC 9110 §8_8_3_2: strong and weak comparison`(
        left: EntityTag, right: EntityTag, strongly: Bool, weakly: Bool
    ) {
        #expect(left.matchesStrongly(right) == strongly)
        #expect(left.matchesWeakly(right) == weakly)
    }

    @Test(arguments: [
        ("*", EntityTagCondition.any), (" * ", .any), ("", .tags([])), ("\"a\"", .tags([strong("a")])),
        ("\"a\", W/\"b\"", .tags([strong("a"), weak("b")])), ("\"a\",,\"b\" ,", .tags([strong("a"), strong("b")])),
        ("\"a,b\"", .tags([strong("a,b")])), ("v1, \"a\"", .tags([strong("a")])),
        ("\"a\"b, \"c\"", .tags([strong("c")])),
        ("\"a, \"b\"", .tags([strong("b")])), ("*, \"a\"", .tags([strong("a")])),
    ])
    func `RFC 9110 §13_1_2: a list of tags or a star`(text: String, expected: EntityTagCondition) {
        #expect(condition(text) == expected)
    }

    @Test(arguments: [
        ("\"x\", W/\"v1\"", true), ("*", true), ("\"x\"", false), ("v1", false), ("\"v1\"", true), ("", false),
    ])
    func `RFC 9110 §13_1_2: If-None-Match compares weakly`(text: String, matches: Bool) {
        #expect(condition(text).matchesWeakly(strong("v1")) == matches)
    }

    @Test func `a star matches without a tag, a list does not`() {
        #expect(condition("*").matchesWeakly(nil))
        #expect(!condition("\"a\"").matchesWeakly(nil))
    }

    @Test(arguments: ["\"a\"", "W/\"a\""]) func `a tag is written as it was read`(text: String) throws {
        var output: [UInt8] = []
        try #require(tag(text)).append(to: &output)
        #expect(String(decoding: output, as: UTF8.self) == text)
    }
}
