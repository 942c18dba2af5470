import ServiceHarness
import Settings
import TestSupport
import Testing

/// Limits of the whole process, exact with any number of loops.
@Suite(.blocking) struct `The limit` {
    private static func held(by gate: Gate) throws -> ScriptedOrigin {
        let origin = try ScriptedOrigin()
        origin.otherwise { ScriptedOrigin.picture(for: $0.target).holding(gate) }
        return origin
    }

    @Test func `of downloads holds exactly with four loops`() throws {
        let gate = Gate()
        let origin = try Self.held(by: gate)
        let service = try TestService {
            $0.loops = 4
            $0.maxDownloads = 3
        }
        let waiting = ConcurrentClients(20) { try service.get("/\($0).png", of: origin) }
        #expect(origin.waitForActive(3))
        #expect(try eventually { try service.metric("imagestore_downloads", ["state": "queued"]) == 17 })
        #expect(try service.metric("imagestore_downloads", ["state": "active"]) == 3)
        gate.open()
        #expect(try waiting.results().allSatisfy { $0.status == 200 })
        #expect(origin.highWater == 3 && origin.hits == 20)
    }

    @Test func `of downloads from one host holds exactly with four loops`() throws {
        let gate = Gate()
        let origin = try Self.held(by: gate)
        let service = try TestService {
            $0.loops = 4
            $0.maxDownloadsPerHost = 2
            try $0.resolve("a.test")
            try $0.resolve("b.test")
        }
        let waiting = ConcurrentClients(20) { number in
            try service.get(url: "http://\(number % 2 == 0 ? "a" : "b").test:\(origin.port)/\(number).png")
        }
        #expect(origin.waitForActive(4))
        #expect(try eventually { try service.metric("imagestore_downloads", ["state": "queued"]) == 16 })
        gate.open()
        #expect(try waiting.results().allSatisfy { $0.status == 200 })
        #expect(origin.highWater(host: "a.test:\(origin.port)") == 2)
        #expect(origin.highWater(host: "b.test:\(origin.port)") == 2)
        #expect(origin.hits == 20)
    }

    /// C178.
    @Test func `of one host does not hold up another, nor hits`() throws {
        let gate = Gate()
        let slow = try Self.held(by: gate)
        let quick = try ScriptedOrigin.pictures()
        let service = try TestService {
            $0.maxDownloadsPerHost = 2
            try $0.resolve("slow.test")
        }
        let waiting = ConcurrentClients(10) { try service.get(url: "http://slow.test:\(slow.port)/\($0).png") }
        #expect(slow.waitForActive(2))
        #expect(try service.get("/a.png", of: quick).status == 200)
        #expect(try service.get("/a.png", of: quick).isHit)
        gate.open()
        #expect(try waiting.results().allSatisfy { $0.status == 200 })
    }

    @Test func `of the time in the queue is told by 503`() throws {
        let gate = Gate()
        let origin = try Self.held(by: gate)
        let service = try TestService {
            $0.maxDownloads = 1
            $0.queueTimeout = .milliseconds(400)
        }
        let first = ConcurrentClients(1) { _ in try service.get("/first.png", of: origin) }
        #expect(origin.waitForActive(1))
        let start = ContinuousClock.now
        let answer = try service.get("/second.png", of: origin)
        #expect(answer.status == 503 && answer.problem == "overloaded" && answer["retry-after"] != nil, "\(answer)")
        #expect(answer.headTime - start > .milliseconds(350))
        gate.open()
        #expect(try first.results()[0].status == 200)
        #expect(origin.hits == 1)
    }

    @Test func `of the queue is told at once`() throws {
        let gate = Gate()
        let origin = try Self.held(by: gate)
        let service = try TestService {
            $0.maxDownloads = 1
            $0.maxQueue = 1
        }
        let waiting = ConcurrentClients(2) { try service.get("/\($0).png", of: origin) }
        #expect(try eventually { try service.metric("imagestore_downloads", ["state": "queued"]) == 1 })
        let answer = try service.get("/third.png", of: origin)
        #expect(answer.status == 503 && answer.problem == "overloaded", "\(answer)")
        gate.open()
        #expect(try waiting.results().allSatisfy { $0.status == 200 })
    }

    @Test func `of bytes in flight is reserved before the request`() throws {
        let gate = Gate()
        let origin = try Self.held(by: gate)
        let service = try TestService {
            $0.inFlightLimit = 1_000_000
            $0.maxDownloadSize = 400_000
        }
        let waiting = ConcurrentClients(6) { try service.get("/\($0).png", of: origin) }
        #expect(origin.waitForActive(2))
        #expect(try eventually { try service.metric("imagestore_in_flight_bytes") == 800_000 })
        #expect(!origin.waitForActive(3, upTo: .milliseconds(300)))
        gate.open()
        #expect(try waiting.results().allSatisfy { $0.status == 200 })
        #expect(try eventually { try service.metric("imagestore_in_flight_bytes") == 0 })
    }

    @Test func `of time for the whole download cuts it, and frees its place`() throws {
        let origin = try ScriptedOrigin.pictures()
        origin.on("/drip.png", .image(.png, bytes: 1000).dripping(1, every: .milliseconds(50)))
        let service = try TestService {
            $0.totalTimeout = .milliseconds(600)
            $0.maxDownloads = 1
        }
        let answer = try service.get("/drip.png", of: origin)
        #expect(answer.ending == .cut || (answer.status == 504 && answer.problem == "origin-timeout"), "\(answer)")
        #expect(try service.get("/a.png", of: origin).status == 200)
    }

    @Test func `of silence in the middle cuts it`() throws {
        let origin = try ScriptedOrigin()
        let gate = Gate()
        origin.on("/a.png", .image(.png, bytes: 100_000).holding(gate, after: 50_000))
        let service = try TestService { $0.transferIdleTimeout = .milliseconds(400) }
        let answer = try service.get("/a.png", of: origin)
        #expect(answer.ending == .cut || answer.problem == "origin-timeout", "\(answer)")
        #expect(try service.objects(in: "memory") == 0)
        gate.open()
    }
}
