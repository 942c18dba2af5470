import EventLoops
import Glibc
import TestSupport
import Testing

@Suite(.blocking, .timeLimit(.minutes(Patience.factor))) struct ListenerTests {
    @Test func `each connection is handed over once`() throws {
        // Given
        let rig = try ServerRig { connection, bytes in
            connection.append(bytes.span)
            return bytes.count
        }
        defer { rig.stop() }
        // When
        let answers = try clients(20) { number in
            let client = try rig.connect()
            try client.write("client \(number)")
            return try client.readText("client \(number)".utf8.count)
        }
        // Then
        #expect(answers == (0..<20).map { "client \($0)" })
        #expect(rig.accepted == 20)
    }

    @Test func `closing takes what the kernel has queued, and refuses what comes later`() throws {
        // Given
        let rig = try ServerRig { connection, bytes in
            connection.append("served")
            return bytes.count
        }
        defer { rig.stop() }
        // When
        let queued = try rig.loop.run {
            // The loop is here, so the kernel queues.
            let queued = Result { try (0..<2).map { _ in try rig.connect() } }
            rig.listener.value?.close()
            return queued
        }.get()
        // Then
        #expect(rig.accepted == 2)
        for client in queued {
            try client.write("ask")
            #expect(try client.readText(6) == "served")
        }
        #expect(throws: ScriptFailure.system(call: "connect", code: ECONNREFUSED)) { try rig.connect() }
        try rig.loop.run { rig.listener.value?.close() }
    }

    @Test func `a Unix socket serves, and its file goes with the listener`() throws {
        // Given
        let directory = try TemporaryDirectory()
        let rig = try ServerRig(at: "unix:\(directory.path)/s") { connection, bytes in
            connection.append(bytes.span)
            return bytes.count
        }
        defer { rig.stop() }
        // When
        let client = try rig.connect()
        try client.write("hello")
        // Then
        #expect(try client.readText(5) == "hello")
        #expect(directory.files() == ["s"])
        try rig.loop.run { rig.listener.value?.close() }
        #expect(directory.files() == [])
    }
}
