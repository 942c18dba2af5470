import CallCounts
import ServiceHarness
import TestSupport
import Testing

/// A service with one loop and one image in one of its tiers, and what that loop asks of the allocator and of the kernel.
final class CountedService {
    let service: TestService
    let client: ScriptedClient
    /// The request for the image, as it is sent.
    let request: String
    private let origin: ScriptedOrigin
    private let url: String
    private let counts: UnsafePointer<call_counts>

    /// How often a measurement is repeated: what a timer of the loop does then shows in one of them at most.
    private static let rounds = 6

    /// Where the image is.
    enum Tier { case memory, disk }

    /// Starts the service and asks until nothing changes any more from one answer to the next.
    ///
    /// - Parameters:
    ///   - isNotModified: whether requests name the image's tag, so that the answer is 304.
    init(bodyBytes: Int, in tier: Tier = .memory, isNotModified: Bool = false) throws {
        origin = try ScriptedOrigin.pictures(bytes: bodyBytes)
        service = try TestService {
            $0.loops = 1
            if tier == .memory { $0.diskCacheLimit = 0 } else { $0.cacheLimit = 0 }
        }
        url = origin.url("/a.png")
        let first = try service.get(url: url)
        #expect(first.isImage(ScriptedOrigin.picture(for: "/a.png", bytes: bodyBytes).body))
        if tier == .disk { #expect(try service.waitForDiskObjects(1)) }
        let condition = isNotModified ? "If-None-Match: \(try #require(first["ETag"]))\r\n" : ""
        request = "GET /image?url=\(percentEncoded(url)) HTTP/1.1\r\nHost: imagestore.test\r\n\(condition)\r\n"
        client = try service.connect()
        // The second request fills the alias table or opens the file, the rest give every buffer its room.
        for _ in 0..<8 {
            try client.send(request)
            let answer = try client.readAnswer()
            #expect(answer.status == (isNotModified ? 304 : 200))
            #expect(answer.cacheStatus.hasSuffix("detail=\(tier)"), "\(answer)")
        }
        let address = try service.onLoop(of: url) { UInt(bitPattern: call_counts_of_this_thread()) }
        counts = try #require(UnsafePointer(bitPattern: address))
    }

    /// Asks `count` times, one after the other, on the one connection.
    func hit(_ count: Int) throws {
        for _ in 0..<count {
            try client.send(request)
            _ = try client.readAnswer()
        }
    }

    /// Lets the loop stand still while `body` runs.
    func whileLoopStands(_ body: () throws -> Void) throws {
        try service.whileLoopStands(of: url, body)
    }

    /// What the loop does while `body` runs and until it rests again: of each kind the least of some rounds.
    func cost(of body: () throws -> Void) throws -> LoopCost {
        var least: LoopCost?
        for _ in 0..<Self.rounds {
            let before = restingCounts()
            try body()
            let cost = LoopCost(from: before, to: restingCounts())
            least = least.map { $0.least(cost) } ?? cost
        }
        return try #require(least)
    }

    /// Reads the counts once they stand still: an answer is there before the loop has gone back to sleep.
    private func restingCounts() -> call_counts {
        var last = call_counts_read(counts)
        while true {
            pause(.milliseconds(3))
            let next = call_counts_read(counts)
            if next.waits == last.waits, next.allocations == last.allocations { return next }
            last = next
        }
    }
}

/// What a loop did between two moments.
struct LoopCost: Equatable {
    var allocations: Int
    var receives: Int
    var sends: Int
    var waits: Int
    /// Of its eventfd: it was woken by another thread.
    var reads: Int
    /// Of eventfds: it woke another thread.
    var writes: Int
    /// Of files, by whatever call.
    var fileReads: Int
    var copiedBytes: Int

    init(from before: call_counts, to after: call_counts) {
        allocations = Int(after.allocations - before.allocations)
        receives = Int(after.receives - before.receives)
        sends = Int(after.sends - before.sends)
        waits = Int(after.waits - before.waits)
        reads = Int(after.reads - before.reads)
        writes = Int(after.writes - before.writes)
        fileReads = Int(after.file_reads + after.file_sends - before.file_reads - before.file_sends)
        copiedBytes = Int(after.copied_bytes - before.copied_bytes)
    }

    func least(_ other: LoopCost) -> LoopCost {
        var least = self
        for field in [
            \LoopCost.allocations, \.receives, \.sends, \.waits, \.reads, \.writes, \.fileReads, \.copiedBytes,
        ] { least[keyPath: field] = min(self[keyPath: field], other[keyPath: field]) }
        return least
    }
}

extension ScriptedOrigin {
    /// An origin that has a fresh picture of so many bytes at every target.
    static func pictures(bytes: Int) throws -> ScriptedOrigin {
        let origin = try ScriptedOrigin()
        origin.otherwise {
            picture(for: $0.target, bytes: bytes).header("Cache-Control", "max-age=3600").header("ETag", "\"one\"")
        }
        return origin
    }
}
