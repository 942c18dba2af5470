import ServiceHarness
import Settings
import TestSupport
import Testing

/// Purging one image.
@Suite(.blocking) struct `A purge of an image` {
    /// C210, in every spelling of C18.
    @Test(
        arguments: [
            "http://origin.test:PORT/A.png", "HTTP://ORIGIN.TEST:PORT/A.png", "http://origin.test.:PORT/A.png",
            "http://origin.test:PORT/x/../A.png", "http://origin.test:PORT/A.png#part",
        ])
    func `takes any spelling and both tiers`(spelling: String) throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService { try $0.resolve("origin.test") }
        let url = "http://origin.test:\(origin.port)/A.png"
        _ = try service.get(url: url)
        _ = try service.get(url: "http://origin.test:\(origin.port)/a.png")
        #expect(try service.waitForDiskObjects(2))

        let answer = try service.purge("url=\(percentEncoded(spelling.replacing("PORT", with: "\(origin.port)")))")

        #expect(answer.text == "{\"purged\":1}" && answer["content-type"] == "application/json", "\(answer)")
        #expect(service.recordFiles.count == 1)
        #expect(try service.get(url: url).cacheStatus.contains("fwd=uri-miss"))
        #expect(try service.get(url: "http://origin.test:\(origin.port)/a.png").isHit)
        #expect(origin.targets == ["/A.png", "/a.png", "/A.png"])
        #expect(try service.metric("imagestore_cache_evictions_total", ["tier": "disk", "reason": "purge"]) == 1)
    }

    @Test(arguments: [0, 16_000_000])
    func `holds after a restart`(cacheLimit: Int) throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService { $0.cacheLimit = cacheLimit }
        _ = try service.get("/a.png", of: origin)
        #expect(try service.waitForDiskObjects(1))
        #expect(try service.purge("/a.png", of: origin).purged == 1)
        try service.restart()
        #expect(try service.get("/a.png", of: origin).cacheStatus.contains("fwd=uri-miss"))
        #expect(origin.hits == 2)
    }

    @Test func `finds what is on disk only`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        try service.restart()
        #expect(try service.purge("/a.png", of: origin).purged == 1)
        #expect(try service.purge("/a.png", of: origin).purged == 0)
        #expect(try service.get("/a.png", of: origin).cacheStatus.contains("fwd=uri-miss"))
    }

    @Test(arguments: [true, false])
    func `of one that is not there counts nothing`(soft: Bool) throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        #expect(try service.purge("/never.png", of: origin, soft: soft).text == "{\"purged\":0}")
    }

    /// C211.
    @Test func `leaves no stale copy for when the origin is down`() throws {
        let origin = try ScriptedOrigin.pictures(["Cache-Control": "max-age=0, stale-if-error=600", "ETag": "\"v\""])
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        #expect(try service.purge("/a.png", of: origin).purged == 1)
        origin.close()
        #expect(try service.get("/a.png", of: origin).status == 502)
    }

    @Test func `forgets that it failed`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", inTurn: [.status(404), ScriptedOrigin.picture(for: "/a.png")])
        let service = try TestService()
        #expect(try service.get("/a.png", of: origin).status == 404)
        #expect(try service.get("/a.png", of: origin).status == 404)
        #expect(origin.hits == 1)
        #expect(try service.purge("/a.png", of: origin).purged == 0)
        #expect(try service.get("/a.png", of: origin).status == 200)
    }

    /// A kill right after the answer does not bring it back.
    @Test func `outlives a kill`() throws {
        let origin = try ScriptedOrigin.pictures()
        let directory = try TemporaryDirectory()
        let first = try ServiceProcess("diskCachePath=\(directory.path)")
        for number in 0..<20 { _ = try first.get("/\(number).png", of: origin) }
        for number in 0..<10 {
            let answer = try first.admin("DELETE", "/images?url=\(percentEncoded(origin.url("/\(number).png")))")
            #expect(answer.purged == 1, "\(answer)")
        }
        let prefix = percentEncoded(origin.url("/19.png"))
        #expect(try first.admin("DELETE", "/images?prefix=\(prefix)").purged == 1)
        try first.killAtOnce()

        let second = try ServiceProcess("diskCachePath=\(directory.path)")

        for number in Array(0..<10) + [19] {
            #expect(try second.get("/\(number).png", of: origin).cacheStatus.contains("fwd=uri-miss"), "\(number)")
        }
        second.signal(9)
    }
}

/// How a purge is asked for.
@Suite(.blocking) struct `The call that purges` {
    /// C214.
    @Test func `is not known to the data listener`() throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        let answer = try service.ask("/images?all=1", ["Host": "localhost"], method: "DELETE")
        #expect(answer.status == 404, "\(answer)")
        #expect(try service.get("/a.png", of: origin).isHit)
    }

    @Test func `takes no other method`() throws {
        let service = try TestService()
        for method in ["GET", "POST", "PUT"] {
            let answer = try service.admin("/images?all=1", method: method)
            #expect(answer.status == 405 && answer["allow"] == "DELETE", "\(method): \(answer)")
        }
    }

    @Test(
        arguments: [
            ("", "url"), ("soft=1", "url"), ("all=1&host=a.test", "host"), ("all=0", "all"), ("all=yes", "all"),
            ("all=1&all=1", "all"), ("everything=1", "everything"), ("host=http://a.test", "host"), ("host=", "host"),
            ("host=a.test:80", "host"), ("url=http://a.test/&soft=2", "soft"),
        ])
    func `names the parameter that is wrong`(query: String, name: String) throws {
        let answer = try TestService().purge(query)
        #expect(answer.status == 400 && answer.problem == "bad-parameter", "\(answer)")
        #expect(answer.text.contains("The parameter \(name) "), "\(answer)")
    }

    @Test func `wants a URL where it asks for one`() throws {
        let service = try TestService()
        #expect(try service.purge("url=ftp://a.test/").problem == "bad-url")
        #expect(try service.purge("prefix=a.test").problem == "bad-url")
    }

    @Test(
        arguments: [
            ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"), ("Origin", "https://evil.test"),
            ("Origin", "null"), ("Origin", "http://localhost:1"),
        ])
    func `refuses pages of other sites`(name: String, value: String) throws {
        let origin = try ScriptedOrigin.pictures()
        let service = try TestService()
        _ = try service.get("/a.png", of: origin)
        let answer = try service.purge("all=1", [(name, value)])
        #expect(answer.status == 403 && answer.problem == "not-allowed", "\(answer)")
        #expect(try service.get("/a.png", of: origin).isHit)
        let own = try service.purge("all=1", [("Sec-Fetch-Site", "same-origin"), ("Origin", "http://localhost")])
        #expect(own.status == 200)
    }
}
