import CallCounts
import TestSupport
import Testing

/// What a hit in memory costs besides time: counts do not drift, so they have exact limits.
///
/// The service runs in this process, and the functions counted are interposed for the whole of it (`CallCounts`).
@Suite(.blocking, .enabled(if: call_counts_available() != 0, "sanitizers define malloc and its kin themselves"))
struct `A hit in memory` {
    private static let hits = 50

    /// What a hit may take from the heap.
    ///
    /// Code that is not optimised boxes iterators and closures of generic calls, 16 times a hit when this was written.
    /// Optimised it takes nothing: `swift test -c release -Xswiftc -enable-testing` holds it to that, and so does
    /// `make bench SCENARIO=counts`.
    private static var allowedAllocations: Int {
        #if DEBUG
        20
        #else
        0
        #endif
    }

    @Test func `takes nothing from the heap`() throws {
        // Given
        let counted = try CountedService(bodyBytes: 1_000)
        // When
        let cost = try counted.cost { try counted.hit(Self.hits) }
        // Then
        #expect(cost.allocations <= Self.hits * Self.allowedAllocations, "\(cost)")
    }

    @Test func `is one receive, one send and one wait, and wakes nobody`() throws {
        let counted = try CountedService(bodyBytes: 1_000)
        let cost = try counted.cost { try counted.hit(Self.hits) }
        #expect(cost.receives == Self.hits && cost.sends == Self.hits, "\(cost)")
        #expect(cost.waits <= Self.hits, "\(cost)")
        #expect(cost.reads == 0 && cost.writes == 0, "\(cost)")
    }

    @Test func `shares receive, send and wait with those pipelined beside it`() throws {
        let counted = try CountedService(bodyBytes: 1_000)
        let batch = 16
        let requests = String(repeating: counted.request, count: batch)
        let cost = try counted.cost {
            for _ in 0..<5 {
                try counted.client.send(requests)
                for _ in 0..<batch { _ = try counted.client.readAnswer() }
            }
        }
        #expect(cost.receives == 5 && cost.sends == 5 && cost.waits <= 5, "\(cost)")
        #expect(cost.allocations <= 5 * batch * Self.allowedAllocations, "\(cost)")
    }

    @Test func `shares the wait with those that ask on other connections`() throws {
        let counted = try CountedService(bodyBytes: 1_000)
        let clients = try (0..<8).map { _ in try counted.service.connect() }
        func ask(_ clients: [ScriptedClient]) throws {
            try counted.whileLoopStands { for client in clients { try client.send(counted.request) } }
            for client in clients { _ = try client.readAnswer() }
        }
        try ask(clients)
        // What it costs to make the loop stand still is no part of a hit.
        let alone = try counted.cost { try ask([]) }
        let cost = try counted.cost { try ask(clients) }
        #expect(cost.receives == clients.count && cost.sends == clients.count, "\(cost)")
        #expect(cost.waits - alone.waits <= 2, "\(cost) beside \(alone)")
    }

    @Test func `copies nothing of the body`() throws {
        let counted = try CountedService(bodyBytes: 200_000)
        let cost = try counted.cost { try counted.hit(10) }
        // The head is copied, and what changes from answer to answer, by way of some buffers.
        #expect(cost.copiedBytes < 10 * 2_000, "\(cost)")
    }
}
