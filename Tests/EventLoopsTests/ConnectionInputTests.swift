import EventLoops
import Synchronization
import TestSupport
import Testing

/// Bytes on their way in, over loopback.
@Suite(.blocking, .timeLimit(.minutes(Patience.factor))) struct ConnectionInputTests {
    @Test(arguments: [1, 5, 1000, 60_000]) func `what comes in can go out again`(count: Int) throws {
        // Given
        let rig = try ServerRig { connection, bytes in
            connection.append(bytes.span)
            return bytes.count
        }
        defer { rig.stop() }
        let client = try rig.connect()
        let message = Pictures.bytes(.png, count: count)
        // When
        try client.write(message)
        // Then
        #expect(try client.read(exactly: count) == message)
        try client.write("x")
        #expect(try client.readText(1) == "x")
    }

    @Test func `what is not consumed comes again, with what came after it`() throws {
        // Given
        let rig = try ServerRig { _, bytes in bytes.count < 4 ? 0 : 4 }
        defer { rig.stop() }
        let client = try rig.connect()
        // When
        try client.write("ab")
        let peer = try rig.peer()
        try peer.wait("the first half") { $0.deliveries == ["ab"] }
        try client.write("cd")
        // Then
        try peer.wait("the second half") { $0.deliveries == ["ab", "abcd"] }
    }

    @Test func `pipelined input is kept while the reader is busy, and comes again when asked for`() throws {
        // Given
        let rig = try ServerRig { _, bytes in min(bytes.count, 4) }
        defer { rig.stop() }
        let client = try rig.connect()
        // When
        try client.write("GET1GET2GET3")
        let peer = try rig.peer()
        // Then
        try peer.wait("the first request") { $0.deliveries == ["GET1GET2GET3"] }
        try rig.on(peer) { $0.redeliver() }
        #expect(peer.facts.read { $0.deliveries } == ["GET1GET2GET3", "GET2GET3"])
        try rig.on(peer) { $0.redeliver() }
        #expect(peer.facts.read { $0.deliveries } == ["GET1GET2GET3", "GET2GET3", "GET3"])
        try rig.on(peer) { $0.redeliver() }
        #expect(peer.facts.read { $0.deliveries.count } == 3)
    }

    @Test func `asking for input again from inside of its delivery does nothing`() throws {
        // Given
        let rig = try ServerRig { connection, bytes in
            connection.redeliver()
            return bytes.count < 8 ? 0 : 8
        }
        defer { rig.stop() }
        let client = try rig.connect()
        // When
        try client.write("half")
        let peer = try rig.peer()
        try peer.wait("the first half") { $0.deliveries == ["half"] }
        try client.write("full")
        // Then
        try peer.wait("the second half") { $0.deliveries == ["half", "halffull"] }
    }

    @Test func `a client that sends on and on is held back while the reader is busy`() throws {
        // Given
        let isBusy = Monitor(true)
        let rig = try ServerRig { _, bytes in isBusy.read { $0 } ? 0 : bytes.count }
        defer { rig.stop() }
        let client = try rig.connect()
        let total = 4_000_000
        let writer = ScriptThread { try? client.write([UInt8](repeating: 7, count: total)) }
        let peer = try rig.peer()
        // When
        try peer.wait("a full buffer") { $0.largestDelivery >= 64 * 1024 }
        try rig.loop.run {}
        let largest = peer.facts.read { $0.largestDelivery }
        try rig.loop.run {}
        // Then
        #expect(largest <= 256 * 1024)
        isBusy.update { $0 = false }
        try rig.on(peer) { $0.redeliver() }
        try peer.wait("everything") { $0.consumed == total }
        #expect(writer.join())
    }

    @Test func `a client that has ended its side still gets what it asked for before`() throws {
        // Given
        let rig = try ServerRig { connection, bytes in
            connection.append("answer")
            return bytes.count
        }
        defer { rig.stop() }
        let client = try rig.connect()
        // When
        try client.write("ask")
        try rig.peer().wait("the question") { $0.consumed == 3 }
        client.finishWriting()
        // Then
        #expect(try client.readToEnd() == Array("answer".utf8))
        try rig.peer().wait("the end") { $0.ended == 1 }
    }
}
