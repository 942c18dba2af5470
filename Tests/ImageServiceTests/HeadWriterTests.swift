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
                of: Fixtures.stored(fields, status: status), length: length, snapshot: snapshot ?? plain)
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
}
