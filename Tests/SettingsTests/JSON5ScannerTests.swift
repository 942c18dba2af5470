import Testing

@testable import Settings

struct JSON5ScannerTests {
    @Test func `keys and values have positions that count from 1`() throws {
        let text = "{\n  a: 1,\n  'b': {\"c\": [true, \"x\"]},\r\n\td: 'ü', e: null, // end\n}"
        let map = try JSON5Scanner.scan(text)
        let b = SettingPath(dotted: "b")
        let c = SettingPath(dotted: "b.c")
        #expect(map.keys[SettingPath(dotted: "a")] == Position(line: 2, column: 3))
        #expect(map.values[SettingPath(dotted: "a")] == Position(line: 2, column: 6))
        #expect(map.keys[b] == Position(line: 3, column: 3))
        #expect(map.values[c] == Position(line: 3, column: 14))
        #expect(map.values[c.appending(.index(1))] == Position(line: 3, column: 21))
        #expect(map.keys[SettingPath(dotted: "d")] == Position(line: 4, column: 2))
        #expect(map.keys[SettingPath(dotted: "e")] == Position(line: 4, column: 10))
        #expect(map.duplicates.isEmpty)
    }

    @Test func `a key that stands twice is found, however it is written`() throws {
        let map = try JSON5Scanner.scan(#"{a: 1, "\u0061": [2, 3], b: {c: 1, 'c': 2}}"#)
        #expect(map.duplicates.map { $0.path.description } == ["a", "b.c"])
        #expect(map.duplicates.map { $0.position.column } == [8, 36])
        #expect(map.values[SettingPath(dotted: "a")] == Position(line: 1, column: 5))
        #expect(map.values[SettingPath([.key("a"), .index(0)])] == nil)
    }

    /// The forms of the JSON5 specification's sections 2 to 8 that a configuration may use.
    @Test(arguments: [
        "{}", "{a: 1,}", "[1, 2,]", "{a: [],}", "/* c */ {a: 1} // c", "{$a_1: 1}", "{a: .5}", "{a: 5.}", "{a: +1e-3}",
        "{a: 0xFf}", "{a: -Infinity}", "{a: NaN}", "{a: 'it\\'s'}", "{a: \"x\\\ny\"}", "\u{FEFF}{a: 1}",
        "{\u{B}\u{C}a:\t1}",
        "{a: '\\x41'}", "{ä: 1}", "{a: 0}", "{a: -0.0}", "{'': 1}",
    ])
    func `what JSON5 allows passes, and the decoder agrees`(text: String) throws {
        _ = try JSON5Scanner.scan(text)
        _ = try Setting(json5: text)
    }

    @Test(arguments: [
        ("", 1, 1, "the end of the file"), ("{", 1, 2, "the end of the file"), ("{a}", 1, 3, "}"),
        ("{a: }", 1, 5, "}"), ("{a: 1 b: 2}", 1, 7, "b"), ("{a: 1}}", 1, 7, "}"), ("{,}", 1, 2, ","),
        ("{a: 1,,}", 1, 7, ","), ("[1,,2]", 1, 4, ","), ("{a: hello}", 1, 5, "hello"), ("{a: 012}", 1, 5, "012"),
        ("{a: 0x}", 1, 5, "0x"), ("{a: 1.2.3}", 1, 5, "1.2.3"), ("{a: -}", 1, 5, "-"), ("{a: 1e}", 1, 5, "1e"),
        ("{a: .}", 1, 5, "."), ("{\n  a: \"x\n}", 2, 6, "a text without end"),
        ("{a: 1 /* }", 1, 7, "a comment without end"),
        ("{a: 1 / 2}", 1, 7, "/"), ("{a: \"\\u00zz\"}", 1, 10, "z"), ("{\n\n a = 1}", 3, 4, "="),
        ("{a: True}", 1, 5, "True"), ("{\u{A0}a: 1}", 1, 2, "U+00A0"),
    ])
    func `a syntax error has its place`(text: String, line: Int, column: Int, found: String) {
        let error = #expect(throws: JSON5Scanner.SyntaxError.self) { try JSON5Scanner.scan(text) }
        #expect(error?.position == Position(line: line, column: column))
        #expect(error?.found == found)
    }

    @Test func `nesting is bounded`() {
        let text = String(repeating: "[", count: 100_000)
        let error = #expect(throws: JSON5Scanner.SyntaxError.self) { try JSON5Scanner.scan(text) }
        #expect(error?.expected == "at most 32 levels")
    }

    @Test func `every cut of a file is an error, and none a trap`() {
        let scalars = Array(#"{a: "x\u0041", /* c */ b: [1, {c: 'd'}], // e"#.unicodeScalars)
        for count in 0...scalars.count {
            let cut = String(String.UnicodeScalarView(scalars[..<count]))
            #expect(throws: JSON5Scanner.SyntaxError.self) { try JSON5Scanner.scan(cut) }
        }
    }
}
