import EventLoops
import Foundation
import ObjectStore
import Testing

@testable import ImageService

@Suite struct PurgeBookTests {
    private func bans(_ count: Int) -> [Ban] {
        (1...count).map { number in
            Ban(number: UInt64(number), target: .prefix(Array("http://o.test/\(number)".utf8)), isSoft: false)
        }
    }

    @Test func `a purge is there after a restart until its walk has ended`() throws {
        // Given a directory in which a process left a purge
        let left = bans(1)
        try withDirectory(leaving: left) { path in
            // When another one begins
            try withBook(path) { book, _ in
                // Then it goes on with that
                #expect(book.initialBans == left)
            }
        }
    }

    @Test func `more purges by rule than can be kept are refused, those of one image are not`() throws {
        // Given as many as can be kept
        try withDirectory(leaving: bans(PurgeBook.limit)) { path in
            try withBook(path) { book, shard in
                // When one more comes
                let refused = Waiting()
                book.order(.all, isSoft: true, loop: 0) { refused.tell($0) }
                // Then it is refused with a reason, and no shard hears of it
                guard case .failure(let failure)? = refused.outcome else {
                    Issue.record("it was not refused")
                    return
                }
                #expect(failure.answer.status == 503 && failure.answer.detail.contains("Too many purges"))
                #expect(shard.count == 0)
                let taken = Waiting()
                book.order(.url(Fixtures.key()), isSoft: false, loop: 0) { taken.tell($0) }
                let report = try taken.outcome?.get()
                #expect(report == PurgeReport(purged: 3, job: nil))
                #expect(shard.count == 1)
            }
        }
    }

    @Test func `an order is done with its last part`() {
        let done = Gate(count: 1)
        let order = PurgeOrder(bans(1)[0], parts: 3) { purged, isKept in
            #expect(purged == 5 && !isKept)
            done.open()
        }
        order.acknowledge(purged: 2)
        order.acknowledge(purged: 0, isKept: false)
        #expect(!done.wait(atMost: .zero))
        order.acknowledge(purged: 3)
        #expect(done.wait(atMost: .seconds(20)))
    }

    // MARK: Parts

    private func withDirectory(leaving bans: [Ban], _ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "/imagestore-bans-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let tier = try DiskTier(settings: DiskTierSettings(path: path, limitBytes: 1_000_000))
        let written = Gate(count: 1)
        tier.writeBans(BanCoding.encode(bans)) {
            #expect($0)
            written.open()
        }
        #expect(written.wait(atMost: .seconds(20)))
        tier.close()
        try body(path)
    }

    /// A book with one loop, whose shard acknowledges whatever comes.
    private func withBook(_ path: String, _ body: (PurgeBook, Tally) throws -> Void) throws {
        let tier = try DiskTier(settings: DiskTierSettings(path: path, limitBytes: 1_000_000))
        let loop = try EventLoop(index: 0)
        let tally = Tally()
        let serving = Mailbox<ServingMessage>(loop: loop) { message in
            if case .purged(let outcome, let completion) = message { completion(outcome) }
        }
        let shard = Mailbox<ShardMessage>(loop: loop) { message in
            guard case .purge(let order) = message else { return }
            tally.add()
            order.acknowledge(purged: 3)
        }
        let ports = ServicePorts(serving: [serving], shards: [shard], downloads: Mailbox(loop: loop) { _ in })
        try loop.start(name: "book")
        defer {
            loop.stop()
            loop.join()
            tier.close()
        }
        try body(PurgeBook(disk: tier, ports: ports, log: try Log(level: .error) { (_: [UInt8]) in }), tally)
    }
}

/// Counts on any thread.
private final class Tally: @unchecked Sendable {
    // SAFETY: the number is under the lock.
    private let lock = Lock()
    private var number = 0

    func add() { lock.withLock { number += 1 } }
    var count: Int { lock.withLock { number } }
}

/// The outcome of a purge that one thread waits for.
private final class Waiting: @unchecked Sendable {
    // SAFETY: the outcome is under the lock.
    private let lock = Lock()
    private let told = Gate(count: 1)
    private var value: PurgeOutcome?

    func tell(_ outcome: PurgeOutcome) {
        lock.withLock { value = outcome }
        told.open()
    }

    /// Waits for the outcome; nil if none comes.
    var outcome: PurgeOutcome? { told.wait(atMost: .seconds(20)) ? lock.withLock { value } : nil }
}
