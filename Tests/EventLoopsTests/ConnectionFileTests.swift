import EventLoops
import Glibc
import TestSupport
import Testing

/// Parts of files on their way out, over loopback, to readers of every speed.
@Suite(.blocking, .timeLimit(.minutes(Patience.factor))) struct ConnectionFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// More than the kernel keeps for a reader that does not read; each block differs from the others.
    private static let large: [UInt8] = {
        var bytes: [UInt8] = []
        for block in 0..<512 {
            bytes += [UInt8(block & 0xFF), UInt8(block >> 8)] + [UInt8](repeating: UInt8(block & 0x7F), count: 32_766)
        }
        return bytes
    }()

    /// A file of these bytes; the region leaves the first and the last ten out.
    private func region(_ bytes: [UInt8]) throws -> FileRegion {
        let edge = [UInt8](repeating: 255, count: 10)
        try directory.write(edge + bytes + edge, to: "body")
        let file = try ReadableFile("\(directory.path)/body")
        return FileRegion(descriptor: file.descriptor, offset: 10, count: bytes.count, owner: file)
    }

    private func rig(_ script: @escaping @Sendable (Connection) -> Void) throws -> ServerRig {
        try ServerRig { connection, bytes in
            script(connection)
            return bytes.count
        }
    }

    @Test(arguments: [1, 4096, 300_000])
    func `a file leaves between what comes before and after it`(count: Int) throws {
        // Given
        let body = Pictures.bytes(.png, count: count)
        let region = try region(body)
        let rig = try rig { connection in
            connection.append("head ")
            connection.append(region, 0..<count)
            connection.append(" tail")
        }
        defer { rig.stop() }
        let client = try rig.connect()
        // When
        try client.write("ask")
        // Then
        #expect(try client.readText(5) == "head ")
        #expect(try client.read(exactly: count) == body)
        #expect(try client.readText(5) == " tail")
    }

    @Test func `a slow reader gets every byte, and the file stays open as long`() throws {
        // Given
        let isGone = Monitor(false)
        let held = Monitor<FileRegion?>(try watched(region(Self.large), isGone))
        let rig = try rig { connection in
            guard let region = held.update({ $0.take() }) else { return }
            connection.append("head ")
            connection.append(region, 0..<region.count)
            connection.append(" tail")
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
        #expect(try client.readText(5) == "head ")
        #expect(try client.read(exactly: Self.large.count) == Self.large)
        #expect(try client.readText(5) == " tail")
        try peer.wait("the last byte") { $0.drained == 1 }
        #expect(isGone.wait { $0 })
        #expect(try rig.on(peer) { $0.unsentBytes } == 0)
    }

    @Test func `one turn of the loop sends no reader more than its share`() throws {
        // Given: a reader that takes whatever comes.
        let region = try region(Self.large)
        let rig = try rig { $0.append(region, 0..<region.count) }
        defer { rig.stop() }
        let client = try rig.connect()
        let peer = try rig.peer()
        // When
        let unsent = try rig.on(peer) { connection in
            connection.append(region, 0..<region.count)
            return connection.unsentBytes
        }
        // Then
        #expect(unsent ?? 0 >= region.count - 256 * 1024)
        try rig.on(peer) { $0.flush() }
        #expect(try client.read(exactly: Self.large.count) == Self.large)
    }

    @Test func `parts of files and of memory keep their order, however many`() throws {
        // Given
        let body = Pictures.bytes(.png, count: 70_000)
        let region = try region(body)
        let chunk = Chunk(body)
        let rig = try rig { connection in
            for number in 0..<200 {
                connection.append("<\(number)>")
                connection.append(region, number..<(number + 60_000))
                connection.append(chunk, number..<(2 * number), owner: chunk)
                connection.append(region, number..<number)
                connection.append(region, number..<(number + 1))
            }
        }
        defer { rig.stop() }
        let client = try rig.connect()
        var expected: [UInt8] = []
        for number in 0..<200 {
            expected += Array("<\(number)>".utf8)
            expected += body[number..<(number + 60_000)]
            expected += body[number..<(2 * number)]
            expected.append(body[number])
        }
        // When
        try client.write("ask")
        // Then
        #expect(try client.read(exactly: expected.count) == expected)
    }

    @Test func `a file that was cut ends the connection by a reset`() throws {
        // Given
        let region = try region(Self.large)
        let rig = try rig { $0.append(region, 0..<region.count) }
        defer { rig.stop() }
        let client = try rig.connect()
        try client.write("ask")
        let peer = try rig.peer()
        try peer.wait("the question") { $0.consumed == 3 }
        // When
        #expect(truncate("\(directory.path)/body", 5_000_000) == 0)
        // Then
        #expect(throws: ScriptFailure.self) { try client.readToEnd() }
        try peer.wait("the end") { $0.ended == 1 }
        #expect(peer.facts.read { $0.drained } == 0)
    }

    @Test func `a reader that goes away lets the file go`() throws {
        // Given
        let isGone = Monitor(false)
        let held = Monitor<FileRegion?>(try watched(region(Self.large), isGone))
        let rig = try rig { connection in
            guard let region = held.update({ $0.take() }) else { return }
            connection.append(region, 0..<region.count)
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
    }

    @Test func `a large body in memory leaves in shares too`() throws {
        // Given
        let chunk = Chunk(Self.large)
        let rig = try rig { _ in }
        defer { rig.stop() }
        let client = try rig.connect()
        let peer = try rig.peer()
        // When
        let unsent = try rig.on(peer) { connection in
            connection.append("head ")
            connection.append(chunk, 0..<chunk.count, owner: chunk)
            connection.append(" tail")
            connection.flush()
            return connection.unsentBytes
        }
        // Then
        #expect(unsent ?? 0 >= chunk.count - 256 * 1024)
        #expect(try client.readText(5) == "head ")
        #expect(try client.read(exactly: Self.large.count) == Self.large)
        #expect(try client.readText(5) == " tail")
    }

    /// The same region, whose end can be waited for.
    private func watched(_ region: FileRegion, _ isGone: Monitor<Bool>) throws -> FileRegion {
        let file = try ReadableFile("\(directory.path)/body", farewell: Farewell(isGone))
        return FileRegion(descriptor: file.descriptor, offset: 10, count: region.count, owner: file)
    }
}

/// A file that is open as long as the value lives.
private final class ReadableFile: Sendable {
    let descriptor: Int32
    private let farewell: Farewell?

    init(_ path: String, farewell: Farewell? = nil) throws {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        self.farewell = farewell
        guard descriptor >= 0 else { throw ScriptFailure.system(call: "open \(path)", code: errno) }
    }

    deinit { close(descriptor) }
}
