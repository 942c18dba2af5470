import HTTPMessages
import Testing

private func directives(_ text: String) -> [CacheControl.Directive] {
    CacheControl.directives(in: Array(text.utf8).span)
}

private func directive(_ name: String, _ argument: String? = nil, wellFormed: Bool = true) -> CacheControl.Directive {
    CacheControl.Directive(
        name: Array(name.utf8), argument: argument.map { Array($0.utf8) }, isWellFormed: wellFormed)
}

@Suite struct CacheControlTests {
    @Test(arguments: [
        ("", []),
        (" , ,, ", []),
        ("no-store", [directive("no-store")]),
        ("No-StOrE", [directive("no-store")]),
        ("max-age=60", [directive("max-age", "60")]),
        ("max-age=\"60\"", [directive("max-age", "60")]),
        ("a,b=1 ,\tc = 2", [directive("a"), directive("b", "1"), directive("c", wellFormed: false)]),
        ("max-age=1, max-age=2", [directive("max-age", "1"), directive("max-age", "2")]),
        ("x=\"a, max-age=9\", y", [directive("x", "a, max-age=9"), directive("y")]),
        ("x=\"a\\\"b\\\\\", y", [directive("x", "a\"b\\"), directive("y")]),
        ("private=\"a, b\"", [directive("private", "a, b")]),
        ("max-age =60", [directive("max-age", wellFormed: false)]),
        ("max-age= 60", [directive("max-age", "", wellFormed: false)]),
        ("max-age=", [directive("max-age", "", wellFormed: false)]),
        ("max-age=6 0", [directive("max-age", "", wellFormed: false)]),
        ("max-age=\"60\"x", [directive("max-age", "", wellFormed: false)]),
        ("max-age='60'", [directive("max-age", "'60'")]),
        // A quote that is never closed hides no directive.
        ("x=\"a, no-store", [directive("x", "", wellFormed: false), directive("no-store")]),
        ("=5, \"x\", @, no-store", [directive("no-store")]),
    ])
    func `RFC 9111 §5_2: a list of directives, each a token with an optional token or quoted string`(
        text: String, expected: [CacheControl.Directive]
    ) {
        #expect(directives(text) == expected)
    }

    @Test(arguments: [
        ("0", 0), ("60", 60), ("003600", 3600), ("2147483647", 2_147_483_647), ("2147483648", 2_147_483_648),
        ("2147483649", 2_147_483_648), ("99999999999999999999999999", 2_147_483_648),
    ])
    func `RFC 9111 §1_2_2: what does not fit counts as 2^31`(text: String, seconds: Int64) {
        #expect(CacheControl.deltaSeconds(Array(text.utf8).span) == seconds)
    }

    @Test(arguments: ["", "-1", "+1", "1.0", "1.5", "a1", "1a", " 1", "1 ", "0x10", "1e3", "'1'", "\u{0661}"])
    func `RFC 9111 §1_2_2: seconds are digits and nothing else`(text: String) {
        #expect(CacheControl.deltaSeconds(Array(text.utf8).span) == nil)
    }

    @Test(arguments: [
        ("", []), (",", []), ("a", ["a"]), (" a , b\t,,c ", ["a", "b", "c"]), ("\"a,b\",c", ["\"a,b\"", "c"]),
        ("\"a\\\",b\",c", ["\"a\\\",b\"", "c"]), ("a\"b,c", ["a\"b", "c"]), ("\"\\", ["\"\\"]),
    ])
    func `RFC 9110 §5_6_1: lists have empty members and quoted commas`(text: String, members: [String]) {
        let found = FieldList.members(of: Array(text.utf8).span)
        #expect(found.map { String(decoding: $0, as: UTF8.self) } == members)
    }
}
