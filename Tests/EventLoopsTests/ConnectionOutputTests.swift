import EventLoops
import TestSupport
import Testing

/// Bytes on their way out, over loopback, to readers of every speed.
@Suite(.blocking, .timeLimit(.minutes(Patience.factor))) struct ConnectionOutputTests {
    /// More than the kernel keeps for a reader that does not read; each block differs from the others.
    private static let body: [UInt8] = {
        var bytes: [UInt8] = []
        for block in 0..<512 {
            bytes += [UInt8(block & 0xFF), UInt8(block >> 8)] + [UInt8](repeating: UInt8(block & 0x7F), count: 32_766)
        }
        return bytes
    }()

    @Test func `a large body goes out by reference at the pace of a slow reader`() throws {
        // Given
        let isGone = Monitor(false)
        let chunk = Chunk(Self.body)
        let rig = try ServerRig { connection, bytes in
            connection.append("head ")
            connection.append(chunk, 0..<chunk.count, owner: Farewell(isGone))
            connection.append(" tail")
            return bytes.count
        }
        defer { rig.stop() }
        let client = try rig.connect()
        // When
        try client.write("ask")
        let peer = try rig.peer()
        try peer.wait("the question") { $0.consumed == 3 }
        // Then
        #expect(try rig.on(peer) { $0.unsentBytes } ?? 0 > 0)
        #expect(!isGone.read { $0 })
        #expect(peer.facts.read { $0.drained } == 0)
        #expect(try client.readText(5) == "head ")
        #expect(try client.read(exactly: Self.body.count) == Self.body)
        #expect(try client.readText(5) == " tail")
        try peer.wait("the last byte") { $0.drained == 1 }
        #expect(isGone.wait { $0 })
        #expect(try rig.on(peer) { $0.unsentBytes } == 0)
        #expect(peer.facts.read { $0.drained } == 1)
    }

    @Test func `what is appended behind a backlog keeps its place`() throws {
        // Given
        let chunk = Chunk(Self.body)
        let small = Chunk(Array("0123456789".utf8))
        let rig = try ServerRig { connection, bytes in
            connection.append(chunk, 0..<chunk.count, owner: chunk)
            return bytes.count
        }
        defer { rig.stop() }
        let client = try rig.connect()
        try client.write("ask")
        let peer = try rig.peer()
        try peer.wait("the question") { $0.consumed == 3 }
        // When
        try rig.on(peer) { connection in
            connection.append("[")
            connection.append(small, 2..<5, owner: small)
            connection.append(small, 5..<5, owner: small)
            connection.append("]")
            connection.flush()
        }
        try rig.on(peer) { connection in
            connection.append("end")
            connection.flush()
        }
        // Then
        #expect(try client.read(exactly: Self.body.count) == Self.body)
        #expect(try client.readText(8) == "[234]end")
    }

    @Test func `more pieces than one call takes arrive in order`() throws {
        // Given
        let rig = try ServerRig { connection, bytes in
            for number in 0..<2000 {
                let piece = Chunk(Array("<\(number)>".utf8))
                connection.append(piece, 0..<piece.count, owner: piece)
                connection.append(",")
            }
            return bytes.count
        }
        defer { rig.stop() }
        let client = try rig.connect()
        let expected = (0..<2000).map { "<\($0)>," }.joined()
        // When
        try client.write("ask")
        // Then
        #expect(try client.readText(expected.utf8.count) == expected)
    }

    @Test(arguments: [64 * 1024, 64 * 1024 + 1, 300_000]) func `copied bytes may be more than the loop lends`(
        count: Int
    ) throws {
        // Given
        let answer = Pictures.bytes(.png, count: count)
        let rig = try ServerRig { connection, bytes in
            connection.append("head")
            connection.append(answer.span)
            connection.append("tail")
            return bytes.count
        }
        defer { rig.stop() }
        let client = try rig.connect()
        // When
        try client.write("ask")
        // Then
        #expect(try client.readText(4) == "head")
        #expect(try client.read(exactly: count) == answer)
        #expect(try client.readText(4) == "tail")
    }

    @Test func `a reader that goes away frees what it did not read`() throws {
        // Given
        let isGone = Monitor(false)
        let chunk = Chunk(Self.body)
        let rig = try ServerRig { connection, bytes in
            connection.append(chunk, 0..<chunk.count, owner: Farewell(isGone))
            return bytes.count
        }
        defer { rig.stop() }
        let client = try rig.connect()
        try client.write("ask")
        let peer = try rig.peer()
        try peer.wait("the question") { $0.consumed == 3 }
        // When
        client.reset()
        // Then
        try peer.wait("the end") { $0.ended == 1 }
        #expect(isGone.wait { $0 })
        #expect(peer.facts.read { $0.drained } == 0)
    }

    @Test func `a reader that has ended its own side gets the whole answer`() throws {
        // Given
        let chunk = Chunk(Self.body)
        let rig = try ServerRig { connection, bytes in
            connection.append(chunk, 0..<chunk.count, owner: chunk)
            return bytes.count
        }
        defer { rig.stop() }
        let client = try rig.connect()
        try client.write("ask")
        let peer = try rig.peer()
        try peer.wait("the question") { $0.consumed == 3 }
        // When
        client.finishWriting()
        // Then
        let answer = try client.readToEnd()
        #expect(answer.count == Self.body.count)
    }
}
