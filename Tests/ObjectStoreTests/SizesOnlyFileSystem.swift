import EventLoops
import Glibc

@testable import ObjectStore

/// A file system without a disk: it keeps the beginnings of files and takes the rest for zeros.
///
/// So the whole disk tier can run over gigabytes of traffic whose bodies are zeros. Descriptors are negative: closing
/// one does nothing.
final class SizesOnlyFileSystem: FileSystem, @unchecked Sendable {
    // SAFETY: all state is under the lock.
    private struct File {
        var beginning: [UInt8] = []
        var size = 0
        var links = 1
    }

    private let lock = Lock()
    private var files: [File] = []
    private var numbers: [String: Int] = [:]

    /// How many files have a name.
    var count: Int { lock.withLock { numbers.count } }

    func createDirectory(_: String) throws(FileError) {}
    func list(_: String) throws(FileError) -> [String] { [] }
    func directoryBytes(_: String) throws(FileError) -> Int { 0 }
    func synchronize(_: borrowing OpenFile) throws(FileError) {}
    func lock(_: String) throws(FileError) -> FileLock { FileLock(descriptor: -1) }
    func randomBits() -> UInt64 { 7 }

    func open(_ path: String, _ access: FileAccess) throws(FileError) -> OpenFile {
        let number: Int? = lock.withLock {
            if access == .createNew {
                files.append(File())
                numbers[path] = files.count - 1
            }
            return numbers[path]
        }
        guard let number else { throw FileError(.open, code: ENOENT) }
        return OpenFile(descriptor: Int32(-2 - number))
    }

    func status(of file: borrowing OpenFile) throws(FileError) -> FileStatus {
        let file = self.file(file)
        return FileStatus(
            sizeBytes: file.size, allocatedBytes: RecordLayout.allocation(of: file.size), isRegular: true,
            links: file.links)
    }

    func read(_ file: borrowing OpenFile, at offset: Int, count: Int) throws(FileError) -> [UInt8] {
        let file = self.file(file)
        let known = Array(file.beginning.dropFirst(offset).prefix(count))
        return known + [UInt8](repeating: 0, count: max(0, min(count, file.size - offset)) - known.count)
    }

    func read(
        _ file: borrowing OpenFile, at _: Int, count: Int, into chunk: Chunk
    ) throws(FileError) -> Int {
        chunk.appendZeros(count)
        return count
    }

    func readAtOnce(
        _ file: borrowing OpenFile, at offset: Int, count: Int, into chunk: Chunk
    ) throws(FileError) -> ImmediateRead {
        .read(try read(file, at: offset, count: count, into: chunk))
    }

    func residence(of _: borrowing OpenFile, at _: Int, count _: Int) throws(FileError) -> Residence { .unknown }

    func write(_ file: borrowing OpenFile, _ bytes: Span<UInt8>, at offset: Int) throws(FileError) {
        let number = Self.number(file)
        let beginning = offset == 0 ? bytes.withUnsafeBytes { [UInt8]($0) } : []
        let end = offset + bytes.count
        lock.withLock {
            if offset == 0 { files[number].beginning = beginning }
            files[number].size = max(files[number].size, end)
        }
    }

    func rename(_ path: String, to target: String) throws(FileError) {
        lock.withLock {
            unlink(target)
            numbers[target] = numbers.removeValue(forKey: path)
        }
    }

    func remove(_ path: String) throws(FileError) {
        guard lock.withLock({ unlink(path) }) else { throw FileError(.remove, code: ENOENT) }
    }

    @discardableResult
    private func unlink(_ path: String) -> Bool {
        guard let number = numbers.removeValue(forKey: path) else { return false }
        files[number].links = 0
        files[number].beginning = []
        return true
    }

    private func file(_ open: borrowing OpenFile) -> File {
        let number = Self.number(open)
        return lock.withLock { files[number] }
    }

    private static func number(_ file: borrowing OpenFile) -> Int { -2 - Int(file.descriptor) }
}

extension Chunk {
    /// Appends so many zeros.
    func appendZeros(_ count: Int) {
        withMutableSpace { space in
            guard let start = space.baseAddress else { return 0 }
            memset(start, 0, count)
            return count
        }
    }
}
