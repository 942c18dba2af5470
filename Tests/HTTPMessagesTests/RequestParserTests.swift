import HTTPMessages
import Testing

/// What a well-formed head must be read as.
struct AcceptedHead: Sendable, CustomTestStringConvertible {
    let rule: String
    let text: String
    var method = Method.get
    var target = "/"
    var version = HTTPVersion.http11
    var host = "h"
    var keepAlive = true
    var body = BodyFraming.none
    var features: RequestFeatures = []

    var testDescription: String { rule }
}

let acceptedHeads: [AcceptedHead] = [
    AcceptedHead(rule: "RFC 9112 §3: method, target, version", text: "GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
    AcceptedHead(rule: "RFC 9112 §2.2: one empty line before", text: "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
    AcceptedHead(rule: "RFC 9110 §9.1: method", text: "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n", method: .head),
    AcceptedHead(rule: "RFC 9110 §9.1: methods have case", text: "get / HTTP/1.1\r\nHost: h\r\n\r\n", method: .other),
    AcceptedHead(
        rule: "RFC 9110 §9.1: any token", text: "BASELINE-CONTROL / HTTP/1.1\r\nHost: h\r\n\r\n", method: .other),
    AcceptedHead(
        rule: "RFC 9112 §3.2.1: origin-form with query",
        text: "GET /image?url=http%3A%2F%2Fo%2Fa.png HTTP/1.1\r\nHost: h\r\n\r\n",
        target: "/image?url=http%3A%2F%2Fo%2Fa.png"),
    AcceptedHead(
        rule: "RFC 9112 §3.2.2: absolute-form", text: "GET http://o/a.png HTTP/1.1\r\nHost: h\r\n\r\n",
        target: "http://o/a.png"),
    AcceptedHead(
        rule: "RFC 9112 §3.2.3: authority-form", text: "CONNECT o:443 HTTP/1.1\r\nHost: o:443\r\n\r\n",
        method: .connect, target: "o:443", host: "o:443"),
    AcceptedHead(
        rule: "RFC 9112 §3.2.4: asterisk-form", text: "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", method: .options,
        target: "*"),
    AcceptedHead(
        rule: "raw UTF-8 typed by hand", text: "GET /image?url=http://♥.localhost/測試.png HTTP/1.1\r\nHost: h\r\n\r\n",
        target: "/image?url=http://♥.localhost/測試.png"),
    AcceptedHead(
        rule: "RFC 9112 §9.3: 1.0 closes", text: "GET / HTTP/1.0\r\nHost: h\r\n\r\n", version: .http10, keepAlive: false
    ),
    AcceptedHead(
        rule: "RFC 9112 §3.2: 1.0 needs no Host", text: "GET / HTTP/1.0\r\n\r\n", version: .http10, host: "",
        keepAlive: false),
    AcceptedHead(
        rule: "RFC 9112 §9.3: 1.0 with keep-alive",
        text: "GET / HTTP/1.0\r\nHost: h\r\nConnection: Keep-Alive\r\n\r\n", version: .http10),
    AcceptedHead(rule: "RFC 9110 §2.5: a later minor version is 1.1", text: "GET / HTTP/1.7\r\nHost: h\r\n\r\n"),
    AcceptedHead(
        rule: "RFC 9112 §9.3: close", text: "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", keepAlive: false),
    AcceptedHead(
        rule: "RFC 9112 §9.3: close wins over keep-alive, in any list and case",
        text: "GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive,, x-hop\r\nconnection: , CLOSE ,\r\n\r\n",
        keepAlive: false, features: [.connectionOptions]),
    AcceptedHead(
        rule: "RFC 9110 §7.6.1: a longer word is not close",
        text: "GET / HTTP/1.1\r\nHost: h\r\nConnection: closed\r\n\r\n",
        features: [.connectionOptions]),
    AcceptedHead(rule: "RFC 9112 §3.2: an empty Host", text: "GET / HTTP/1.1\r\nHost:\r\n\r\n", host: ""),
    AcceptedHead(
        rule: "RFC 9112 §5.1: white space around a value is no part of it",
        text: "GET / HTTP/1.1\r\nhOST:\t example.org:8080 \t\r\n\r\n", host: "example.org:8080"),
    AcceptedHead(
        rule: "RFC 3986 §3.2.2: an IP literal", text: "GET / HTTP/1.1\r\nHost: [2001:db8::1]:80\r\n\r\n",
        host: "[2001:db8::1]:80"),
    AcceptedHead(
        rule: "RFC 9112 §6.2: Content-Length", text: "POST / HTTP/1.1\r\nHost: h\r\ncontent-length: 00042\r\n\r\n",
        method: .post, body: .length(42)),
    AcceptedHead(
        rule: "RFC 9112 §6.2: the largest length",
        text: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551615\r\n\r\n", method: .post,
        body: .length(.max)),
    AcceptedHead(
        rule: "RFC 9112 §6.3: a length of 0 is no body",
        text: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
        method: .post),
    AcceptedHead(
        rule: "RFC 9112 §6.1: chunked in any case",
        text: "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: \tChunked \r\n\r\n", method: .post, body: .chunked),
    AcceptedHead(
        rule: "RFC 9110 §10.1.1: 100-continue",
        text: "PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n", method: .put,
        body: .length(1), features: [.expectContinue]),
    AcceptedHead(
        rule: "RFC 9110 §10.1.1: another expectation", text: "GET / HTTP/1.1\r\nHost: h\r\nExpect: tea\r\n\r\n",
        features: [.expectOther]),
    AcceptedHead(
        rule: "RFC 9110 §5.5: tabs, obs-text and empty values",
        text: "GET / HTTP/1.1\r\nX-A: a\tb\r\nX-B:\r\nX_C: äöü€\r\nHost: h\r\n\r\n", features: [.otherFields]),
    AcceptedHead(
        rule: "RFC 9110 §5.6.2: every token octet in a name",
        text: "GET / HTTP/1.1\r\n!#$%&'*+-.^_`|~09azAZ: 1\r\nHost: h\r\n\r\n", features: [.otherFields]),
]

@Suite struct RequestParserTests {
    @Test(arguments: acceptedHeads)
    func `a well-formed head is read as the RFC says`(sample: AcceptedHead) throws {
        let head = try #require(parse(sample.text).head)

        #expect(head.method == sample.method)
        #expect(text(head.target, of: sample.text) == sample.target)
        #expect(head.version == sample.version)
        #expect(text(head.host, of: sample.text) == sample.host)
        #expect(head.keepAlive == sample.keepAlive)
        #expect(head.body == sample.body)
        #expect(head.features == sample.features)
        #expect(head.length == sample.text.utf8.count)
    }

    @Test(arguments: acceptedHeads)
    func `a head that arrives in pieces is read as one that arrives whole`(sample: AcceptedHead) {
        let bytes = Array(sample.text.utf8)
        let whole = parse(bytes)

        #expect(parseDripped(bytes) == whole)
        for offset in 0...bytes.count {
            #expect(parse(bytes, splitAt: offset) == whole)
        }
        for count in 0..<bytes.count {
            #expect(parse(Array(bytes[..<count])) == .needMore)
        }
    }

    @Test(arguments: [
        ("If-Match", RequestFeatures.ifMatch), ("If-None-Match", .ifNoneMatch),
        ("If-Modified-Since", .ifModifiedSince), ("If-Unmodified-Since", .ifUnmodifiedSince), ("Range", .range),
        ("If-Range", .ifRange), ("Cache-Control", .cacheControl), ("Pragma", .pragma),
        ("Authorization", .authorization), ("Proxy-Authorization", .proxyAuthorization), ("Cookie", .cookie),
        ("Upgrade", .upgrade), ("Via", .via), ("Accept", .accept), ("Accept-Encoding", .acceptEncoding),
        ("Accept-Language", .acceptLanguage), ("traceparent", .traceparent), ("Origin", .origin),
        ("Sec-Fetch-Site", .secFetchSite), ("User-Agent", .userAgent), ("Referer", .referer),
    ])
    func `a field that leaves the fast path is noticed in any case of letters`(
        name: String, feature: RequestFeatures
    ) throws {
        for spelling in [name, name.lowercased(), name.uppercased()] {
            let head = try #require(parse("GET / HTTP/1.1\r\n\(spelling): x\r\nHost: h\r\n\r\n").head)
            #expect(head.features == feature)
        }
    }

    @Test(arguments: [
        "X-Range", "Rangd", "Range_", "Acceptx", "Accept-Encodinf", "Bccept-Encoding", "If-None-Matcg", "Cookie2",
        "Content-Lengti", "Content_Length", "Transfer-Encodinf", "connectinnection", "Via1", "x", "Hosts",
    ])
    func `a field with a similar name is another field`(name: String) throws {
        let head = try #require(parse("GET / HTTP/1.1\r\n\(name): 1\r\nHost: h\r\n\r\n").head)

        #expect(head.features == .otherFields)
        #expect(head.body == .none)
    }

    @Test func `pipelined requests are parsed one after the other`() throws {
        let bytes = Array(acceptedHeads.map(\.text).joined().utf8)
        var parser = RequestParser()
        var offset = 0

        for sample in acceptedHeads {
            let outcome = parser.parse(bytes, from: offset)
            let head = try #require(outcome.head)
            #expect(head.method == sample.method)
            #expect(head.length == sample.text.utf8.count)
            offset += head.length
        }

        let atEnd = parser.parse(bytes, from: offset)
        #expect(offset == bytes.count)
        #expect(atEnd == .needMore)
    }

    @Test func `reset forgets an unfinished head`() {
        var parser = RequestParser()
        let half = Array("POST /a HTTP/1.1\r\nContent-Length: 5\r\nHos".utf8)
        let early = parser.parse(half)

        parser.reset()

        let whole = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
        let outcome = parser.parse(Array(whole.utf8))
        #expect(early == .needMore)
        #expect(outcome == parse(whole))
    }

    @Test func `a head gives its fields on the slow path`() throws {
        let text = "\r\nGET / HTTP/1.1\r\nHost: h\r\nX-A: \t1 \r\nx-a:2\r\nEmpty:\r\n\r\nGET / HTTP/1.1\r\nX-Next: 1"
        let bytes = Array(text.utf8)
        let head = try #require(parse(bytes).head)

        let fields = head.fields(in: bytes.span)

        #expect(fields.description == "Host: h\r\nX-A: 1\r\nX-A: 2\r\nEmpty: \r\n")
        let name = try #require(FieldName("X-A"))
        let found = head.value(of: name, in: bytes.span)
        let absent = head.value(of: .range, in: bytes.span)
        let nextName = try #require(FieldName("X-Next"))
        let next = head.value(of: nextName, in: bytes.span)
        let range = try #require(found)
        #expect(String(decoding: bytes[range], as: UTF8.self) == "1")
        #expect(absent == nil)
        #expect(next == nil)
    }
}

@Suite struct `The conditions of a request` {
    private func head(_ fields: String) -> (RequestHead?, String) {
        let text = "GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n"
        return (parse(text).head, text)
    }

    @Test func `are known by the place of their values`() throws {
        let (head, source) = head("if-none-match: \t\"a\" \r\nIf-Modified-Since: then\r\n")
        let known = try #require(head)
        #expect(text(known.ifNoneMatch, of: source) == "\"a\"")
        #expect(text(known.ifModifiedSince, of: source) == "then")
        #expect(known.features == [.ifNoneMatch, .ifModifiedSince])
    }

    @Test(arguments: ["", "Accept: */*\r\n", "If-None-Match:\r\nIf-Modified-Since: \r\n"])
    func `have no place where there are none`(fields: String) throws {
        let head = try #require(head(fields).0)
        #expect(head.ifNoneMatch.isEmpty && head.ifModifiedSince.isEmpty)
    }

    @Test(arguments: [2, 3, 4])
    func `have no place where they are repeated`(count: Int) throws {
        let fields = String(repeating: "If-None-Match: \"a\"\r\nIf-Modified-Since: then\r\n", count: count)
        let head = try #require(head(fields).0)
        #expect(head.ifNoneMatch.isEmpty && head.ifModifiedSince.isEmpty)
        #expect(head.features == [.ifNoneMatch, .ifModifiedSince])
    }
}
