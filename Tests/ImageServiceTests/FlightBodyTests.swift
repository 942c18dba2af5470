import EventLoops
import Testing

@testable import ImageService

private func pattern(_ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(count))
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
}

/// Bytes as they arrive.
@Suite struct FlightBodyTests {
    @Test func `a body of declared length lies in one chunk and is never copied again`() {
        let bytes = pattern(5000)
        var body = FlightBody(declaredLength: 5000)
        for start in stride(from: 0, to: 5000, by: 700) { body.append(bytes[start..<min(start + 700, 5000)].span) }
        #expect(body.count == 5000)
        #expect(body.chunks.count == 1)
        #expect(body.joined() === body.chunks[0])
        #expect(body.joined().array == bytes)
    }

    @Test(arguments: [0, 1, 16_383, 16_384, 16_385, 100_000, 1_000_000])
    func `a body of unknown length grows in ever larger chunks`(count: Int) {
        let bytes = pattern(count)
        var body = FlightBody(declaredLength: nil)
        for start in stride(from: 0, to: count, by: 9_999) {
            body.append(bytes[start..<min(start + 9_999, count)].span)
        }
        #expect(body.count == count)
        #expect(body.joined().array == bytes)
        #expect(body.joined().capacity == count)
        #expect(body.chunks.dropLast().allSatisfy { $0.free == 0 })
        #expect(body.chunks.count <= 10)
        #expect(body.chunks.allSatisfy { $0.capacity <= 256 * 1024 })
    }

    @Test func `the first bytes lie in one piece for the sniffer`() {
        var body = FlightBody(declaredLength: nil)
        #expect(body.beginning == nil)
        let bytes = pattern(5000)
        for byte in bytes { body.append([byte].span) }
        #expect(body.beginning?.array == bytes)
    }

    @Test func `a body that was declared empty is empty`() {
        let body = FlightBody(declaredLength: 0)
        #expect(body.count == 0)
        #expect(body.joined().count == 0)
        #expect(body.beginning?.count == 0)
    }
}

/// A body as another loop knows it.
@Suite struct FollowedBodyTests {
    @Test func `a follower reads what it was told of, piece by piece`() throws {
        // Given
        var source = FlightBody(declaredLength: nil)
        var followed = FollowedBody()
        let bytes = pattern(300_000)
        var told = 0
        var read: [UInt8] = []
        // When
        for start in stride(from: 0, to: bytes.count, by: 7_001) {
            source.append(bytes[start..<min(start + 7_001, bytes.count)].span)
            followed.advance(BodyProgress(newChunks: Array(source.chunks[told...]), available: source.count))
            told = source.chunks.count
            while let piece = followed.piece(at: read.count, limit: .max) {
                read += piece.chunk.withBytes(piece.range) { bytes in bytes.withUnsafeBytes { Array($0) } }
            }
            #expect(read.count == source.count)
        }
        // Then
        #expect(read == bytes)
        #expect(followed.joined().array == bytes)
    }

    @Test func `a piece ends where the chunk, the limit or the bytes that are there end`() {
        var followed = FollowedBody()
        #expect(followed.piece(at: 0, limit: 10) == nil)
        let chunks = [Chunk(Array(0..<10)), Chunk(Array(10..<20)), Chunk(capacity: 10)]
        followed.advance(BodyProgress(newChunks: chunks, available: 15))
        let cases: [(offset: Int, limit: Int, chunk: Int?, range: Range<Int>)] = [
            (0, .max, 0, 0..<10), (3, .max, 0, 3..<10), (9, .max, 0, 9..<10), (10, .max, 1, 0..<5),
            (14, .max, 1, 4..<5),
            (15, .max, nil, 0..<0), (100, .max, nil, 0..<0), (3, 7, 0, 3..<7), (7, 7, nil, 0..<0), (12, 13, 1, 2..<3),
            (0, 0, nil, 0..<0),
        ]
        for wanted in cases {
            let piece = followed.piece(at: wanted.offset, limit: wanted.limit)
            #expect(piece?.chunk === wanted.chunk.map { chunks[$0] }, "at \(wanted.offset)")
            if wanted.chunk != nil { #expect(piece?.range == wanted.range, "at \(wanted.offset)") }
        }
    }

    @Test func `the end stays known once it was told`() {
        var followed = FollowedBody()
        followed.advance(BodyProgress(newChunks: [Chunk([1])], available: 1))
        #expect(followed.end == nil)
        followed.advance(BodyProgress(newChunks: [], available: 1, end: .failed(.originDNS)))
        followed.advance(BodyProgress(newChunks: [], available: 1))
        #expect(followed.end == .failed(.originDNS))
    }

    @Test func `a body in one full chunk is not copied`() {
        var followed = FollowedBody()
        let chunk = Chunk([1, 2, 3])
        followed.advance(BodyProgress(newChunks: [chunk], available: 3, end: .complete))
        #expect(followed.joined() === chunk)
        var partly = FollowedBody()
        let roomy = Chunk(capacity: 10)
        _ = roomy.append([1, 2].span)
        partly.advance(BodyProgress(newChunks: [roomy], available: 2, end: .complete))
        #expect(partly.joined().array == [1, 2])
        #expect(partly.joined().capacity == 2)
    }
}
