import EventLoops
import TestSupport
import Testing

/// How a connection ends, seen from both sides.
@Suite(.blocking, .timeLimit(.minutes(Patience.factor))) struct ConnectionEndTests {
    enum End: CaseIterable, Sendable {
        case peerCloses, peerResets, closed, aborted, closedAfterSending, lingered, closedInDelivery, abortedInDelivery
    }

    @Test(arguments: End.allCases) func `the delegate learns of an end once`(end: End) throws {
        // Given
        let rig = try ServerRig { connection, bytes in
            if end == .closedInDelivery { connection.close() }
            if end == .abortedInDelivery { connection.abort() }
            return bytes.count
        }
        defer { rig.stop() }
        let client = try rig.connect()
        try client.write("ask")
        let peer = try rig.peer()
        try peer.wait("the question") { $0.consumed == 3 }
        // When
        switch end {
        case .peerCloses: client.close()
        case .peerResets: client.reset()
        case .closed: try rig.on(peer) { $0.close() }
        case .aborted: try rig.on(peer) { $0.abort() }
        case .closedAfterSending:
            try rig.on(peer) { connection in
                connection.closeAfterSending(lingering: false)
                connection.flush()
            }
        case .lingered:
            try rig.on(peer) { connection in
                connection.closeAfterSending(lingering: true)
                connection.flush()
            }
            client.close()
        case .closedInDelivery, .abortedInDelivery: break
        }
        // Then
        try peer.wait("the end") { $0.ended == 1 }
        try rig.on(peer) { connection in
            #expect(connection.isClosed)
            connection.append("too late")
            connection.flush()
            connection.redeliver()
            connection.close()
            connection.abort()
        }
        #expect(peer.facts.read { $0.ended } == 1)
    }

    @Test func `an abort is a reset for the client`() throws {
        // Given
        let rig = try ServerRig()
        defer { rig.stop() }
        let client = try rig.connect()
        try client.write("ask")
        // When
        try rig.on(rig.peer()) { $0.abort() }
        // Then
        #expect(client.isReset())
    }

    @Test func `closing after sending lets everything out first`() throws {
        // Given
        let body = [UInt8](repeating: 9, count: 16_000_000)
        let chunk = Chunk(body)
        let rig = try ServerRig { connection, bytes in
            connection.append(chunk, 0..<chunk.count, owner: chunk)
            connection.closeAfterSending(lingering: false)
            return bytes.count
        }
        defer { rig.stop() }
        let client = try rig.connect()
        // When
        try client.write("ask")
        try rig.peer().wait("the question") { $0.consumed == 3 }
        // Then
        #expect(try rig.peer().facts.read { $0.ended } == 0)
        #expect(try client.readToEnd() == body)
        try rig.peer().wait("the end") { $0.ended == 1 }
    }

    @Test func `lingering keeps the answer from being destroyed by input that nobody reads`() throws {
        // Given
        let rig = try ServerRig { connection, bytes in
            connection.append("bye")
            connection.closeAfterSending(lingering: true)
            return bytes.count
        }
        defer { rig.stop() }
        let client = try rig.connect()
        // When
        try client.write([UInt8](repeating: 1, count: 200_000))
        // Then
        #expect(try client.readToEnd() == Array("bye".utf8))
        let peer = try rig.peer()
        try rig.loop.run {}
        #expect(peer.facts.read { $0.ended } == 0)
        client.close()
        try peer.wait("the end") { $0.ended == 1 }
    }

    @Test func `a client that sends on and on is not listened to for ever`() throws {
        // Given
        let rig = try ServerRig { connection, bytes in
            connection.append("bye")
            connection.closeAfterSending(lingering: true)
            return bytes.count
        }
        defer { rig.stop() }
        let client = try rig.connect()
        // When
        let writer = ScriptThread {
            while (try? client.write([UInt8](repeating: 1, count: 10_000))) != nil {}
        }
        // Then
        try rig.peer().wait("the end") { $0.ended == 1 }
        #expect(writer.join())
    }

    @Test func `input after the last answer is not delivered`() throws {
        // Given
        let rig = try ServerRig { connection, bytes in
            connection.append("bye")
            connection.closeAfterSending(lingering: true)
            return 3
        }
        defer { rig.stop() }
        let client = try rig.connect()
        // When
        try client.write("oneTWO")
        #expect(try client.readToEnd() == Array("bye".utf8))
        try client.write("more")
        let peer = try rig.peer()
        try rig.loop.run {}
        try rig.on(peer) { $0.redeliver() }
        // Then
        #expect(peer.facts.read { $0.deliveries } == ["oneTWO"])
    }
}
