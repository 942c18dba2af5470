import ServiceHarness
import Settings
import TestSupport
import Testing

/// `maxDownloadSize`, on the declared length and while streaming.
@Suite(.blocking) struct `An image` {
    private static func picture(_ bytes: Int) -> OriginReply {
        .image(.png, bytes: bytes, headers: ["Cache-Control": "max-age=60"])
    }

    /// C60.
    @Test(arguments: [picture(100_000), picture(100_000).chunked(), picture(100_000).closeDelimited()])
    func `of exactly the limit is served and stored`(reply: OriginReply) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", reply)
        let service = try TestService { $0.maxDownloadSize = 100_000 }
        #expect(try service.get("/a.png", of: origin).isImage(reply.body))
        #expect(try service.get("/a.png", of: origin).isHit && origin.hits == 1)
    }

    /// C60, C58.
    @Test(arguments: [picture(100_001).chunked(), picture(300_000).chunked(), picture(300_000).closeDelimited()])
    func `that turns out to be over the limit never ends cleanly`(reply: OriginReply) throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", reply)
        let service = try TestService { $0.maxDownloadSize = 100_000 }
        let answer = try service.get("/a.png", of: origin)
        #expect(answer.ending == .cut || (answer.status == 502 && answer.problem == "image-too-large"), "\(answer)")
        #expect(try service.objects(in: "memory") == 0 && service.recordFiles.isEmpty)
        #expect(try eventually { try service.metric("imagestore_in_flight_bytes") == 0 })
    }

    /// C58: the origin sees the end at once.
    @Test func `that goes on for ever is cut off`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", Self.picture(3_000_000).chunked().dripping(50_000, every: .milliseconds(5)))
        let service = try TestService { $0.maxDownloadSize = 100_000 }
        let answer = try service.get("/a.png", of: origin)
        let delivery = try #require(try origin.waitForDeliveries("/a.png").first)
        #expect(answer.ending == .cut || answer.status == 502, "\(answer)")
        #expect(delivery.peerLeft && delivery.bodyBytes < 2_000_000)
    }

    /// C59.
    @Test func `declared over the limit is refused unread, and the refusal is remembered`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", Self.picture(50_000_000))
        origin.on("/b.png", Self.picture(100_001))
        let service = try TestService { $0.maxDownloadSize = 100_000 }

        let first = try service.get("/a.png", of: origin)
        let second = try service.get("/a.png", of: origin)
        let onlyJust = try service.get("/b.png", of: origin)

        for answer in [first, second, onlyJust] {
            #expect(answer.status == 502 && answer.problem == "image-too-large", "\(answer)")
        }
        let delivery = try #require(try origin.waitForDeliveries("/a.png").first)
        #expect(delivery.peerLeft && delivery.bodyBytes < 10_000_000)
        #expect(origin.hits("/a.png") == 1)
        #expect(try service.metric("imagestore_downloads_total") > 0)
    }

    /// C195.
    @Test func `larger than a tier is served, not stored there, and drives nothing out`() throws {
        let origin = try ScriptedOrigin.pictures()
        let big = Self.picture(1_500_000)
        origin.on("/big.png", big)
        let service = try TestService {
            $0.cacheLimit = 1_000_000
            $0.diskCacheLimit = 1_000_000
        }
        for number in 0..<5 { _ = try service.get("/\(number).png", of: origin) }
        #expect(try service.waitForDiskObjects(5))

        #expect(try service.get("/big.png", of: origin).isImage(big.body))
        #expect(try service.get("/big.png", of: origin).isImage(big.body))

        #expect(origin.hits("/big.png") == 2)
        #expect(try service.objects(in: "memory") == 5 && service.objects(in: "disk") == 5)
        for number in 0..<5 { #expect(try service.get("/\(number).png", of: origin).isHit) }
    }
}
