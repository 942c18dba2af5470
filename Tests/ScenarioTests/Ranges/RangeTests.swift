import ServiceHarness
import TestSupport
import Testing

/// Ranges are cut from the whole image, which alone is stored (RFC 9110 section 14).
@Suite(.blocking) struct `A range` {
    private let picture = OriginReply.image(
        .png, bytes: 1000, headers: ["Cache-Control": "max-age=60", "ETag": "\"v1\""])

    /// C101.
    @Test(arguments: [
        ("bytes=0-99", 0..<100), ("bytes=-50", 950..<1000), ("bytes=900-", 900..<1000),
        ("bytes=0-5242880", 0..<1000), ("bytes=999-999", 999..<1000), ("bytes=-5000", 0..<1000),
    ])
    func `of a stored image is sent`(range: String, bytes: Range<Int>) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", picture)
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)

        let answer = try service.get("/a.png", of: origin, ["Range": range])

        #expect(answer.status == 206 && answer.body == Array(picture.body[bytes]), "\(answer)")
        #expect(answer["content-range"] == "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/1000")
        #expect(answer["content-length"] == "\(bytes.count)" && origin.hits == 1)
    }

    /// C108.
    @Test(arguments: ["bytes=1000-", "bytes=-0"])
    func `outside the image is not satisfiable`(range: String) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", picture)
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        let answer = try service.get("/a.png", of: origin, ["Range": range])
        #expect(answer.status == 416 && answer.problem == "range-not-satisfiable", "\(answer)")
        #expect(answer["content-range"] == "bytes */1000")
    }

    /// C108, and several at once: the whole image.
    @Test(arguments: ["bytes=abc", "items=0-1", "bytes=5-2", "bytes=0-1,5-6", "bytes=-"])
    func `that is none, or several, brings the whole image`(range: String) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", picture)
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        #expect(try service.get("/a.png", of: origin, ["Range": range]).isImage(picture.body))
    }

    @Test(arguments: [("\"v1\"", 206), ("\"v2\"", 200), ("W/\"v1\"", 200)])
    func `holds only if the image is still the same`(tag: String, status: Int) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", picture)
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        let answer = try service.get("/a.png", of: origin, ["Range": "bytes=0-9", "If-Range": tag])
        #expect(answer.status == status, "\(answer)")
    }

    /// C100.
    @Test func `of a cold image fetches all of it`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", picture)
        let service = try TestService()
        let part = try service.get("/a.png", of: origin, ["Range": "bytes=0-99"])
        let whole = try service.get("/a.png", of: origin)
        #expect(part.body == Array(picture.body[..<(part.status == 206 ? 100 : 1000)]), "\(part)")
        #expect(whole.isImage(picture.body) && origin.hits == 1)
        #expect(origin.requests[0].fields.first("range") == nil)
    }
}
