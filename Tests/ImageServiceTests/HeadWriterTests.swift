import HTTPCaching
import HTTPMessages
import Settings
import Testing

@testable import ImageService

private let imagePolicy =
    "content-security-policy: default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
private let relay = Fixtures.snapshot { $0.contentTypes = [MediaRange("*/*")].compactMap { $0 } }

@Suite struct HeadWriterTests {
    private let plain = Fixtures.snapshot()

    private func whole(_ fields: Fields, status: Status = .ok, length: Int? = 10, _ snapshot: Snapshot? = nil)
        -> [String]
    {
        headLines(
            HeadWriter.wireHead(
                of: Fixtures.stored(fields, status: status), length: length, snapshot: snapshot ?? plain
            ).bytes
        ).map(lowercasedName)
    }

    private func lowercasedName(_ line: String) -> String {
        guard let colon = line.firstIndex(of: ":") else { return line }
        return line[..<colon].lowercased() + line[colon...]
    }

    // MARK: 200

    @Test func `a whole answer has what is stored, and what we add`() {
        let head = whole([.contentType: "image/png", .eTag: "\"e\"", .cacheControl: "max-age=60"])
        #expect(head.first == "HTTP/1.1 200 OK")
        let expected: Set = [
            "HTTP/1.1 200 OK", "content-type: image/png", "etag: \"e\"", "cache-control: max-age=60",
            "x-content-type-options: nosniff", "accept-ranges: bytes", "via: 1.1 imagestore", "content-length: 10",
        ]
        #expect(Set(head) == expected)
        #expect(head.count == expected.count)
    }

    @Test func `without a length the framing is left to the caller`() {
        #expect(!whole([.contentType: "image/png"], length: nil).contains { $0.hasPrefix("content-length") })
        #expect(whole([.contentType: "image/png"], length: 0).contains("content-length: 0"))
    }

    @Test func `what an origin said of sniffing, ranges and policies is replaced, and its Via is kept`() {
        let head = whole([
            .contentType: "image/svg+xml", .xContentTypeOptions: "sniff", .acceptRanges: "none",
            .contentSecurityPolicy: "default-src *", .via: "1.1 cdn",
        ])
        #expect(head.filter { $0.hasPrefix("x-content-type-options") } == ["x-content-type-options: nosniff"])
        #expect(head.filter { $0.hasPrefix("accept-ranges") } == ["accept-ranges: bytes"])
        #expect(head.filter { $0.hasPrefix("content-security-policy") } == [imagePolicy])
        #expect(head.filter { $0.hasPrefix("via") } == ["via: 1.1 cdn", "via: 1.1 imagestore"])
    }

    @Test func `fields that the operator hides are not sent`() {
        let hiding = Fixtures.snapshot { $0.dropHeaders = ["cache-control"] }
        let head = whole([.contentType: "image/png", .cacheControl: "max-age=60"], hiding)
        #expect(!head.contains { $0.hasPrefix("cache-control") })
        #expect(head.contains("content-type: image/png"))
    }

