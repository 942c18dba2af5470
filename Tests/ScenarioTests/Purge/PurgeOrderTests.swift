import EventLoops
import ImageService
import Settings
import TestSupport
import Testing

/// Purges that come one right after the other, or at the end, by a program that embeds the store.
@Suite(.blocking) struct `Purges in a row` {
    /// A store with one loop: what is asked on it in one go is handled in one go.
    private func store() throws -> ImageStore {
        var configuration = Configuration()
        configuration.loops = 1
        configuration.diskCacheLimit = 0
        try configuration.open(networks: "127.0.0.0/8")
        let store = try ImageStore(configuration, log: try Log(level: .error))
        try store.start()
        return store
    }

    /// The rule has not come to the image yet when it is marked: it goes all the same.
    @Test func `a removal by rule is not undone by a mark`() throws {
        let origin = try ScriptedOrigin()
        let old = OriginReply.image(
            .png, headers: ["Cache-Control": "max-age=60, stale-while-revalidate=60", "ETag": "\"v1\""])
        origin.on("/a.png", inTurn: [old, .image(.gif, bytes: 700, headers: ["Cache-Control": "max-age=60"])])
        let store = try store()
        defer { store.stop() }
        let url = origin.url("/a.png")
        let reports = Monitor<[Result<PurgeReport, Failure>]>([])
        let loads = Monitor<[Result<LoadedImage, Failure>]>([])
        store.load(url) { outcome in loads.update { $0.append(outcome) } }
        _ = loads.wait { $0.count == 1 }

        // On the loop, so that both are there before the first look at the memory.
        store.load(url) { _ in
            store.purge(.host("127.0.0.1")) { report in reports.update { $0.append(report) } }
            store.purge(.url(url), isSoft: true) { report in reports.update { $0.append(report) } }
        }
        _ = reports.wait { $0.count == 2 }

        store.load(url) { outcome in loads.update { $0.append(outcome) } }
        _ = loads.wait { $0.count == 2 }
        #expect(try loads.read { $0[1] }.get().body.withBytes { $0.count } == 700)
        #expect(origin.requests.map { $0.fields.first("if-none-match") } == [nil, nil])
        let counts = try reports.read { $0 }.map { try $0.get().purged }
        #expect(counts.reduce(0, +) == 1, "\(counts)")
    }

    /// Each is told once, by a loop or at the end.
    @Test func `a purge is told of, though the store stops`() throws {
        for number in 0..<20 {
            let store = try store()
            let told = Monitor<[Int]>([])
            for scope in [PurgeScope.url("http://o.test/a"), .all, .host("o.test"), .url("nonsense")] {
                store.purge(scope) { _ in told.update { $0.append(number) } }
            }
            store.stop()
            #expect(told.read { $0 }.count == 4)
            store.purge(.all) { _ in told.update { $0.append(number) } }
            #expect(told.read { $0 }.count == 5)
        }
    }
}
