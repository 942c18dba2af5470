import HTTPMessages
import Origin
import Testing

/// Feeds lines and gives the last event.
private func check(_ lines: [String], limit: Int = 65536, isHTTP2: Bool = false) -> ResponseHeadEvent {
    var check = ResponseHeadCheck(maxHeadBytes: limit, isHTTP2: isHTTP2)
    var event = ResponseHeadEvent.needMore
    for line in lines {
        event = check.line(Array(line.utf8).span)
        if case .broken(let fault) = event {
            #expect(check.end() == fault)
            #expect(check.line(Array("\r\n".utf8).span) == .broken(fault), "a broken head stays broken")
            break
        }
    }
    return event
}

/// The framing of a head with these fields.
private func framing(_ status: String, _ fields: String..., isHTTP2: Bool = false) -> ResponseFraming? {
    let lines = [status + "\r\n"] + fields.map { $0 + "\r\n" } + ["\r\n"]
    guard case .head(let head) = check(lines, isHTTP2: isHTTP2) else { return nil }
    return head.framing
}

/// What is wrong with a head with these fields.
private func fault(_ lines: String..., isHTTP2: Bool = false) -> ResponseHeadFault? {
    guard case .broken(let fault) = check(lines, isHTTP2: isHTTP2) else { return nil }
    return fault
}

@Suite struct `Heads that are sound` {
    @Test func `status, fields and framing come out`() throws {
        let event = check([
            "HTTP/1.1 200 OK\r\n", "Content-Type: image/png\r\n", "Content-LENGTH:\t12 \r\n", "X-Empty:\r\n",
            "etag: \"\u{E9}\"\r\n", "\r\n",
        ])
        guard case .head(let head) = event else {
            Issue.record("\(event)")
            return
        }
        #expect(head.status.code == 200)
        #expect(head.framing == .length(12))
        #expect(head.fields.first(.contentLength) == Array("12".utf8))
        #expect(head.fields.first(.contentType) == Array("image/png".utf8))
        #expect(head.fields.first(.eTag) == Array("\"\u{E9}\"".utf8))
        #expect(head.fields.count == 4)
    }

    /// Source: RFC 9112, section 6.3.
    @Test func `the end of the body is found as the rules say`() {
        #expect(framing("HTTP/1.1 200 OK") == .close)
        #expect(framing("HTTP/1.0 200 OK") == .close)
        #expect(framing("HTTP/1.1 200 OK", "Content-Length: 0") == .length(0))
        #expect(framing("HTTP/1.1 200 OK", "Content-Length: 007") == .length(7))
        #expect(framing("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") == .chunked)
        #expect(framing("HTTP/1.1 200 OK", "Transfer-Encoding:  Chunked ") == .chunked)
        #expect(framing("HTTP/1.1 204 No Content", "Content-Length: 0") == ResponseFraming.none)
        #expect(framing("HTTP/1.1 304 Not Modified", "Content-Length: 1000") == ResponseFraming.none)
        #expect(framing("HTTP/2 200 ", "content-length: 5", isHTTP2: true) == .length(5))
        #expect(framing("HTTP/2 200 ", isHTTP2: true) == .close)
        #expect(framing("HTTP/1.1 200 OK", "Content-Length: 9223372036854775807") == .length(UInt64(Int64.max)))
    }

    @Test(arguments: [["Content-Length: 5", "Content-Length: 5"], ["Content-Length: 5, 5"], ["Content-Length: 05 ,5"]])
    func `equal lengths are one length`(_ fields: [String]) {
        let event = check(["HTTP/1.1 200 OK\r\n"] + fields.map { $0 + "\r\n" } + ["\r\n"])
        guard case .head(let head) = event else {
            Issue.record("\(event)")
            return
        }
        #expect(head.framing == .length(5))
        #expect(head.fields.all(.contentLength) == [Array("5".utf8)])
    }

    @Test(arguments: ["HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.0 200 OK", "HTTP/1.1 599 What\tever é"])
    func `status lines come in few forms`(_ line: String) {
        #expect(framing(line) == .close)
    }

