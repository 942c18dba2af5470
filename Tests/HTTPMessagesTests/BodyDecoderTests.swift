import HTTPMessages
import Testing

/// Decodes input that arrives in the given pieces; gives the data and how much was consumed.
private func decode(
    _ pieces: [[UInt8]], _ framing: BodyFraming = .chunked, maxBytes: UInt64 = 1000
) throws(BodyError) -> (data: String, consumed: Int, isComplete: Bool) {
    var decoder = try BodyDecoder(framing, maxBytes: maxBytes)
    var data: [UInt8] = []
    var consumed = 0
    for piece in pieces {
        consumed += try decoder.decode(piece.span) { span in
            for index in span.indices { data.append(span[index]) }
        }
    }
    return (String(decoding: data, as: UTF8.self), consumed, decoder.isComplete)
}

private func decode(
    _ text: String, _ framing: BodyFraming = .chunked, maxBytes: UInt64 = 1000
) throws(BodyError) -> (data: String, consumed: Int, isComplete: Bool) {
    try decode([Array(text.utf8)], framing, maxBytes: maxBytes)
}

@Suite struct BodyDecoderTests {
    @Test(arguments: [
        ("RFC 9112 §7.1: two chunks", "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world"),
        ("§7.1: no data", "0\r\n\r\n", ""),
        (
            "§7.1: hexadecimal, any case, leading zeros", "00A\r\n0123456789\r\n00b\r\n0123456789a\r\n000\r\n\r\n",
            "01234567890123456789a"
        ),
        ("§7.1.1: extensions", "3;a=b;c=\"d e\"\r\nabc\r\n0;last\r\n\r\n", "abc"),
        ("§7.1.1: bad white space", "3 \t;a\r\nabc\r\n0\r\n\r\n", "abc"),
        ("§7.1.2: trailers are dropped", "3\r\nabc\r\n0\r\nX-A: 1\r\nContent-Length: 7\r\n\r\n", "abc"),
        ("§7.1: data that looks like framing", "7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n", "\r\n0\r\n\r\n"),
    ])
    func `chunks are taken apart however they are split`(rule: String, text: String, data: String) throws {
        let bytes = Array(text.utf8)
        let next = Array("GET / HTTP/1.1\r\n".utf8)

        for offset in 0...bytes.count {
            let result = try decode([Array(bytes[..<offset]), Array(bytes[offset...]) + next])
            #expect(result == (data, bytes.count, true))
        }
        let dripped = try decode(bytes.map { [$0] } + [next])
        #expect(dripped == (data, bytes.count, true))
        for count in bytes.indices {
            #expect(try !decode([Array(bytes[..<count])]).isComplete)
        }
    }

    @Test(arguments: [
        ("§7.1: no size", "\r\nabc", BodyError.badChunkSize), ("§7.1: not hexadecimal", "g\r\n", .badChunkSize),
        ("§7.1: a sign", "+3\r\nabc", .badChunkSize), ("§7.1: a prefix", "0x3\r\nabc", .badChunkSize),
        ("§7.1: white space before", " 3\r\nabc", .badChunkSize),
        ("§7.1: white space behind", "3 \r\nabc\r\n0\r\n\r\n", .badChunkSize),
        ("§7.1: two numbers", "3 3\r\nabc", .badChunkSize), ("§7.1: 17 digits", "00000000000000003\r\n", .badChunkSize),
        ("§7.1: 2^64 - 1", "ffffffffffffffff\r\n", .tooLarge(limitBytes: 1000)),
        ("§7.1: 2^64", "10000000000000000\r\n", .tooLarge(limitBytes: 1000)),
        ("§7.1: bare LF after the size", "3\nabc", .badChunkSize),
        ("§7.1: bare CR after the size", "3\rabc", .badChunkLine),
        ("§7.1.1: bare LF in an extension", "3;a\nabc", .badChunkLine),
        ("§7.1.1: NUL in an extension", "3;a\0\r\nabc", .badChunkLine),
        ("§7.1: more data than the size", "3\r\nabcd\r\n", .badChunkLine),
        ("§7.1: LF after the data", "3\r\nabc\n0\r\n\r\n", .badChunkLine),
        ("§7.1: CR CR after the data", "3\r\nabc\r\r\n", .badChunkLine),
        ("§7.1.2: bare LF in a trailer", "0\r\nX: 1\n\r\n", .badChunkLine),
        ("§7.1.2: bare CR in a trailer", "0\r\nX: 1\rY", .badChunkLine),
        ("§7.1: LF for the last line", "0\r\n\n", .badChunkLine),
        ("§7.1: CR without LF at the end", "0\r\n\rX", .badChunkLine),
    ])
    func `malformed chunks are refused however they are split`(rule: String, text: String, error: BodyError) {
        let bytes = Array(text.utf8)

        #expect(throws: error) { try decode(text) }
        #expect(throws: error) { try decode(bytes.map { [$0] }) }
    }

    @Test func `a body of exactly the limit passes, one byte more fails`() throws {
        let tooLarge = BodyError.tooLarge(limitBytes: 8)

        #expect(try decode("5\r\nhello\r\n3\r\nabc\r\n0\r\n\r\n", maxBytes: 8).data == "helloabc")
        #expect(throws: tooLarge) { try decode("5\r\nhello\r\n4\r\nabcd\r\n0\r\n\r\n", maxBytes: 8) }
        #expect(try decode("12345678", .length(8), maxBytes: 8).isComplete)
        #expect(throws: tooLarge) { try decode("", .length(9), maxBytes: 8) }
        #expect(tooLarge.status == .contentTooLarge)
    }

    @Test func `a length ends the body before the next request`() throws {
        let result = try decode([Array("he".utf8), Array("lloGET /".utf8)], .length(5))

        #expect(result == ("hello", 5, true))
    }

    @Test func `a request without a body consumes nothing`() throws {
        #expect(try decode("GET /", .none) == ("", 0, true))
    }

    @Test(arguments: ["0\r\n", "1;"])
    func `extensions and trailers are bounded over the whole body`(start: String) throws {
        let allowed = start + String(repeating: "a", count: BodyDecoder.maxOverheadBytes - 1)
        let error = BodyError.tooMuchOverhead(limitBytes: BodyDecoder.maxOverheadBytes)

        #expect(try !decode(allowed).isComplete)
        #expect(throws: error) { try decode(allowed + "aa") }
    }

    @Test func `the largest chunk that 64 bits can count is no overflow`() throws {
        var decoder = try BodyDecoder(.chunked, maxBytes: .max)
        let input = Array("1\r\na\r\nfffffffffffffffe\r\nb".utf8)

        let consumed = try decoder.decode(input.span) { _ in }

        #expect(consumed == input.count)
        #expect(decoder.receivedBytes == 2)
    }
}
