import HTTPMessages
import Testing

@Suite struct FieldsTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `names are looked up in any case, in order`() throws {
        let fields: Fields = [.vary: "Accept", .contentType: "image/png", .vary: "Origin"]
        let name = try #require(FieldName("VARY"))

        #expect(fields.first(name) == bytes("Accept"))
        #expect(fields.all(.vary) == [bytes("Accept"), bytes("Origin")])
        #expect(fields.count == 3)
        #expect(fields.contains(.contentType))
        #expect(!fields.contains(.content("length")))
        #expect(fields.first(.eTag) == nil)
        #expect(fields.firstString(.contentType) == "image/png")
        let count = fields.withFirst(.contentType) { $0.count }
        let absent = fields.withFirst(.eTag) { $0.count }
        #expect(count == 9)
        #expect(absent == nil)
    }

    @Test func `lines of one name are joined by commas (RFC 9110 §5.3)`() {
        let fields: Fields = [.vary: "Accept", .eTag: "\"a\"", .vary: "", .vary: "Origin"]

        #expect(fields.combined(.vary) == bytes("Accept, , Origin"))
        #expect(fields.combined(.eTag) == bytes("\"a\""))
        #expect(fields.combined(.age) == nil)
    }

    @Test(arguments: [
        (" \ta b\t ", "a b"), ("", ""), (" ", ""), ("a\r\nSet-Cookie: b", "a  Set-Cookie: b"), ("\r\na\0", "a"),
        ("a\tb", "a\tb"), ("a\u{7F}b", "a b"),
    ])
    func `a value can never split the message (RFC 9110 §5.5)`(value: String, cleaned: String) {
        let fields: Fields = [.location: value]

        #expect(fields.firstString(.location) == cleaned)
        #expect(fields.description == "Location: \(cleaned)\r\n")
    }

    @Test func `set and remove keep the order of the rest`() {
        var fields: Fields = [.age: "1", .vary: "a", .date: "d", .vary: "b"]

        fields.set(.vary, to: "c")
        #expect(fields == [.age: "1", .date: "d", .vary: "c"])
        fields.remove(.age)
        #expect(fields == [.date: "d", .vary: "c"])
        fields.removeAll { $0 == .date || $0 == .vary }
        #expect(fields.isEmpty)
        #expect(fields.byteCount == 0)
    }

    @Test func `equal lists are equal whatever their history`() {
        var fields: Fields = [.age: "1", .vary: "a"]
        fields.append(.date, "d")
        fields.remove(.vary)

        #expect(fields == [.age: "1", .date: "d"])
        #expect(fields.hashValue == ([.age: "1", .date: "d"] as Fields).hashValue)
    }

    @Test func `another list is added at the end`() {
        var fields: Fields = [.age: "1"]
        fields.append(contentsOf: [.vary: "a", .date: "d"])

        #expect(fields == [.age: "1", .vary: "a", .date: "d"])
        var visited: [String] = []
        fields.forEach { name, value in visited.append("\(name)=\(String(decoding: value, as: UTF8.self))") }
        #expect(visited == ["age=1", "vary=a", "date=d"])
    }

    @Test func `a list survives being serialized`() {
        let fields: Fields = [.age: "1", .vary: "", .contentType: "text/plain; charset=\"ä\"", .age: "2"]

        let written = fields.serialized()

        #expect(written.count == fields.byteCount)
        #expect(Fields(serialized: written) == fields)
        #expect(Fields(serialized: []) == Fields())
    }

    @Test(arguments: [
        "a", "a: b", "a: b\r", "a: b\n", "a b: c\r\n", ": c\r\n", "a: b\r\n\r\n", "a: b\0\r\n", "a: b\r\n c\r\n",
    ])
    func `a damaged serialization is refused`(text: String) {
        #expect(Fields(serialized: bytes(text)) == nil)
    }

    @Test func `a received name that is no token adds nothing`() {
        var fields = Fields()
        let value = bytes("v")

        for name in ["a b", "", "ab:"] {
            let isAdded = fields.append(received: bytes(name).span, value.span)
            #expect(!isAdded)
        }
        #expect(fields.isEmpty)
        let isAdded = fields.append(received: bytes("X-A").span, value.span)
        #expect(isAdded)
        #expect(fields.serialized() == bytes("X-A: v\r\n"))
    }
}

extension FieldName {
    /// A `Content-` name, for tests.
    fileprivate static func content(_ rest: String) -> FieldName {
        FieldName("content-" + rest) ?? .host
    }
}

@Suite struct FieldNameTests {
    @Test func `a name is a token in lower case (RFC 9110 §5.1)`() {
        #expect(FieldName("Content-Type") == .contentType)
        #expect(FieldName("X_1!~")?.description == "x_1!~")
        for text in ["", "a b", "a:", "a\r", "ä", "(a)", "a\0", "\"a\"", "a/b", "a@b", "[a]", "{a}"] {
            #expect(FieldName(text) == nil)
        }
    }

    @Test func `exactly the token octets make a name (RFC 9110 §5.6.2)`() {
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        for octet in UInt8.min...UInt8.max {
            let isAlphanumeric = (48...57).contains(octet) || (65...90).contains(octet) || (97...122).contains(octet)
            #expect((FieldName(bytes: [octet]) != nil) == (isAlphanumeric || marks.contains(octet)))
        }
    }
}