    @Test(
        arguments: [
            ("image/svg+xml", imagePolicy), ("IMAGE/SVG+XML", imagePolicy),
            ("image/svg+xml; charset=utf-8", imagePolicy),
            ("image/svg", imagePolicy), ("image/png", nil), ("image/jpeg", nil),
        ] as [(String, String?)])
    func `SVG comes with a policy that forbids scripts and loads`(type: String, policy: String?) {
        #expect(
            whole([.contentType: type]).filter { $0.hasPrefix("content-security-policy") } == [policy].compactMap { $0 }
        )
        #expect(
            whole([.contentType: type], relay).filter { $0.hasPrefix("content-security-policy") }
                == [policy].compactMap { $0 })
    }

    @Test func `a relay locks up everything that is no image`() {
        for fields in [[.contentType: "text/html"], [.contentType: "imagery/x"], [.contentType: ""], [:]] as [Fields] {
            #expect(whole(fields, relay).contains("content-security-policy: sandbox"), "\(fields)")
            #expect(whole(fields, relay).contains("x-content-type-options: nosniff"), "\(fields)")
        }
        #expect(!whole([.contentType: "text/html"]).contains { $0.hasPrefix("content-security-policy") })
    }

    @Test func `only a whole image offers ranges`() throws {
        let notFound = try #require(Status(code: 404))
        let head = whole([.contentType: "text/html"], status: notFound, relay)
        #expect(head.first == "HTTP/1.1 404 Not Found")
        #expect(!head.contains { $0.hasPrefix("accept-ranges") })
        #expect(head.contains("content-length: 10"))
    }

    @Test func `a status without content has no length`() throws {
        // RFC 9110 §8.6.
        let head = whole([.contentType: "text/html"], status: .noContent, length: 0, relay)
        #expect(!head.contains { $0.hasPrefix("content-length") })
    }

    // MARK: 206

    @Test(arguments: [(0..<100, "0-99"), (900..<1000, "900-999"), (5..<6, "5-5"), (0..<1000, "0-999")])
    func `RFC 9110 §15.3.7: a part says which one it is`(range: Range<Int>, text: String) {
        let response = Fixtures.stored([.contentType: "image/svg+xml", .eTag: "\"e\""])
        let head = headLines(HeadWriter.partialHead(of: response, range: range, length: 1000, snapshot: plain)).map(
            lowercasedName)
        #expect(head.first == "HTTP/1.1 206 Partial Content")
        #expect(head.contains("content-range: bytes \(text)/1000"))
        #expect(head.filter { $0.hasPrefix("content-length") } == ["content-length: \(range.count)"])
        #expect(head.contains("content-type: image/svg+xml"))
        #expect(head.contains("etag: \"e\""))
        #expect(head.contains("x-content-type-options: nosniff"))
        #expect(head.contains(imagePolicy))
        #expect(head.contains("via: 1.1 imagestore"))
    }

    // MARK: 304

    @Test func `RFC 9110 §15.4.5: a confirmation repeats what a whole answer says of caching, and nothing of the body`()
    {
        let response = Fixtures.stored([
            .contentType: "image/svg+xml", .contentEncoding: "gzip", .contentLanguage: "en", .eTag: "\"e\"",
            .lastModified: "Thu, 01 Jan 1970 00:00:00 GMT", .cacheControl: "max-age=60", .vary: "Accept",
            .expires: "0", .date: "Thu, 01 Jan 1970 00:00:00 GMT", .contentLocation: "/b",
        ])
        let head = headLines(HeadWriter.notModifiedHead(of: response, snapshot: plain)).map(lowercasedName)
        #expect(head.first == "HTTP/1.1 304 Not Modified")
        for line in ["etag: \"e\"", "cache-control: max-age=60", "vary: Accept", "expires: 0", "content-location: /b"] {
            #expect(head.contains(line))
        }
        #expect(head.contains { $0.hasPrefix("date: ") })
        for name in ["content-type", "content-encoding", "content-language", "content-length", "content-range"] {
            #expect(!head.contains { $0.hasPrefix(name + ":") }, "\(name)")
        }
        #expect(head.contains(imagePolicy))
        #expect(head.contains("x-content-type-options: nosniff"))
    }

    @Test(
        arguments: [
            [.contentType: "image/png", .eTag: "\"e\"", .cacheControl: "max-age=60"],
            [
                .contentType: "image/svg+xml", .contentEncoding: "gzip", .contentLanguage: "en", .vary: "Accept",
                .lastModified: "Thu, 01 Jan 1970 00:00:00 GMT", .expires: "0", .contentRange: "x", .via: "1.1 cdn",
            ], [:],
        ] as [Fields])
    func `of a rendered head, a confirmation repeats the end`(fields: Fields) {
        let adding = Fixtures.snapshot { $0.addHeaders = ["X-Site": "a", "Content-Language": "de"] }
        for snapshot in [plain, adding, relay] {
            let response = Fixtures.stored(fields)
            let head = HeadWriter.wireHead(of: response, length: 10, snapshot: snapshot)
            let repeated = Array("HTTP/1.1 304 Not Modified\r\n".utf8) + head.bytes[head.marks.notModifiedStart...]
            #expect(repeated == HeadWriter.notModifiedHead(of: response, snapshot: snapshot))
        }
    }

    @Test func `a validator that the operator hides or replaces is not to be repeated`() {
        let response = Fixtures.stored([.eTag: "\"e\"", .lastModified: "Thu, 01 Jan 1970 00:00:00 GMT"])
        let head = HeadWriter.wireHead(of: response, length: 1, snapshot: plain)
        #expect(Array(head.bytes[head.marks.entityTag]) == Array("\"e\"".utf8))
        #expect(Array(head.bytes[head.marks.lastModified]) == Array("Thu, 01 Jan 1970 00:00:00 GMT".utf8))
        let changing = Fixtures.snapshot {
            $0.addHeaders = ["ETag": "\"x\""]
            $0.dropHeaders = ["Last-Modified"]
        }
        let marks = HeadWriter.wireHead(of: response, length: 1, snapshot: changing).marks
        #expect(marks.entityTag.isEmpty && marks.lastModified.isEmpty)
        // RFC 9110 §13.2.1: a condition counts only where the answer would be a success.
        let missing = Status(code: 404).map { Fixtures.stored(response.fields, status: $0) } ?? response
        #expect(HeadWriter.wireHead(of: missing, length: 1, snapshot: relay).marks.entityTag.isEmpty)
    }

    @Test func `whoever repeats a marked validator has what is stored, by the rules of RFC 9110 §13`() {
        var generator = SeededGenerator(seed: 6)
        let letters = ["\"", "\"", "a", "W/", "w/", ",", " ", "*", "\\", "\t", "é", "1"]
        let dates = [
            "Thu, 01 Jan 1970 00:00:00 GMT", "Thursday, 01-Jan-70 00:00:00 GMT", "Thu Jan  1 00:00:00 1970", "0",
        ]
        var marked = 0
        for _ in 0..<20_000 {
            let inner = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                letters.randomElement(using: &generator) ?? ""
            }
            let tag = Bool.random(using: &generator) ? "\"" + inner.joined() + "\"" : inner.joined()
            let response = Fixtures.stored([
                .eTag: tag, .lastModified: dates.randomElement(using: &generator) ?? "",
            ])
            let head = HeadWriter.wireHead(of: response, length: 1, snapshot: plain)
            for (name, place) in [
                (FieldName.ifNoneMatch, head.marks.entityTag), (.ifModifiedSince, head.marks.lastModified),
            ] where !place.isEmpty {
                marked += 1
                var request = Fields()
                request.set(name, to: Array(head.bytes[place]))
                let verdict = RequestConditions.judge(
                    method: .get, request: request, response: response, bodyBytes: 1)
                #expect(verdict == .notModified, "\(name): \(String(decoding: head.bytes[place], as: UTF8.self))")
            }
        }
        #expect(marked > 10_000)
    }
}
