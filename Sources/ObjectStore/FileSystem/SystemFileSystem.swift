import CSystem
import EventLoops
import Glibc

/// The real file system.
///
/// The only file of this target with calls to it.
public struct SystemFileSystem: FileSystem {
    /// The real file system; it has no state.
    public init() {}

    /// `mkdir`; see `FileSystem`.
    public func createDirectory(_ path: String) throws(FileError) {
        guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw FileError(.createDirectory, code: errno)
    }

    /// `opendir`, `readdir`.
    public func list(_ path: String) throws(FileError) -> [String] {
        guard let directory = unsafe opendir(path) else { throw FileError(.list, code: errno) }
        defer { _ = unsafe closedir(directory) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(directory) else { break }
            let name = unsafe Self.name(of: entry)
            if name != "." && name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw FileError(.list, code: errno) }
        return names
    }

    /// `open`, never following a link nor waiting for a pipe.
    public func open(_ path: String, _ access: FileAccess) throws(FileError) -> OpenFile {
        let always = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor =
            switch access {
            case .read: unsafe Glibc.open(path, O_RDONLY | always)
            case .readWrite: unsafe Glibc.open(path, O_RDWR | always)
            case .createNew: unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | always, 0o600)
            }
        guard descriptor >= 0 else { throw FileError(access == .createNew ? .create : .open, code: errno) }
        return OpenFile(descriptor: descriptor)
    }

    /// `fstat`.
    public func status(of file: borrowing OpenFile) throws(FileError) -> FileStatus {
        var facts = stat()
        guard unsafe fstat(file.descriptor, &facts) == 0 else { throw FileError(.status, code: errno) }
        return FileStatus(
            sizeBytes: Int(facts.st_size), allocatedBytes: Int(facts.st_blocks) * 512,
            isRegular: facts.st_mode & S_IFMT == S_IFREG, links: Int(facts.st_nlink),
            modified: Int64(facts.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_mtim.tv_nsec))
    }

    /// `stat`.
    public func directoryBytes(_ path: String) throws(FileError) -> Int {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { throw FileError(.status, code: errno) }
        return Int(facts.st_blocks) * 512
    }

    /// `pread` into a new array.
    public func read(_ file: borrowing OpenFile, at offset: Int, count: Int) throws(FileError) -> [UInt8] {
        let descriptor = file.descriptor
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { space, filled in
            let result = unsafe Self.readAll(descriptor, UnsafeMutableRawBufferPointer(space), at: offset)
            failure = result.code
            filled = result.count
        }
        guard failure == 0 else { throw FileError(.read, code: failure) }
        return bytes
    }

    /// `pread` into a chunk, without a copy.
    public func read(
        _ file: borrowing OpenFile, at offset: Int, count: Int, into chunk: Chunk
    ) throws(FileError) -> Int {
        let descriptor = file.descriptor
        var result: (count: Int, code: Int32) = (0, 0)
        unsafe chunk.withMutableSpace { space in
            let wanted = unsafe UnsafeMutableRawBufferPointer(rebasing: space.prefix(count))
            result = unsafe Self.readAll(descriptor, wanted, at: offset)
            return result.count
        }
        guard result.code == 0 else { throw FileError(.read, code: result.code) }
        return result.count
    }

    /// `preadv2` with `RWF_NOWAIT`.
    public func readAtOnce(
        _ file: borrowing OpenFile, at offset: Int, count: Int, into chunk: Chunk
    ) throws(FileError) -> ImmediateRead {
        let descriptor = file.descriptor
        var result = 0
        var code: Int32 = 0
        unsafe chunk.withMutableSpace { space in
            var vector = unsafe iovec(iov_base: space.baseAddress, iov_len: min(count, space.count))
            repeat {
                result = unsafe csystem_preadv2_nowait(descriptor, &vector, 1, off_t(offset))
                code = result < 0 ? errno : 0
            } while code == EINTR
            return max(result, 0)
        }
        switch code {
        case 0: return .read(result)
        case EAGAIN: return .wouldWait
        case EOPNOTSUPP, ENOSYS, EINVAL: return .unsupported
        default: throw FileError(.read, code: code)
        }
    }

    /// `cachestat`; unknown before Linux 6.5, where a filter forbids it, and for files of others.
    public func residence(of file: borrowing OpenFile, at offset: Int, count: Int) throws(FileError) -> Residence {
        guard offset >= 0, count > 0 else { return .whole }
        var range = csystem_cachestat_range(offset: UInt64(offset), length: UInt64(count))
        var pages = csystem_cachestat()
        guard unsafe csystem_cachestat(file.descriptor, &range, &pages) == 0 else {
            switch errno {
            case ENOSYS, EOPNOTSUPP, EPERM, EINVAL: return .unknown
            case let code: throw FileError(.read, code: code)
            }
        }
        let needed = (offset + count - 1) / Self.pageBytes - offset / Self.pageBytes + 1
        return pages.cached >= UInt64(needed) ? .whole : .partial
    }

    private static let pageBytes = max(1, sysconf(Int32(_SC_PAGESIZE)))

    /// `pwrite`, until all is written.
    public func write(_ file: borrowing OpenFile, _ bytes: Span<UInt8>, at offset: Int) throws(FileError) {
        let descriptor = file.descriptor
        let code = unsafe bytes.withUnsafeBytes { buffer in
            unsafe Self.writeAll(descriptor, buffer, at: offset)
        }
        guard code == 0 else { throw FileError(.write, code: code) }
    }

    /// `pwritev`, then `pwrite` for what it left.
    public func write(
        _ file: borrowing OpenFile, _ beginning: Span<UInt8>, then rest: Span<UInt8>
    ) throws(FileError) {
        let descriptor = file.descriptor
        let code = unsafe beginning.withUnsafeBytes { first in
            unsafe rest.withUnsafeBytes { second in unsafe Self.writeAll(descriptor, first, second) }
        }
        guard code == 0 else { throw FileError(.write, code: code) }
    }

    /// `fsync`.
    public func synchronize(_ file: borrowing OpenFile) throws(FileError) {
        guard fsync(file.descriptor) == 0 else { throw FileError(.synchronize, code: errno) }
    }

    /// `rename`.
    public func rename(_ path: String, to target: String) throws(FileError) {
        guard unsafe Glibc.rename(path, target) == 0 else { throw FileError(.rename, code: errno) }
    }

    /// `unlink`.
    public func remove(_ path: String) throws(FileError) {
        guard unsafe unlink(path) == 0 else { throw FileError(.remove, code: errno) }
    }

    /// `open` and `flock`; the lock goes with the descriptor.
    public func lock(_ path: String) throws(FileError) -> FileLock {
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw FileError(.create, code: errno) }
        let held = FileLock(descriptor: descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw FileError(.lock, code: errno) }
        return held
    }

    /// `getrandom`, by way of the standard library.
    public func randomBits() -> UInt64 {
        UInt64.random(in: .min ... .max)
    }

    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
            unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
        }
    }

    /// Reads until the space is full, the file ends, or a call fails; interrupted calls are repeated.
    private static func readAll(
        _ descriptor: Int32, _ space: UnsafeMutableRawBufferPointer, at offset: Int
    ) -> (count: Int, code: Int32) {
        var done = 0
        while done < space.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: space[done...])
            let result = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
            if result < 0 && errno == EINTR { continue }
            guard result >= 0 else { return (done, errno) }
            guard result > 0 else { break }
            done += result
        }
        return (done, 0)
    }

    /// Writes two pieces one behind the other; whatever the one call for both leaves is written piece by piece.
    private static func writeAll(
        _ descriptor: Int32, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
    ) -> Int32 {
        let vectors = unsafe [first, second].map {
            unsafe iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
        }
        let done = max(unsafe pwritev(descriptor, vectors, 2, 0), 0)
        if done < first.count {
            let code = unsafe writeAll(
                descriptor, UnsafeRawBufferPointer(rebasing: first[done...]), at: done)
            guard code == 0 else { return code }
        }
        let begun = max(done - first.count, 0)
        return unsafe writeAll(
            descriptor, UnsafeRawBufferPointer(rebasing: second[begun...]), at: first.count + begun)
    }

    /// Writes all, or says why not; a write of nothing counts as a full disk.
    private static func writeAll(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
        var done = 0
        while done < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
            let result = unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
            if result < 0 && errno == EINTR { continue }
            guard result >= 0 else { return errno }
            guard result > 0 else { return ENOSPC }
            done += result
        }
        return 0
    }
}
