import ServiceHarness
import Settings
import TestSupport
import Testing

/// An origin that ends its response at any byte.
@Suite(.blocking) struct `A response cut at any byte` {
    private static let body = Pictures.bytes(.png, count: 90)

    /// How the end of the body is told.
    enum Framing: CaseIterable {
        case length, chunks

        /// The response, and how many bytes of it make the body complete.
        var response: (bytes: [UInt8], enough: Int) {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nCache-Control: max-age=60\r\n"
            let chunks =
                Array("Transfer-Encoding: chunked\r\n\r\n30\r\n".utf8) + body[..<48] + Array("\r\n2A\r\n".utf8)
                + body[48...] + Array("\r\n0\r\n\r\n".utf8)
            let rest = self == .length ? Array("Content-Length: 90\r\n\r\n".utf8) + body : chunks
            let bytes = Array(head.utf8) + rest
            // RFC 9112 section 8: a chunked body is complete with its zero-sized chunk; an empty line follows here.
            return (bytes, self == .length ? bytes.count : bytes.count - 2)
        }
    }

    @Test(arguments: Framing.allCases)
    func `is never taken for a whole one, and nothing of it stays`(framing: Framing) throws {
        let (whole, enough) = framing.response
        let origin = try ScriptedOrigin()
        origin.otherwise { request in
            let count = request.target.dropFirst().split(separator: ".").first.flatMap { Int($0) } ?? 0
            let part = OriginReply.raw(Array(whole.prefix(count)))
            return request.target.hasSuffix("reset") ? part.ending(reset: true) : part
        }
        let service = try TestService { $0.forgetFailures(after: .zero) }

        for count in 0..<enough {
            for end in ["close", "reset"] where end == "close" || count % 7 == 0 {
                let answer = try service.get("/\(count).\(end)", of: origin)
                #expect(answer.ending == .cut || answer.status == 502, "\(count), \(end): \(answer)")
            }
        }
        #expect(try service.objects(in: "memory") == 0 && service.recordFiles.isEmpty)
        #expect(try service.get("/\(whole.count).close", of: origin).isImage(Self.body))
        #expect(try eventually { try service.metric("imagestore_in_flight_bytes") == 0 })
        #expect(try service.metric("imagestore_waiters") == 0)
    }
}
