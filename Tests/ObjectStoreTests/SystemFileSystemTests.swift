import Foundation
import Glibc
import Testing

@testable import ObjectStore

struct `The real file system` {
    @Test(arguments: [(0, 0), (0, 9), (2048, 0), (2048, 20_480), (3, 3_000_000)])
    func `writes a beginning and the rest behind it`(beginning: Int, rest: Int) throws {
        // Given a new file
        let path = NSTemporaryDirectory() + "/imagestore-write-" + UUID().uuidString
        defer { _ = unlink(path) }
        let first = (0..<beginning).map { UInt8(truncatingIfNeeded: $0) }
        let second = (0..<rest).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
        let files = SystemFileSystem()

        // When both are written at once
        do {
            let file = try files.open(path, .createNew)
            try files.write(file, first.span, then: second.span)
        }

        // Then the file holds one behind the other
        #expect(FileManager.default.contents(atPath: path).map { [UInt8]($0) } == first + second)
    }

    @Test
    func `reports a full disk when both are written at once`() throws {
        // Given a file that has no room
        let files = SystemFileSystem()
        let file = OpenFile(descriptor: Glibc.open("/dev/full", O_WRONLY))
        let (first, second): ([UInt8], [UInt8]) = ([1, 2, 3], [4, 5])

        // Then the write fails with that code
        #expect(throws: FileError(.write, code: ENOSPC)) {
            try files.write(file, first.span, then: second.span)
        }
    }
}
