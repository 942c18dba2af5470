import EventLoops
import ImageService
import ServiceHarness
import Settings
import TestSupport
import Testing

/// The store as a Swift program uses it, without listeners.
@Suite(.blocking) struct `A store in a Swift program` {
    /// A running store without a disk tier, for one origin.
    private final class Embedded: Sendable {
        let store: ImageStore
        private let outcomes = Monitor<[Result<LoadedImage, Failure>]>([])

        init() throws {
            var configuration = Configuration()
            configuration.loops = 2
            configuration.diskCacheLimit = 0
            try configuration.open(networks: "127.0.0.0/8")
            store = try ImageStore(configuration, log: try Log(level: .error))
            try store.start()
        }

        deinit { store.stop() }

        func load(_ url: String) {
            store.load(url) { outcome in self.outcomes.update { $0.append(outcome) } }
        }

        /// Waits until that many loads have ended, and gives their outcomes.
        func outcomes(_ count: Int) -> [Result<LoadedImage, Failure>] {
            _ = outcomes.wait { $0.count >= count }
            return outcomes.read { $0 }
        }
    }

    @Test func `purges what it is told to`() throws {
        let origin = try ScriptedOrigin.pictures()
        let embedded = try Embedded()
        let reports = Monitor<[Result<PurgeReport, Failure>]>([])
        let url = origin.url("/a.png")
        let scopes: [PurgeScope] = [.url(url), .prefix(url), .host("127.0.0.1"), .all]
        for (number, scope) in scopes.enumerated() {
            embedded.load(url)
            _ = embedded.outcomes(number + 1)
            embedded.store.purge(scope) { report in reports.update { $0.append(report) } }
            _ = reports.wait { $0.count == number + 1 }
        }
        #expect(try reports.read { $0 }.map { try $0.get().purged } == [1, 1, 1, 1])
        #expect(origin.hits == 4)
        embedded.store.purge(.url("nonsense")) { report in reports.update { $0.append(report) } }
        _ = reports.wait { $0.count == 5 }
        #expect(throws: Failure.badURL(.unsupportedScheme)) { try reports.read { $0 }[4].get() }
        embedded.store.stop()
        embedded.store.purge(.all) { report in reports.update { $0.append(report) } }
        #expect(throws: Failure.draining) { try reports.read { $0 }[5].get() }
    }

    private func bodies(_ outcomes: [Result<LoadedImage, Failure>]) throws -> [[UInt8]] {
        try outcomes.map { try $0.get().body.withBytes { bytes in bytes.indices.map { bytes[$0] } } }
    }

    @Test func `loads an image twice by one download, and both completions are called`() throws {
        let origin = try ScriptedOrigin()
        let gate = TestSupport.Gate()
        let picture = OriginReply.image(.png, bytes: 5000, headers: ["Cache-Control": "max-age=60"])
        origin.on("/a.png", picture.holding(gate))
        let embedded = try Embedded()
        embedded.load(origin.url("/a.png"))
        embedded.load(origin.url("/a.png"))
        #expect(origin.waitForHits("/a.png"))
        gate.open()
        #expect(try bodies(embedded.outcomes(2)) == [picture.body, picture.body])
        embedded.load(origin.url("/a.png"))
        let third = try #require(embedded.outcomes(3).last).get()
        #expect(third.isFromCache && third.mediaType == "image/png")
        #expect(origin.hits == 1)
    }

    @Test func `cancels for everyone, and the next load starts clean`() throws {
        let origin = try ScriptedOrigin()
        let gate = TestSupport.Gate()
        let picture = OriginReply.image(.png, bytes: 5000)
        origin.on("/a.png", inTurn: [picture.holding(gate), picture])
        let embedded = try Embedded()
        embedded.load(origin.url("/a.png"))
        #expect(origin.waitForHits("/a.png"))
        embedded.store.cancel(origin.url("/a.png"))
        #expect(embedded.outcomes(1).map { $0.failure } == [.cancelled])
        embedded.load(origin.url("/a.png"))
        #expect(try bodies([try #require(embedded.outcomes(2).last)]) == [picture.body])
        gate.open()
    }

    @Test func `suspends a download, and a load of the URL goes on with it`() throws {
        let origin = try ScriptedOrigin()
        let gate = TestSupport.Gate()
        let picture = OriginReply.image(.png, bytes: 300_000)
        origin.on("/a.png", picture.holding(gate, after: 1000))
        let embedded = try Embedded()
        embedded.load(origin.url("/a.png"))
        #expect(origin.waitForHits("/a.png"))
        embedded.store.suspendIfResuming(origin.url("/a.png"))
        gate.open()
        embedded.load(origin.url("/a.png"))
        #expect(try bodies(embedded.outcomes(2)) == [picture.body, picture.body])
        #expect(origin.hits == 1)
    }

    @Test func `says what is wrong with a URL, and works on after a reset`() throws {
        let origin = try ScriptedOrigin()
        origin.on("/a.png", .image(.png, bytes: 500))
        let embedded = try Embedded()
        embedded.load("ftp://example.com/a.png")
        #expect(embedded.outcomes(1).map { $0.failure } == [.badURL(.unsupportedScheme)])
        embedded.load(origin.url("/a.png"))
        _ = embedded.outcomes(2)
        var closed = Configuration()
        closed.diskCacheLimit = 0
        embedded.store.reset(closed)
        embedded.load(origin.url("/a.png"))
        #expect(embedded.outcomes(3).last?.failure == .notAllowed(rule: "loopback"))
    }
}

extension Result {
    /// The failure, if it is one.
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
