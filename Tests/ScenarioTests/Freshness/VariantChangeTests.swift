import ServiceHarness
import TestSupport
import Testing

/// One stored response of several is confirmed, replaced or removed; the others stay (RFC 9111 sections 4.1 and 4.3).
@Suite(.blocking) struct `One of several variants` {
    private static let avif: KeyValuePairs = ["Accept": "image/avif"]
    private static let jpeg: KeyValuePairs = ["Accept": "image/jpeg"]

    /// A JPEG that stays fresh, and in turn these replies for those who take AVIF.
    private static func origin(_ replies: OriginReply...) throws -> ScriptedOrigin {
        let origin = try ScriptedOrigin()
        let turn = Monitor(0)
        origin.on("/a") { request in
            guard request.fields.first("accept")?.contains("image/avif") == true else {
                return .image(.jpeg, headers: ["Cache-Control": "max-age=60", "Vary": "Accept"])
            }
            let index = turn.update { count in
                defer { count += 1 }
                return count
            }
            return replies[min(index, replies.count - 1)]
        }
        return origin
    }

    private static let stale = OriginReply.image(
        .avif, headers: ["Cache-Control": "max-age=0", "ETag": "\"v1\"", "Vary": "Accept"])

    @Test(arguments: ["Cache-Control: max-age=0", "Cache-Control: max-age=60", "X-Other: 1"])
    func `is confirmed, and the others stay`(field: String) throws {
        let origin = try Self.origin(
            Self.stale, .raw("HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\(field)\r\n\r\n"))
        let service = try TestService()
        _ = try service.get("/a", of: origin, Self.avif)
        _ = try service.get("/a", of: origin, Self.jpeg)

        let answer = try service.get("/a", of: origin, Self.avif)

        #expect(answer.isImage(Self.stale.body) && answer.cacheStatus.contains("fwd-status=304"), "\(answer)")
        #expect(origin.requests.last?.fields.first("if-none-match") == "\"v1\"")
        #expect(try service.get("/a", of: origin, Self.jpeg).isHit)
        #expect(try service.waitForDiskObjects(3))
        try service.restart()
        let again = try service.get("/a", of: origin, Self.avif)
        #expect(again.isImage(Self.stale.body) && again.isHit == field.hasSuffix("60"), "\(again)")
        #expect(try service.get("/a", of: origin, Self.jpeg).isHit)
    }

    @Test(arguments: ["no-store", "gone"]) func `leaves, and the others stay`(end: String) throws {
        let last =
            end == "gone"
            ? OriginReply.status(410) : Self.stale.replacingHeader("Cache-Control", "no-store")
        let origin = try Self.origin(Self.stale, last)
        let service = try TestService()
        _ = try service.get("/a", of: origin, Self.avif)
        _ = try service.get("/a", of: origin, Self.jpeg)
        #expect(try service.waitForDiskObjects(3))

        #expect(try !service.get("/a", of: origin, Self.avif).isHit)

        #expect(try service.waitForDiskObjects(2))
        #expect(try service.objects(in: "memory") == 2)
        #expect(try service.get("/a", of: origin, Self.jpeg).cacheStatus.hasSuffix("detail=memory"))
        try service.restart()
        #expect(try service.get("/a", of: origin, Self.jpeg).cacheStatus.hasSuffix("detail=disk"))
        if end == "no-store" {
            #expect(try service.get("/a", of: origin, Self.avif).cacheStatus.contains("fwd=vary-miss"))
        }
    }

    @Test func `was the last one: nothing is left`() throws {
        let origin = try Self.origin(Self.stale, Self.stale.replacingHeader("Cache-Control", "no-store"))
        let service = try TestService()
        for _ in 0..<2 { _ = try service.get("/a", of: origin, Self.avif) }
        #expect(try service.waitForDiskObjects(0))
        #expect(try service.objects(in: "memory") == 0)
        #expect(try service.get("/a", of: origin, Self.avif).cacheStatus.contains("fwd=uri-miss"))
    }

    /// An origin that begins to vary, or ceases to.
    @Test func `is replaced by a response that does not vary, and the other way round`() throws {
        let varied = Self.stale
        let plain = Self.stale.replacingHeader("Vary", nil)
        let origin = try Self.origin(plain, varied, plain, varied)
        let service = try TestService()
        for count in [1, 2, 1, 2] {
            #expect(try service.get("/a", of: origin, Self.avif).isImage(varied.body))
            #expect(try service.waitForDiskObjects(count))
            #expect(try service.objects(in: "memory") == count)
        }
        #expect(eventually { service.recordFiles.count == 2 })
    }

    /// RFC 9111 section 3.2: a 304 may change the stored `Vary`.
    @Test func `begins to vary by a 304`() throws {
        let origin = try Self.origin(
            Self.stale.replacingHeader("Vary", nil),
            .raw("HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\nVary: Accept\r\nCache-Control: max-age=60\r\n\r\n"))
        let service = try TestService()
        for _ in 0..<2 { _ = try service.get("/a", of: origin, Self.avif) }
        #expect(try service.get("/a", of: origin, Self.avif).isHit)
        let other = try service.get("/a", of: origin, Self.jpeg)
        #expect(other["content-type"] == "image/jpeg" && other.cacheStatus.contains("fwd=vary-miss"), "\(other)")
        #expect(try service.waitForDiskObjects(3))
    }

    /// A younger answer to another request does not make an older one out of date, whether it varies or not.
    @Test(arguments: ["Accept", nil] as [String?])
    func `is stored although another one overtook it`(vary: String?) throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        let slow = OriginReply.image(
            .avif, bytes: 2000, headers: ["Cache-Control": "max-age=60", "Vary": "Accept"]
        ).holding(gate, after: 1000)
        origin.on("/a") { request in
            request.fields.first("accept")?.contains("image/avif") == true
                ? slow : .image(.jpeg, headers: ["Cache-Control": "max-age=60"]).replacingHeader("Vary", vary)
        }
        let service = try TestService()
        let client = try service.connect()
        try client.request("GET", "/image?url=\(origin.url("/a"))", Self.avif)
        let head = try client.readHead()
        _ = try service.get("/a", of: origin, Self.jpeg)
        gate.open()
        #expect(try client.readBody(of: head).isImage(slow.body))

        let (first, second) = try (service.get("/a", of: origin, Self.avif), service.get("/a", of: origin, Self.jpeg))

        #expect(first.isHit && first["content-type"] == "image/avif", "\(first)")
        #expect(second["content-type"] == "image/jpeg", "\(second)")
        // A default alone leaves for the first response that varies, and comes back beside it with the next request.
        #expect(origin.hits == (vary == nil ? 3 : 2))
        #expect(try service.get("/a", of: origin, Self.jpeg).isHit)
    }
}
