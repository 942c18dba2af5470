import EventLoops
import Foundation
import HTTPMessages
import Origin
import Testing

@testable import ImageService

/// Takes no part: answers are written without having been asked for.
private final class Bystander: ConnectionDelegate {
    func connection(_ connection: Connection, received bytes: Span<UInt8>) -> Int { bytes.count }
    func connectionWantsInput(_ connection: Connection) -> Bool { true }
    func connectionDrained(_ connection: Connection) {}
    func connectionEnded(_ connection: Connection) {}
}

/// What a client gets: status line, fields by lower-case name, body.
private struct Written {
    let statusLine: String
    var fields: [String: [String]] = [:]
    let body: Data

    var problem: [String: Any] {
        get throws { try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any]) }
    }

    /// Writes an answer to a pair of sockets, on a loop that does not run, and reads it at the other end.
    init(_ answer: ProblemWriter.Answer) throws {
        var pair: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_NONBLOCK, 0, &pair) == 0)
        defer { close(pair[1]) }
        let loop = try EventLoop(index: 0)
        let connection = try #require(Connection(loop: loop, socket: OwnedDescriptor(pair[0]), delegate: Bystander()))
        ProblemWriter.append(answer, to: connection, date: HTTPDate(secondsSinceEpoch: 0))
        connection.flush()
        connection.close()
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(pair[1], &bytes, bytes.count)
        let text = Data(bytes.prefix(max(0, count)))
        let end = try #require(text.range(of: Data("\r\n\r\n".utf8)))
        body = text[end.upperBound...]
        let lines = String(decoding: text[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        statusLine = lines[0]
        for line in lines.dropFirst() {
            let colon = try #require(line.firstIndex(of: ":"))
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            fields[line[..<colon].lowercased(), default: []].append(value)
        }
    }
}

@Suite struct ProblemWriterTests {
    @Test func `RFC 9457: a failure is told as a problem`() throws {
        let url = Array("http://o.test/a.png?x=1&y=2".utf8)
        let written = try Written(ProblemWriter.Answer(failure: .originStatus(404), url: url, keepsAlive: true))
        #expect(written.statusLine == "HTTP/1.1 404 Not Found")
        let expected = [
            "content-type": ["application/problem+json"], "date": ["Thu, 01 Jan 1970 00:00:00 GMT"],
            "x-content-type-options": ["nosniff"], "cache-control": ["no-store"], "via": ["1.1 imagestore"],
            "cache-status": ["imagestore; detail=origin-status"],
            "proxy-status": ["imagestore; received-status=404"], "content-length": ["\(written.body.count)"],
        ]
        #expect(written.fields == expected)
        let problem = try written.problem
        #expect(problem["type"] as? String == "urn:imagestore:error:origin-status")
        #expect(problem["title"] as? String == "The origin said 404")
        #expect(problem["status"] as? Int == 404)
        #expect(problem["detail"] as? String == "The origin does not give this image: it answered 404.")
        #expect(problem["url"] as? String == "http://o.test/a.png?x=1&y=2")
        #expect(problem.count == 5)
    }

    @Test func `without a URL there is no member for it`() throws {
        let written = try Written(ProblemWriter.Answer(failure: .notFound, keepsAlive: true))
        #expect(try written.problem.keys.sorted() == ["detail", "status", "title", "type"])
        #expect(written.fields["proxy-status"] == nil)
        #expect(written.fields["connection"] == nil)
    }

    @Test(arguments: [
        "http://o.test/\"><script>alert(1)</script>", "http://o.test/\\\n\r\t\u{0}\u{1F}\u{7F}",
        "http://o.test/é♥\u{2028}",
    ])
    func `a URL of any kind stays inside of its string`(url: String) throws {
        let written = try Written(
            ProblemWriter.Answer(failure: .badURL(.controlByte), url: Array(url.utf8), keepsAlive: true))
        #expect(try written.problem["url"] as? String == url)
        #expect(!written.body.contains { [0x3C, 0x3E, 0x26].contains($0) })
    }

    @Test func `a URL that is no text does no harm`() throws {
        let written = try Written(
            ProblemWriter.Answer(failure: .badURL(.malformed), url: [0x68, 0xFF, 0xC3], keepsAlive: true))
        #expect((try written.problem["url"] as? String)?.hasPrefix("h\u{FFFD}") == true)
    }

    @Test func `HEAD gets the same head and no body`() throws {
        let answer = ProblemWriter.Answer(failure: .notAnImage, keepsAlive: true)
        var bodiless = answer
        bodiless.sendsBody = false
        let (whole, head) = (try Written(answer), try Written(bodiless))
        #expect(head.body.isEmpty)
        #expect(head.statusLine == whole.statusLine)
        #expect(head.fields == whole.fields)
        #expect(whole.body.count > 0)
    }

    @Test func `a failure that is remembered may be cached as long`() throws {
        let written = try Written(ProblemWriter.Answer(failure: .originDNS, keepsAlive: true, remembersSeconds: 7))
        #expect(written.fields["cache-control"] == ["max-age=7"])
    }

    @Test(
        arguments: [(true, false, nil), (true, true, "keep-alive"), (false, false, "close"), (false, true, "close")]
            as [(Bool, Bool, String?)])
    func `the connection's fate is told where it is not the default`(keepsAlive: Bool, isHTTP10: Bool, value: String?)
        throws
    {
        let written = try Written(
            ProblemWriter.Answer(failure: .notFound, keepsAlive: keepsAlive, isHTTP10: isHTTP10))
        #expect(written.fields["connection"] == value.map { [$0] })
    }

    @Test func `some failures have fields of their own`() throws {
        let range = try Written(ProblemWriter.Answer(failure: .rangeNotSatisfiable(length: 1000), keepsAlive: true))
        #expect(range.statusLine == "HTTP/1.1 416 Range Not Satisfiable")
        #expect(range.fields["content-range"] == ["bytes */1000"])
        let busy = try Written(ProblemWriter.Answer(failure: .overloaded("x"), keepsAlive: true))
        #expect(busy.fields["retry-after"] == ["1"])
        let method = try Written(
            ProblemWriter.Answer(failure: .methodNotAllowed(detail: "No."), keepsAlive: true, allow: "GET, HEAD"))
        #expect(method.fields["allow"] == ["GET, HEAD"])
        let hit = try Written(
            ProblemWriter.Answer(
                failure: .originDNS, keepsAlive: true,
                cacheStatus: Array("imagestore; hit; ttl=3; detail=negative".utf8)))
        #expect(hit.fields["cache-status"] == ["imagestore; hit; ttl=3; detail=negative"])
    }

    @Test func `no error carries a validator`() throws {
        for failure in [Failure.notFound, .originStatus(404), .notCached, .draining, .loop] {
            let fields = try Written(ProblemWriter.Answer(failure: failure, keepsAlive: false)).fields
            #expect(fields["etag"] == nil && fields["last-modified"] == nil)
            #expect(fields["x-content-type-options"] == ["nosniff"])
        }
    }
}
