import CallCounts
import TestSupport
import Testing

/// What the other answers cost that need neither the origin nor a worker.
@Suite(.blocking, .enabled(if: call_counts_available() != 0, "sanitizers define malloc and its kin themselves"))
struct `A hit that is not the plainest` {
    private static let hits = 50

    @Test func `on disk is one receive, one read of the file and one send, and wakes nobody`() throws {
        // Given
        let counted = try CountedService(bodyBytes: 1_000, in: .disk)
        // When
        let cost = try counted.cost { try counted.hit(Self.hits) }
        // Then
        #expect(cost.receives == Self.hits && cost.sends == Self.hits, "\(cost)")
        #expect(cost.fileReads == Self.hits && cost.waits <= Self.hits, "\(cost)")
        #expect(cost.reads == 0 && cost.writes == 0, "\(cost)")
    }

    @Test func `answered 304 is one receive and one send, and wakes nobody`() throws {
        let counted = try CountedService(bodyBytes: 1_000, isNotModified: true)
        let cost = try counted.cost { try counted.hit(Self.hits) }
        #expect(cost.receives == Self.hits && cost.sends == Self.hits && cost.waits <= Self.hits, "\(cost)")
        #expect(cost.reads == 0 && cost.writes == 0 && cost.fileReads == 0, "\(cost)")
    }
}
