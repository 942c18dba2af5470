import HTTPMessages
import TestSupport
import Testing

@testable import Origin

@Suite(.blocking) struct RedirectTests {
    let origin: ScriptedOrigin
    let rig: OriginRig

    init() throws {
        origin = try ScriptedOrigin()
        rig = try OriginRig { $0.maxRedirects = 3 }
    }

    @Test(arguments: [
        ("/b.png", "/b.png"), ("b.png", "/d/b.png"), ("../b.png", "/b.png"), ("?x=1", "/d/a?x=1"),
        ("b.png#f", "/d/b.png"),
    ])
    func `a relative location is resolved`(location: String, target: String) throws {
        origin.on("/d/a", .redirect(to: location, headers: ["Cache-Control": "max-age=7"]))
        origin.on(target, .image(.png))
        let result = try rig.result(origin.url("/d/a"))
        #expect(result.isFinished && result.heads.count == 1)
        let head = try #require(result.head)
        #expect(head.finalURL == (try TargetURL.parse(decoded: Array(origin.url(target).utf8).span, maxLength: 999)))
        #expect(head.hops.map { Int($0.status.code) } == [302])
        #expect(head.hops.first?.fields.firstString(.cacheControl) == "max-age=7")
        #expect(origin.connections == 1)
    }

    @Test(arguments: [301, 302, 303, 307, 308]) func `every kind of redirect is followed`(status: Int) throws {
        origin.on("/a", .redirect(status, to: "//\(origin.endpoint)/b"))
        origin.on("/b", .image(.png))
        #expect(try rig.result(origin.url("/a")).endings == [nil])
        #expect(origin.requests.map(\.method) == ["GET", "GET"])
    }

    @Test func `the limit is exact`() throws {
        origin.on("/0", .image(.png))
        for index in 1...4 { origin.on("/\(index)", .redirect(to: "/\(index - 1)")) }
        #expect(try rig.result(origin.url("/3")).endings == [nil])
        #expect(try rig.result(origin.url("/4")).error == .tooManyRedirects)
    }

    @Test func `a ring is noticed`() throws {
        for index in 0..<3 { origin.on("/\(index)", .redirect(to: "/\((index + 1) % 3)")) }
        #expect(try rig.result(origin.url("/0")).error == .redirectLoop)
        #expect(origin.hits == 3)
    }

    @Test(arguments: [nil, "", "ftp://h/x", "http://", "http://u:p@127.0.0.1/", "javascript:1"] as [String?])
    func `a redirect without a usable location is an error`(location: String?) throws {
        origin.on("/a", .status(302).replacingHeader("Location", location))
        #expect(try rig.result(origin.url("/a")).error == .badLocation)
    }

    @Test(arguments: ["http://169.254.169.254/latest", "http://10.0.0.1/", "http://[::ffff:10.0.0.1]/"])
    func `a refused address is not connected to at any hop`(location: String) throws {
        origin.on("/a", .redirect(to: "/b"))
        origin.on("/b", .redirect(to: location))
        guard case .notAllowed(.address) = try rig.result(origin.url("/a")).error else {
            Issue.record("not refused")
            return
        }
        #expect(rig.withClient { $0.counts.transfers } == 2)
    }

    @Test func `a host off the list is refused at a hop`() throws {
        let pattern = try #require(HostPattern("127.0.0.1"))
        let rig = try OriginRig(
            policy: TargetPolicy(
                allowedHosts: [pattern], addressGuard: AddressGuard(allowedNetworks: OriginRig.loopback)))
        origin.on("/a", .redirect(to: "http://127.0.0.2:\(origin.port)/b"))
        #expect(try rig.result(origin.url("/a")).error == .notAllowed(.hostNotAllowed))
        #expect(origin.hits == 1)
    }

    @Test func `a large redirect body is not read to its end`() throws {
        origin.on("/a", .redirect(to: "/c").body(bytes: 5_000_000))
        origin.on("/b", .redirect(to: "/c").body(bytes: 5_000_000).chunked())
        origin.on("/small", .redirect(to: "/c").body(bytes: 10_000))
        origin.on("/c", .image(.png))
        #expect(try rig.result(origin.url("/small")).endings == [nil])
        #expect(origin.connections == 1)
        #expect(try rig.result(origin.url("/a")).endings == [nil])
        #expect(try rig.result(origin.url("/b")).endings == [nil])
        #expect(origin.connections == 3)
    }

    @Test func `a redirect whose body never ends is followed all the same`() throws {
        origin.on("/a", .redirect(to: "/c").body(bytes: 10).holding(Gate(), after: 5))
        origin.on("/c", .image(.png))
        #expect(try rig.result(origin.url("/a")).endings == [nil])
    }

    @Test func `redirects are answers when not followed`() throws {
        let rig = try OriginRig { $0.followRedirects = false }
        origin.on("/a", .redirect(to: "/b"))
        let result = try rig.result(origin.url("/a"))
        #expect(result.isFinished && result.head?.status.code == 302)
        #expect(origin.hits == 1)
    }

    @Test func `cancelling between hops ends it`() throws {
        let gate = Gate()
        origin.on("/a", .redirect(to: "/b"))
        origin.on("/b", .image(.png).holding(gate))
        let fetch = try rig.fetch(origin.url("/a"))
        #expect(origin.waitForHits("/b"))
        fetch.cancel()
        gate.open()
        _ = try origin.waitForDeliveries("/b")
        #expect(fetch.now.endings.isEmpty && fetch.now.heads.isEmpty)
        #expect(rig.withClient { $0.fetchCount } == 0)
    }
}

extension OriginReply {
    fileprivate func body(bytes count: Int) -> OriginReply {
        var copy = self
        copy.body = [UInt8](repeating: 1, count: count)
        return copy
    }
}
