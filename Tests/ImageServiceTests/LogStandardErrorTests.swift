import EventLoops
import Glibc
import TestSupport
import Testing

struct LogStandardErrorTests {
    /// A pipe whose reader the test is.
    private final class Pipe {
        let reader: Int32
        let writer: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            (reader, writer) = (ends[0], ends[1])
            // What is not there is read as nothing.
            try #require(fcntl(reader, F_SETFL, O_NONBLOCK) == 0)
        }

        deinit {
            close(reader)
            close(writer)
        }

        func read(_ count: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let got = Glibc.read(reader, &bytes, count)
            return Array(bytes.prefix(max(0, got)))
        }
    }

    @Test func `all bytes arrive`() throws {
        let pipe = try Pipe()
        let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(StandardError(descriptor: pipe.writer).write(bytes))
        #expect(pipe.read(30_000) == bytes)
    }

    @Test func `a reader that stopped costs lines, not the writer, and a new line begins when it is back`() throws {
        let pipe = try Pipe()
        let output = StandardError(descriptor: pipe.writer)
        #expect(!output.write([UInt8](repeating: 0x78, count: 1 << 20)))
        let start = Instant.now()
        #expect(!output.write([0x79]))
        #expect(Instant.now() - start < Patience.stretched(.milliseconds(500)))
        while pipe.read(65_536).count == 65_536 {}
        #expect(output.write(Array("back\n".utf8)))
        #expect(pipe.read(100) == Array("\nback\n".utf8))
        #expect(output.write(Array("again\n".utf8)))
        #expect(pipe.read(100) == Array("again\n".utf8))
    }
}
