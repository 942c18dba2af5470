import ServiceHarness
import Settings
import TestSupport
import Testing

/// What counts as an image: declared and sniffed.
@Suite(.blocking) struct `The content type` {
    private static let page = Array("<!DOCTYPE html><html><script>alert(1)</script></html>".utf8)

    /// C120, C122: missing and generic types are sniffed; of two image types the sniffed one wins.
    @Test(
        arguments: [
            ("application/octet-stream", Pictures.Format.png), ("binary/octet-stream", .png), ("text/plain", .gif),
            (nil, .jpeg), (nil, .webp), (nil, .avif), ("image/png", .jpeg), ("image/jpg", .jpeg), ("IMAGE/PNG", .png),
            ("image/svg+xml", .svg),
        ] as [(String?, Pictures.Format)])
    func `is that of the bytes`(declared: String?, format: Pictures.Format) throws {
        let origin = try ScriptedOrigin()
        let picture = OriginReply.image(format, bytes: 5000).replacingHeader("Content-Type", declared)
        origin.on("/a", picture)
        let service = try TestService()
        for answer in [try service.get("/a", of: origin), try service.get("/a", of: origin)] {
            #expect(answer.isImage(picture.body), "\(answer)")
            #expect(answer["content-type"] == format.mediaType && answer["x-content-type-options"] == "nosniff")
        }
    }

    /// C121, C127, C63: what is no image is never sent.
    @Test(
        arguments: [
            (nil, page), ("image/png", page), ("text/html", page), ("application/octet-stream", page),
            ("image/png", []), ("application/json", Array("{}".utf8)), ("text/html", Pictures.bytes(.png)),
        ] as [(String?, [UInt8])])
    func `of something else is an error`(declared: String?, body: [UInt8]) throws {
        let origin = try ScriptedOrigin()
        var reply = OriginReply.image(.png).replacingHeader("Content-Type", declared)
        reply.body = body
        origin.on("/a", reply)
        let service = try TestService()

        let answer = try service.get("/a", of: origin)

        #expect(answer.status == 502 && ["not-an-image", "type-not-allowed"].contains(answer.problem), "\(answer)")
        #expect(!answer.text.contains("<script>"))
        #expect(try service.objects(in: "memory") == 0 && service.objects(in: "disk") == 0)
    }

    /// C123.
    @Test(arguments: [
        "image/png, text/html; charset=UTF-8", "image/png,text/html; charset=UTF-8", "image/png text/html",
        "image/png%;text/html", "image/png; charset=UTF-8;text/html",
    ])
    func `that is torn is never passed on`(declared: String) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a", OriginReply.image(.png, bytes: 500).replacingHeader("Content-Type", declared))
        let answer = try TestService().get("/a", of: origin)
        #expect(answer.status == 502 || answer["content-type"] == "image/png", "\(answer)")
        #expect(answer.fields.allSatisfy { !$0.value.contains("text/html") })
    }

    /// C125.
    @Test func `of SVG comes with a policy that stops scripts, on every path`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.svg", .image(.svg, bytes: 1000, headers: ["ETag": "\"v1\"", "Cache-Control": "max-age=60"]))
        let service = try TestService()
        let answers = try [
            service.get("/a.svg", of: origin), service.get("/a.svg", of: origin),
            service.get("/a.svg", of: origin, ["If-None-Match": "\"v1\""]),
            service.get("/a.svg", of: origin, ["Range": "bytes=0-9"]),
        ]
        #expect(answers.map(\.status) == [200, 200, 304, 206], "\(answers)")
        for answer in answers {
            #expect(answer["content-security-policy"]?.contains("sandbox") == true, "\(answer)")
            #expect(answer["x-content-type-options"] == "nosniff")
        }
    }
}
