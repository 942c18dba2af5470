import ServiceHarness
import Settings
import TestSupport
import Testing

/// Which fields go through, in both directions.
@Suite(.blocking) struct `A header field` {
    private static let reply = OriginReply.image(
        .png,
        headers: [
            "Cache-Control": "max-age=60", "X-Camera": "Leica", "ETag": "\"v\"", "Content-Language": "de",
            "Set-Cookie": "a=b", "Connection": "x-hop", "X-Hop": "1",
        ])

    /// `keepHeaders`, `dropHeaders`, `addHeaders`; on misses, hits, 304 and from disk alike.
    @Test func `of a response is kept, dropped and added as configured`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", Self.reply)
        let service = try TestService {
            $0.keepHeaders = ["X-Camera", "X-Hop"]
            $0.dropHeaders = ["Content-Language"]
            $0.addHeaders = ["Access-Control-Allow-Origin": "*"]
        }
        var answers = [try service.get("/a.png", of: origin), try service.get("/a.png", of: origin)]
        answers.append(try service.get("/a.png", of: origin, ["If-None-Match": "\"v\""]))
        try service.restart()
        answers.append(try service.get("/a.png", of: origin))
        #expect(answers.map(\.status) == [200, 200, 304, 200] && origin.hits == 1)
        for answer in answers {
            #expect(answer["x-camera"] == "Leica" && answer["access-control-allow-origin"] == "*", "\(answer.fields)")
            #expect(answer["content-language"] == nil && answer["set-cookie"] == nil && answer["x-hop"] == nil)
        }
    }

    @Test func `added by the operator is on failures, too`() throws {
        let origin = try ScriptedOrigin()
        let service = try TestService { $0.addHeaders = ["Access-Control-Allow-Origin": "*"] }
        let answer = try service.get("/none.png", of: origin)
        #expect(answer.status == 404 && answer["access-control-allow-origin"] == "*", "\(answer.fields)")
    }

    /// C94, `forwardHeaders`.
    @Test func `of a request reaches the origin only when named`() throws {
        let origin = try ScriptedOrigin.pictures(["Cache-Control": "max-age=60"])
        let sent: KeyValuePairs = [
            "Authorization": "Basic x", "Cookie": "a=b", "X-Own": "1", "Forwarded": "for=me", "X-Forwarded-For": "me",
            "Range": "bytes=0-1", "If-None-Match": "\"x\"", "Accept-Language": "de",
        ]
        for (number, names) in [[], ["*"], ["X-Own", "Cookie"]].enumerated() {
            let service = try TestService { if !names.isEmpty { $0.forwardHeaders = names } }
            _ = try service.get("/\(number).png", of: origin, sent)
        }
        let seen = origin.requests.map { request in sent.map(\.key).filter { request.fields.first($0) != nil } }
        #expect(seen == [["Accept-Language"], ["X-Own", "Accept-Language"], ["Cookie", "X-Own"]])
    }
}