    /// Source: RFC 9110, section 15.2.
    @Test func `interim heads are skipped`() {
        var check = ResponseHeadCheck()
        for (line, isEnd) in [
            ("HTTP/1.1 103 Early Hints\r\n", false), ("Link: </a>\r\n", false), ("\r\n", true),
            ("HTTP/1.1 100 Continue\r\n", false), ("\r\n", true),
        ] {
            let event = check.line(Array(line.utf8).span)
            if case .interim = event { #expect(isEnd) } else { #expect(event == .needMore && !isEnd) }
        }
        #expect(check.end() == .cut)
        _ = check.line(Array("HTTP/1.1 200 OK\r\n".utf8).span)
        guard case .head(let head) = check.line(Array("\r\n".utf8).span) else {
            Issue.record("no head")
            return
        }
        #expect(head.status.code == 200)
        #expect(head.fields.isEmpty)
    }

    @Test func `a switch of protocols is final`() {
        guard case .head(let head) = check(["HTTP/1.1 101 Switching Protocols\r\n", "\r\n"]) else {
            Issue.record("no head")
            return
        }
        #expect(head.status.code == 101)
    }

    @Test func `trailers are ignored, sound or not`() {
        let head = ["HTTP/1.1 200 OK\r\n", "Transfer-Encoding: chunked\r\n", "\r\n"]
        #expect(check(head + ["X-Checksum: 1\r\n"]) == .trailer)
        #expect(check(head + ["Content-Length: 5\r\n", " \0\r\n", "\r\n"]) == .trailer)
    }
}

@Suite struct `Heads that are broken` {
    @Test func `a head without its empty line is cut`() {
        var check = ResponseHeadCheck()
        #expect(check.end() == .cut)
        _ = check.line(Array("HTTP/1.1 200 OK\r\n".utf8).span)
        #expect(check.end() == .cut)
        _ = check.line(Array("Content-Type: image/png\r\n".utf8).span)
        #expect(check.end() == .cut)
        _ = check.line(Array("\r\n".utf8).span)
        #expect(check.end() == nil)
    }

    @Test(arguments: ["HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r", "", "H"]) func `a line without end is cut`(_ line: String)
    {
        #expect(fault(line) == .cut)
    }

    @Test(arguments: [
        "HTTP/0.9 200 OK\r\n", "HTTP/1.2 200 OK\r\n", "HTTP/11 200 OK\r\n", "http/1.1 200 OK\r\n",
        "HTTP/1.1  200 OK\r\n",
        "HTTP/1.1 20 OK\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 099 OK\r\n", "HTTP/1.1 600 OK\r\n",
        "HTTP/1.1 200OK\r\n",
        "HTTP/1.1\t200 OK\r\n", "HTTP/1.1 +20 OK\r\n", "HTTP/1.1 \r\n", "ICY 200 OK\r\n", "RTSP/1.0 200 OK\r\n",
        "<html>\r\n", "\r\n", " HTTP/1.1 200 OK\r\n", "HTTP/1.1 -01 OK\r\n",
    ])
    func `a line that is no status line`(_ line: String) {
        #expect(fault(line) == .badStatusLine)
    }

    /// Source: RFC 9112, sections 2.2 and 5; RFC 9110, section 5.5.
    @Test(arguments: [
        ("A: b\n", ResponseHeadFault.bareLineBreak), ("\n", .bareLineBreak), ("A: b\rc\r\n", .bareLineBreak),
        ("A: b\nc: d\r\n", .bareLineBreak), ("A: b\r\r\n", .bareLineBreak), ("A\r: b\r\n", .bareLineBreak),
        ("A: b\0c\r\n", .controlByte), ("A\0: b\r\n", .controlByte), ("A: \u{1}\r\n", .controlByte),
        ("A: \u{7F}\r\n", .controlByte), (" folded\r\n", .foldedLine), ("\tfolded\r\n", .foldedLine),
        (" \r\n", .foldedLine), ("A : b\r\n", .badFieldName), (": b\r\n", .badFieldName),
        ("no colon\r\n", .badFieldName),
        ("A b: c\r\n", .badFieldName), ("A\t: c\r\n", .badFieldName), ("É: c\r\n", .badFieldName),
        ("(A): c\r\n", .badFieldName), ("A", .cut), ("A: b", .cut), ("A: b\r", .cut),
        ("HTTP/1.1 200 OK\r\n", .badFieldName),
    ])
    func `a line that is no field`(_ line: String, _ expected: ResponseHeadFault) {
        #expect(fault("HTTP/1.1 200 OK\r\n", line) == expected)
        #expect(fault("HTTP/1.1 100 Continue\r\n", line) == expected)
    }

    @Test(arguments: [
        ["Content-Length: 5", "Content-Length: 6"], ["Content-Length: 5, 6"],
        ["Content-Length: 5", "X: y", "content-length: 6"],
    ])
    func `two lengths that differ`(_ fields: [String]) {
        #expect(
            check(["HTTP/1.1 200 OK\r\n"] + fields.map { $0 + "\r\n" } + ["\r\n"])
                == .broken(.conflictingContentLengths))
    }

