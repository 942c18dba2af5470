import HTTPMessages
import Testing

/// A head that must be refused, and why.
struct RefusedHead: Sendable, CustomTestStringConvertible {
    let rule: String
    let text: String
    let error: RequestParseError

    init(_ rule: String, _ text: String, _ error: RequestParseError) {
        self.rule = rule
        self.text = text
        self.error = error
    }

    /// A head whose request line and `Host` are in order, with more field lines.
    init(_ rule: String, fields: String, _ error: RequestParseError) {
        self.init(rule, "POST / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n", error)
    }

    var testDescription: String { "\(rule): \(text.debugDescription)" }
}

/// Where the further field lines of a refused head begin.
private let fieldsStart = 26

let refusedRequestLines: [RefusedHead] = [
    RefusedHead("§2.2: two empty lines", "\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", .badMethod(offset: 2)),
    RefusedHead("§2.2: an empty line of LF", "\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", .badMethod(offset: 0)),
    RefusedHead("§2.2: a CR before", "\rGET / HTTP/1.1\r\nHost: h\r\n\r\n", .bareCarriageReturn(offset: 0)),
    RefusedHead("§2.2: white space before", " GET / HTTP/1.1\r\nHost: h\r\n\r\n", .badMethod(offset: 0)),
    RefusedHead("§3: no token", "G(T / HTTP/1.1\r\nHost: h\r\n\r\n", .badMethod(offset: 1)),
    RefusedHead("§3: a tab as separator", "GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n", .badMethod(offset: 3)),
    RefusedHead("§3: two spaces", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n", .badTarget(offset: 4)),
    RefusedHead("§3: a method beyond any", "ABCDEFGHIJKLMNOPQRSTUVWXY / HTTP/1.1\r\n\r\n", .methodTooLong(limit: 24)),
    RefusedHead("§3: only a method", "GET\r\n\r\n", .badMethod(offset: 3)),
    RefusedHead("§3: TLS on a plain port", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", .badMethod(offset: 0)),
    RefusedHead("HTTP/0.9", "GET /\r\n\r\n", .badTarget(offset: 5)),
    RefusedHead("§3.2: a space in the target", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", .badVersion(offset: 7)),
    RefusedHead("§3.2: NUL", "GET /a\0b HTTP/1.1\r\nHost: h\r\n\r\n", .badTarget(offset: 6)),
    RefusedHead("§3.2: DEL", "GET /a\u{7F} HTTP/1.1\r\nHost: h\r\n\r\n", .badTarget(offset: 6)),
    RefusedHead("§3.2: a tab", "GET /a\tb HTTP/1.1\r\nHost: h\r\n\r\n", .badTarget(offset: 6)),
    RefusedHead("§3.2: a CR", "GET /a\rb HTTP/1.1\r\nHost: h\r\n\r\n", .badTarget(offset: 6)),
    RefusedHead("§2.3: lower case", "GET / http/1.1\r\nHost: h\r\n\r\n", .badVersion(offset: 6)),
    RefusedHead("§2.3: two digits", "GET / HTTP/1.10\r\nHost: h\r\n\r\n", .badVersion(offset: 14)),
    RefusedHead("§2.3: no minor", "GET / HTTP/1\r\nHost: h\r\n\r\n", .badVersion(offset: 12)),
    RefusedHead("§2.3: another protocol", "GET / ICAP/1.0\r\nHost: h\r\n\r\n", .badVersion(offset: 6)),
    RefusedHead("§3: two spaces before the version", "GET /  HTTP/1.1\r\nHost: h\r\n\r\n", .badVersion(offset: 6)),
    RefusedHead("§3: a space after the version", "GET / HTTP/1.1 \r\nHost: h\r\n\r\n", .badVersion(offset: 14)),
    RefusedHead("§2.2: a bare LF", "GET / HTTP/1.1\nHost: h\n\n", .badVersion(offset: 14)),
    RefusedHead("§2.2: a bare CR", "GET / HTTP/1.1\r\rHost: h\r\n\r\n", .badVersion(offset: 15)),
    RefusedHead("version 2.0", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .versionNotSupported(major: 2)),
    RefusedHead("version 0.9", "GET / HTTP/0.9\r\nHost: h\r\n\r\n", .versionNotSupported(major: 0)),
    RefusedHead("version 9.9", "GET / HTTP/9.9\r\nHost: h\r\n\r\n", .versionNotSupported(major: 9)),
]

let refusedFields: [RefusedHead] = [
    RefusedHead("§5.1: space before the colon", fields: "Content-Length : 5", .badFieldName(offset: fieldsStart + 14)),
    RefusedHead("§5.1: tab before the colon", fields: "Content-Length\t: 5", .badFieldName(offset: fieldsStart + 14)),
    RefusedHead("§5.2: a fold", fields: "X-A: 1\r\n 2", .foldedLine(offset: fieldsStart + 8)),
    RefusedHead(
        "§5.2: a fold by tab", fields: "X-A: 1\r\n\tTransfer-Encoding: chunked", .foldedLine(offset: fieldsStart + 8)),
    RefusedHead(
        "§2.2: white space after the request line", "GET / HTTP/1.1\r\n Host: h\r\n\r\n", .foldedLine(offset: 16)),
    RefusedHead("§5: an empty name", fields: ": 5", .badFieldName(offset: fieldsStart)),
    RefusedHead("§5: no colon", fields: "Content-Length", .badFieldName(offset: fieldsStart + 14)),
    RefusedHead("§5: NUL in a name", fields: "X\0A: 1", .badFieldName(offset: fieldsStart + 1)),
    RefusedHead("§5: no token", fields: "X(A): 1", .badFieldName(offset: fieldsStart + 1)),
    RefusedHead("§5: UTF-8 in a name", fields: "Höst: 1", .badFieldName(offset: fieldsStart + 1)),
    RefusedHead("§2.2: bare LF in a name", fields: "X\nA: 1", .bareLineFeed(offset: fieldsStart + 1)),
    RefusedHead(
        "§2.2: bare LF after a value", fields: "X: 1\nContent-Length: 5", .bareLineFeed(offset: fieldsStart + 4)),
    RefusedHead(
        "§2.2: bare CR in a value", fields: "X: 1\rContent-Length: 5", .bareCarriageReturn(offset: fieldsStart + 4)),
    RefusedHead("§2.2: CR CR LF", fields: "X: 1\r", .bareCarriageReturn(offset: fieldsStart + 4)),
    RefusedHead("§2.2: CR for the empty line", fields: "X: 1\r\n\rY: 2", .bareCarriageReturn(offset: fieldsStart + 6)),
    RefusedHead("§2.2: LF for the empty line", fields: "X: 1\r\n\nY: 2", .bareLineFeed(offset: fieldsStart + 6)),
    RefusedHead("RFC 9110 §5.5: NUL in a value", fields: "X: a\0b", .badFieldValue(offset: fieldsStart + 4)),
    RefusedHead("RFC 9110 §5.5: a bell in a value", fields: "X: \u{7}", .badFieldValue(offset: fieldsStart + 3)),
    RefusedHead("RFC 9110 §5.5: DEL in a value", fields: "X: \u{7F}", .badFieldValue(offset: fieldsStart + 3)),
    RefusedHead(
        "RFC 9110 §5.5: vertical tab", fields: "Transfer-Encoding:\u{B}chunked",
        .badFieldValue(offset: fieldsStart + 18)),
    RefusedHead("§3.2: no Host", "GET / HTTP/1.1\r\n\r\n", .missingHost),
    RefusedHead("§3.2: two Hosts", fields: "Host: h", .repeatedHost),
    RefusedHead("§3.2: user-info in Host", "GET / HTTP/1.1\r\nHost: a@h\r\n\r\n", .badHost),
    RefusedHead("§3.2: a path in Host", "GET / HTTP/1.1\r\nHost: h/a\r\n\r\n", .badHost),
    RefusedHead("§3.2: two ports", "GET / HTTP/1.1\r\nHost: h:80:81\r\n\r\n", .badHost),
    RefusedHead("§3.2: a port that is no number", "GET / HTTP/1.1\r\nHost: h:8a\r\n\r\n", .badHost),
    RefusedHead("§3.2: only a port", "GET / HTTP/1.1\r\nHost: :80\r\n\r\n", .badHost),
    RefusedHead("§3.2: two words", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", .badHost),
    RefusedHead("§3.2: an open bracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", .badHost),
    RefusedHead("§3.2: text after a bracket", "GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n", .badHost),
    RefusedHead("§3.2: raw UTF-8", "GET / HTTP/1.1\r\nHost: ♥\r\n\r\n", .badHost),
]

let refusedFramings: [RefusedHead] = [
    RefusedHead("§6.3: no length", fields: "Content-Length:", .badContentLength),
    RefusedHead("§6.3: a sign", fields: "Content-Length: +5", .badContentLength),
    RefusedHead("§6.3: negative", fields: "Content-Length: -5", .badContentLength),
    RefusedHead("§6.3: hexadecimal", fields: "Content-Length: 0x5", .badContentLength),
    RefusedHead("§6.3: a fraction", fields: "Content-Length: 5.0", .badContentLength),
    RefusedHead("§6.3: two numbers", fields: "Content-Length: 5 5", .badContentLength),
    RefusedHead("§6.3: a list", fields: "Content-Length: 5, 6", .badContentLength),
    RefusedHead("§6.3: an equal list", fields: "Content-Length: 5, 5", .badContentLength),
    RefusedHead("§6.3: 2^64", fields: "Content-Length: 18446744073709551616", .badContentLength),
    RefusedHead("§6.3: far too large", fields: "Content-Length: 99999999999999999999999", .badContentLength),
    RefusedHead("§6.3: differing", fields: "Content-Length: 5\r\nContent-Length: 6", .repeatedContentLength),
    RefusedHead("§6.3: equal lines", fields: "Content-Length: 5\r\ncontent-length: 5", .repeatedContentLength),
    RefusedHead("§6.3: zero and more", fields: "Content-Length: 0\r\nContent-Length: 6", .repeatedContentLength),
    RefusedHead(
        "§6.3: length, then chunked", fields: "Content-Length: 5\r\nTransfer-Encoding: chunked",
        .lengthAndTransferCoding),
    RefusedHead(
        "§6.3: chunked, then length", fields: "Transfer-Encoding: chunked\r\nContent-Length: 5",
        .lengthAndTransferCoding),
    RefusedHead(
        "§6.3: chunked and zero", fields: "Transfer-Encoding: chunked\r\nContent-Length: 0", .lengthAndTransferCoding),
    RefusedHead("§6.1: no coding", fields: "Transfer-Encoding:", .badTransferCoding),
    RefusedHead("§6.1: chunked twice", fields: "Transfer-Encoding: chunked, chunked", .badTransferCoding),
    RefusedHead("§6.3: not the last", fields: "Transfer-Encoding: chunked, gzip", .badTransferCoding),
    RefusedHead(
        "§6.1: two lines", fields: "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", .badTransferCoding),
    RefusedHead("§6.1: gzip", fields: "Transfer-Encoding: gzip, chunked", .transferCodingNotSupported),
    RefusedHead("§6.1: identity", fields: "Transfer-Encoding: identity", .transferCodingNotSupported),
    RefusedHead("§6.1: almost chunked", fields: "Transfer-Encoding: xchunked", .transferCodingNotSupported),
    RefusedHead("§6.1: quoted", fields: "Transfer-Encoding: \"chunked\"", .transferCodingNotSupported),
    RefusedHead("§7: a parameter", fields: "Transfer-Encoding: chunked;q=1", .transferCodingNotSupported),
    RefusedHead("§6.1: an empty member before", fields: "Transfer-Encoding: ,chunked", .transferCodingNotSupported),
    RefusedHead(
        "§6.1: HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", .transferCodingInHTTP10),
]

@Suite struct RequestSmugglingTests {
    @Test(arguments: refusedRequestLines + refusedFields + refusedFramings)
    func `a malformed head is refused however it is split`(sample: RefusedHead) {
        let bytes = Array(sample.text.utf8)

        #expect(parse(bytes) == .failed(sample.error))
        #expect(parseDripped(bytes) == .failed(sample.error))
        for offset in 0...bytes.count {
            #expect(parse(bytes, splitAt: offset) == .failed(sample.error))
        }
    }

    @Test(arguments: refusedRequestLines + refusedFields + refusedFramings)
    func `a failed parser stays failed until it is reset`(sample: RefusedHead) {
        let bytes = Array(sample.text.utf8)
        var parser = RequestParser()

        let first = parser.parse(bytes)
        let second = parser.parse(bytes)

        #expect(first == .failed(sample.error))
        #expect(second == .failed(sample.error))
    }

    @Test(arguments: [
        (RequestParseError.missingHost, 400), (.targetTooLong(limit: 1), 414), (.headTooLarge(limit: 1), 431),
        (.methodTooLong(limit: 1), 501), (.transferCodingNotSupported, 501), (.versionNotSupported(major: 2), 505),
        (.lengthAndTransferCoding, 400), (.transferCodingInHTTP10, 400), (.badTransferCoding, 400),
    ])
    func `an error maps to the status that the client sees`(error: RequestParseError, code: Int) {
        #expect(error.status == Status(code: code))
    }
}
