import ServiceHarness
import TestSupport
import Testing

/// What is cached obeys the configuration in force, however it is asked for.
@Suite(.blocking) struct `A reset, and what is in memory` {
    /// A service that has `/a.png` in memory, and has answered it from there.
    private func warm(_ origin: ScriptedOrigin) throws -> TestService {
        let service = try TestService { $0.diskCacheLimit = 0 }
        _ = try service.get("/a.png", of: origin)
        #expect(try service.get("/a.png", of: origin).cacheStatus.contains("detail=memory"))
        return service
    }

    @Test func `refuses what its host list denies now`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try warm(origin)
        let client = try service.connect()
        let target = "/image?url=\(percentEncoded(origin.url("/a.png")))"
        #expect(try client.exchange("GET", target).status == 200)

        try service.reset { try $0.deny(hosts: "127.0.0.1") }

        #expect(try eventually { try client.exchange("GET", target).status == 403 })
        #expect(try service.get("/a.png", of: origin).problem == "not-allowed")
        #expect(origin.hits == 1)
    }

    @Test func `adds and drops the fields that it names, and fetches nothing again`() throws {
        let origin = try ScriptedOrigin.pictures(["Cache-Control": "max-age=60", "ETag": "\"e\""])
        let service = try warm(origin)

        try service.reset {
            $0.addHeaders = ["Access-Control-Allow-Origin": "*"]
            $0.dropHeaders = ["Cache-Control"]
        }

        #expect(try eventually { try service.get("/a.png", of: origin)["access-control-allow-origin"] == "*" })
        for fields: KeyValuePairs in [[:], ["If-None-Match": "\"e\""], ["Cache-Control": "max-stale"]] {
            let answer = try service.get("/a.png", of: origin, fields)
            #expect(answer.cacheStatus.contains("detail=memory"), "\(answer)")
            #expect(answer["access-control-allow-origin"] == "*" && answer["cache-control"] == nil, "\(answer)")
        }
        #expect(try service.objects(in: "memory") == 1 && origin.hits == 1)
    }

    @Test func `shows in answers to those who ask the memory tier alone`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try warm(origin)
        let target = "/image?only=memory&url=\(percentEncoded(origin.url("/a.png")))"

        try service.reset { $0.addHeaders = ["X-Site": "new"] }

        #expect(try eventually { try service.ask(target)["x-site"] == "new" })
        #expect(try service.ask(target).cacheStatus.contains("detail=memory"))
    }

    @Test func `counts for the lifetime of what is stored`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try warm(origin)

        try service.reset { $0.freshness.maxTTL = .seconds(0) }

        #expect(try eventually { try service.get("/a.png", of: origin).cacheStatus.contains("fwd=") })
    }

    @Test func `refuses a URL that is too long now`() throws {
        let origin = try ScriptedOrigin.pictures()
        let target = "/" + String(repeating: "a", count: 1000)
        let service = try TestService { $0.diskCacheLimit = 0 }
        for _ in 0..<2 { #expect(try service.get(target, of: origin).status == 200) }

        try service.reset { $0.maxURLLength = 500 }

        #expect(try eventually { try service.get(target, of: origin).status == 414 })
    }

    @Test func `tells variants apart by a field that it forwards now`() throws {
        let origin = try ScriptedOrigin.pictures(["Cache-Control": "max-age=60", "Vary": "X-Site"])
        let service = try warm(origin)
        #expect(try service.get("/a.png", of: origin, ["X-Site": "b"]).isHit)

        try service.reset { $0.forwardHeaders = ["X-Site"] }

        #expect(try eventually { try service.get("/a.png", of: origin, ["X-Site": "b"]).cacheStatus.contains("fwd=") })
        let other = try service.get("/a.png", of: origin, ["X-Site": "c"])
        #expect(other.cacheStatus.contains("fwd="), "\(other)")
        #expect(origin.requests.compactMap { $0.fields.first("x-site") } == ["b", "c"])
    }
}