    @Test(arguments: [
        "", "-1", "+5", "5x", "0x5", "5.0", "5 5", ",", "5,", ",5", "9223372036854775808", "18446744073709551616",
        "99999999999999999999999999", "five", "5;", "\u{661}",
    ])
    func `a length that is no number`(_ value: String) {
        #expect(fault("HTTP/1.1 200 OK\r\n", "Content-Length: \(value)\r\n", "\r\n") == .badContentLength)
        #expect(fault("HTTP/1.1 304 Not Modified\r\n", "Content-Length: \(value)\r\n", "\r\n") == .badContentLength)
    }

    @Test(arguments: ["200 OK", "304 Not Modified", "404 Not Found"]) func `a length beside chunks`(_ status: String) {
        let lines = ["HTTP/1.1 \(status)\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "\r\n"]
        #expect(check(lines) == .broken(.lengthAndTransferCoding))
    }

    @Test(arguments: [
        "gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked", "identity", "", "chunked;x=1", "xchunked",
        "chunked,",
        "chunked\u{B}x", "\"chunked\"",
    ])
    func `a transfer coding that is not spoken`(_ value: String) {
        let found = fault("HTTP/1.1 200 OK\r\n", "Transfer-Encoding: \(value)\r\n", "\r\n")
        #expect(found == .badTransferCoding || (found == .controlByte && value.contains("\u{B}")))
    }

    @Test(arguments: [
        "HTTP/1.0 200 OK", "HTTP/1.1 204 No Content", "HTTP/1.1 101 Switch", "HTTP/1.1 103 X",
    ])
    func `a transfer coding where none may be`(_ status: String) {
        #expect(fault(status + "\r\n", "Transfer-Encoding: chunked\r\n", "\r\n") == .badTransferCoding)
    }

    /// Source: RFC 9113, section 8.2.2.
    @Test func `a transfer coding in HTTP 2`() {
        let found = fault("HTTP/2 200 \r\n", "transfer-encoding: chunked\r\n", "\r\n", isHTTP2: true)
        #expect(found == .badTransferCoding)
    }

    /// Source: RFC 9112, section 2.3; libcurl itself writes the status line of HTTP/2.
    @Test func `a version that the connection does not speak`() {
        for line in ["HTTP/2 200 OK\r\n", "HTTP/2 200 \r\n", "HTTP/3 200 \r\n", "HTTP/2.0 200 OK\r\n"] {
            #expect(fault(line) == .badStatusLine)
            #expect(fault("HTTP/1.1 103 Early Hints\r\n", "\r\n", line) == .badStatusLine)
        }
        for line in ["HTTP/1.1 200 OK\r\n", "HTTP/1.0 200 OK\r\n", "HTTP/3 200 \r\n"] {
            #expect(fault(line, isHTTP2: true) == .badStatusLine)
        }
    }

    @Test func `repeated transfer codings`() {
        let line = "Transfer-Encoding: chunked\r\n"
        #expect(fault("HTTP/1.1 200 OK\r\n", line, line, "\r\n") == .badTransferCoding)
    }

    @Test func `a head is at most as long as the limit`() {
        let line = "X: " + String(repeating: "a", count: 95) + "\r\n"
        let head = ["HTTP/1.1 200 OK\r\n"] + Array(repeating: line, count: 10) + ["\r\n"]
        let size = head.reduce(0) { $0 + $1.utf8.count }
        guard case .head = check(head, limit: size) else {
            Issue.record("refused")
            return
        }
        #expect(check(head, limit: size - 1) == .broken(.tooLarge))
        #expect(
            check(Array(repeating: "HTTP/1.1 100 A\r\n", count: 1) + ["X: y\r\n", "\r\n"] + head, limit: size)
                == .broken(.tooLarge))
    }

    @Test func `64 KB is the limit unless told`() {
        let head =
            ["HTTP/1.1 200 OK\r\n"] + Array(repeating: "X: " + String(repeating: "a", count: 1019) + "\r\n", count: 64)
        #expect(check(head) == .broken(.tooLarge))
    }

    @Test func `interim heads without end meet the limit`() {
        let lines = Array(repeating: ["HTTP/1.1 102 Processing\r\n", "\r\n"], count: 4000).flatMap(\.self)
        #expect(check(lines) == .broken(.tooLarge))
    }
}
