import Glibc
import Testing

@testable import EventLoops

struct BodyArenaTests {
    private let arena: BodyArena

    init() throws {
        arena = try #require(BodyArena())
    }

    @Test(arguments: [0, 1, BodyArena.smallestBody - 1, BodyArena.largestBody + 1])
    func `what is small or huge is left to the heap`(bytes: Int) {
        #expect(unsafe arena.take(bytes) == nil)
    }

    @Test(arguments: [BodyArena.smallestBody, 200_000, 1 << 20, (1 << 20) + 1, BodyArena.largestBody])
    func `a slot is written at its address and read in the file at its offset`(bytes: Int) throws {
        let (slot, base) = try #require(unsafe arena.take(bytes))
        defer { arena.giveBack(slot) }
        unsafe base.storeBytes(of: 0xAB, as: UInt8.self)
        unsafe (base + bytes - 1).storeBytes(of: 0xCD, as: UInt8.self)
        #expect(byte(at: slot.offset) == 0xAB)
        #expect(byte(at: slot.offset + bytes - 1) == 0xCD)
    }

    @Test func `slots do not overlap, in one segment or several`() throws {
        // Given: slots of all sizes, more than a segment holds
        var taken: [Range<Int>] = []
        for number in 0..<60 {
            let bytes = BodyArena.smallestBody << (number % 12)
            let (slot, _) = try #require(unsafe arena.take(bytes))
            taken.append(slot.offset..<slot.offset + bytes)
        }

        // Then
        taken.sort { $0.lowerBound < $1.lowerBound }
        for (one, next) in zip(taken, taken.dropFirst()) { #expect(one.upperBound <= next.lowerBound) }
        #expect((taken.last?.upperBound ?? 0) > 1 << 30)
    }

    @Test func `a slot that was given back is empty, and comes again`() throws {
        let (slot, base) = try #require(unsafe arena.take(300_000))
        unsafe memset(base, 0xEE, 300_000)
        let resident = residentBytes
        arena.giveBack(slot)
        #expect(residentBytes <= resident - 300_000)

        let (again, place) = try #require(unsafe arena.take(400_000))
        #expect(again.offset == slot.offset)
        #expect(unsafe place.load(as: UInt8.self) == 0)
    }

    @Test func `bytes that a socket has queued are not touched by the next body of the slot`() throws {
        // Given: a body that went into a socket, of which nothing was read
        var ends: [Int32] = [0, 0]
        #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let (slot, base) = try #require(unsafe arena.take(BodyArena.smallestBody))
        unsafe memset(base, 0x11, BodyArena.smallestBody)
        var offset = off_t(slot.offset)
        let sent = unsafe sendfile(ends[0], arena.descriptor, &offset, 60_000)
        #expect(sent > 0)

        // When: it is let go, and another one gets its slot
        arena.giveBack(slot)
        let (again, place) = try #require(unsafe arena.take(BodyArena.smallestBody))
        #expect(again.offset == slot.offset)
        unsafe memset(place, 0x22, BodyArena.smallestBody)

        // Then
        var received = [UInt8](repeating: 0, count: sent)
        #expect(unsafe recv(ends[1], &received, sent, Int32(MSG_WAITALL)) == sent)
        #expect(received.allSatisfy { $0 == 0x11 })
    }

    @Test func `a large chunk lies in the arena and counts whole pages`() {
        let chunk = Chunk(capacity: 100_000)
        chunk.withMutableSpace { _ in 100_000 }
        #expect(chunk.region(owner: chunk)?.count == 100_000)
        #expect(chunk.footprintBytes == 102_400)
        let small = Chunk([1, 2, 3])
        #expect(small.region(owner: small) == nil)
        #expect(small.footprintBytes == 3)
    }

    private var residentBytes: Int {
        var status = stat()
        #expect(unsafe fstat(arena.descriptor, &status) == 0)
        return Int(status.st_blocks) * 512
    }

    private func byte(at offset: Int) -> UInt8 {
        var byte: UInt8 = 0
        #expect(unsafe pread(arena.descriptor, &byte, 1, off_t(offset)) == 1)
        return byte
    }
}
