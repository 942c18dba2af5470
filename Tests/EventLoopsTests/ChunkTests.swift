import EventLoops
import Testing

@Suite struct ChunkTests {
    private func contents(_ chunk: Chunk) -> [UInt8] { chunk.withBytes { $0.withUnsafeBytes { Array($0) } } }

    @Test func `a chunk takes what fits and says how much that was`() {
        let chunk = Chunk(capacity: 5)
        #expect(chunk.append([1, 2, 3].span) == 3)
        #expect(chunk.free == 2)
        #expect(chunk.append([4, 5, 6].span) == 2)
        #expect(chunk.append([7].span) == 0)
        #expect(contents(chunk) == [1, 2, 3, 4, 5])
        #expect(chunk.count == chunk.capacity)
    }

    @Test func `a range of the bytes can be read on its own`() {
        let chunk = Chunk([1, 2, 3, 4, 5])
        let range = chunk.withBytes(1..<3) { $0.withUnsafeBytes { Array($0) } }
        #expect(range == [2, 3])
        #expect(chunk.withBytes(5..<5) { $0.count } == 0)
    }

    @Test func `a system call may write straight into the free room`() {
        let chunk = Chunk(capacity: 4)
        _ = chunk.append([1].span)
        chunk.withMutableSpace { space in
            space.copyBytes(from: [2, 3])
            return space.count - 1
        }
        #expect(contents(chunk) == [1, 2, 3])
    }

    @Test func `an empty chunk has no bytes`() {
        #expect(contents(Chunk(capacity: 0)) == [])
        #expect(contents(Chunk([])) == [])
        #expect(Chunk(capacity: 0).append([1].span) == 0)
    }
}
