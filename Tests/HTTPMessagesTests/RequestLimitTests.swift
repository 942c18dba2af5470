import HTTPMessages
import Testing

@Suite struct RequestLimitTests {
    @Test func `a target of exactly the limit passes, one byte more fails`() {
        let limits = RequestLimits(maxTargetLength: 100)
        let fits = "/" + String(repeating: "a", count: 99)

        #expect(parse("GET \(fits) HTTP/1.1\r\nHost: h\r\n\r\n", limits: limits).head?.target == 4..<104)
        let tooLong = "GET \(fits)b HTTP/1.1\r\nHost: h\r\n\r\n"
        #expect(parse(tooLong, limits: limits) == .failed(.targetTooLong(limit: 100)))
        #expect(parseDripped(Array(tooLong.utf8), limits: limits) == .failed(.targetTooLong(limit: 100)))
    }

    @Test func `a target is found too long before its line ends`() {
        let limits = RequestLimits(maxTargetLength: 100)
        let start = "GET /" + String(repeating: "a", count: 99)

        #expect(parse(start, limits: limits) == .needMore)
        #expect(parse(start + "a", limits: limits) == .failed(.targetTooLong(limit: 100)))
    }

    @Test func `a control byte behind the limit is malformed, not too long`() {
        let limits = RequestLimits(maxTargetLength: 4)

        #expect(parse("GET /aaa\n", limits: limits) == .failed(.badTarget(offset: 8)))
    }

    @Test func `a head of exactly the limit passes, one byte more fails`() {
        let text = "GET /target HTTP/1.1\r\nHost: h\r\nX-A: 12345678\r\n\r\n"
        let counted = text.utf8.count - "/target".utf8.count

        #expect(parse(text, limits: RequestLimits(maxHeaderSize: counted)).head != nil)
        let smaller = RequestLimits(maxHeaderSize: counted - 1)
        #expect(parse(text, limits: smaller) == .failed(.headTooLarge(limit: counted - 1)))
        #expect(parseDripped(Array(text.utf8), limits: smaller) == .failed(.headTooLarge(limit: counted - 1)))
    }

    @Test func `the outcome under any limit does not depend on the split`() {
        let bytes = Array("\r\nGET /target HTTP/1.1\r\nHost: h\r\nX-A: 1\t2\r\nX-B: \r\n\r\nGET".utf8)
        for size in 0...bytes.count {
            let limits = RequestLimits(maxHeaderSize: size, maxTargetLength: 7)
            let whole = parse(bytes, limits: limits)
            #expect(whole != .needMore)
            #expect(parseDripped(bytes, limits: limits) == whole)
            for offset in bytes.indices {
                #expect(parse(bytes, splitAt: offset, limits: limits) == whole)
            }
        }
    }

    @Test func `a long target does not count against the fields`() {
        let limits = RequestLimits(maxHeaderSize: 64, maxTargetLength: 8192)
        let target = "/" + String(repeating: "a", count: 8191)

        #expect(parse("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n", limits: limits).head?.target.count == 8192)
    }

    @Test func `a line without end fails at the limit, be it name or value`() {
        let limits = RequestLimits(maxHeaderSize: 1000)
        let start = "GET / HTTP/1.1\r\nHost: h\r\n"
        let filler = String(repeating: "a", count: 2000)

        #expect(parse(start + filler, limits: limits) == .failed(.headTooLarge(limit: 1000)))
        #expect(parse(start + "X: " + filler, limits: limits) == .failed(.headTooLarge(limit: 1000)))
    }

    @Test func `limits that change between calls hold at the next call`() {
        var parser = RequestParser(limits: RequestLimits(maxHeaderSize: 1000))
        let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\nX: 1".utf8)
        let early = parser.parse(bytes)

        parser.limits.maxHeaderSize = 10

        let outcome = parser.parse(bytes)
        #expect(early == .needMore)
        #expect(outcome == .failed(.headTooLarge(limit: 10)))
    }
}
