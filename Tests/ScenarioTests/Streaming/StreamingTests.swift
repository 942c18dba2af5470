import ServiceHarness
import TestSupport
import Testing

/// Bytes go to every client as they come.
@Suite(.blocking) struct `A running download` {
    private let picture = OriginReply.image(.png, bytes: 200_000, headers: ["Cache-Control": "max-age=60"])

    /// C43.
    @Test func `serves a late joiner what is there at once, and both to the end`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", picture.holding(gate, after: 100_000))
        let service = try TestService()
        let query = "/image?url=\(origin.url("/a.png"))"

        let first = try service.connect()
        try first.request("GET", query)
        let firstHead = try first.readHead()
        let late = try service.connect()
        try late.request("GET", query)
        let lateHead = try late.readHead()
        // The origin still holds the second half: these bytes came from the running download.
        let half = try late.readBytes(100_000)
        gate.open()
        let rest = try late.readBytes(100_000)

        #expect(try first.readBody(of: firstHead).isImage(picture.body))
        #expect(lateHead.status == 200 && lateHead["content-length"] == "200000")
        #expect(half + rest == picture.body && origin.hits == 1)
        #expect(lateHead["cache-status"]?.contains("collapsed") == true)
    }

    @Test func `of chunks without a length streams too`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", picture.chunked().holding(gate, after: 50_000))
        let service = try TestService()
        let client = try service.connect()
        try client.request("GET", "/image?url=\(origin.url("/a.png"))")
        let head = try client.readHead()  // comes before the body is whole
        gate.open()
        #expect(head["transfer-encoding"] == "chunked" && head["content-length"] == nil)
        #expect(try client.readBody(of: head).isImage(picture.body))
        let hit = try service.get("/a.png", of: origin)
        #expect(hit.isImage(picture.body) && hit["content-length"] == "200000" && hit.isHit)
    }

    @Test func `is not held up by a client that does not read`() throws {
        let origin = try ScriptedOrigin()
        let big = OriginReply.image(.png, bytes: 1_900_000, headers: ["Cache-Control": "max-age=60"])
        let gate = Gate()
        origin.on("/a.png", big.holding(gate, after: 1000))
        let service = try TestService()
        let query = "/image?url=\(origin.url("/a.png"))"
        let slow = try service.connect()
        slow.narrowReceiveBuffer()
        try slow.request("GET", query)
        let slowHead = try slow.readHead()
        let quick = try service.connect()
        try quick.request("GET", query)
        let quickHead = try quick.readHead()

        gate.open()

        #expect(try quick.readBody(of: quickHead).isImage(big.body))
        #expect(try service.get("/a.png", of: origin).isImage(big.body))
        #expect(try slow.readBody(of: slowHead).isImage(big.body))
        #expect(origin.hits == 1)
    }

    @Test func `that drips is passed on drop by drop`() throws {
        let origin = try ScriptedOrigin()
        let drops = OriginReply.image(.png, bytes: 5000).dripping(500, every: .milliseconds(50))
        origin.on("/a.png", drops)
        let answer = try TestService().get("/a.png", of: origin)
        #expect(answer.isImage(drops.body))
        #expect(answer.endTime - answer.headTime > .milliseconds(200))
    }

    /// C64.
    @Test func `of HTTP 1.0 ends with its connection`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", picture.closeDelimited())
        origin.on("/b.png", picture.closeDelimited().cut(after: 150_000, reset: true))
        let service = try TestService()
        let whole = try service.get("/a.png", of: origin)
        #expect(whole.isImage(picture.body), "\(whole)")
        let broken = try service.get("/b.png", of: origin)
        #expect(broken.status == 502 || broken.ending == .cut, "\(broken)")
        #expect(try service.objects(in: "memory") == 1)
    }

    /// C69.
    @Test func `may begin with interim heads`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", picture.interim("103 Early Hints").interim("100 Continue"))
        let service = try TestService()
        #expect(try service.get("/a.png", of: origin).isImage(picture.body))
        #expect(try service.get("/a.png", of: origin).isHit)
    }
}
