import Glibc

/// A directory of its own for one test, removed with everything in it when the value goes.
public final class TemporaryDirectory: Sendable {
    /// The absolute path, without a slash at the end.
    public let path: String

    /// Makes an empty directory.
    public init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/imagestore-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ScriptFailure.system(call: "mkdtemp", code: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? remove("") }

    // MARK: Looking

    /// The paths below it, directories included, relative and sorted.
    public func files() -> [String] { entries(below: "").map(\.path).sorted() }

    /// The paths of what is no directory below it, relative and sorted.
    public func plainFiles() -> [String] { entries(below: "").filter { !$0.isDirectory }.map(\.path).sorted() }

    /// What the plain files take on the disk, in allocated blocks, as `du` counts.
    public func allocatedBytes() -> Int { plainFiles().reduce(0) { $0 + allocatedBytes(of: $1) } }

    /// What one file takes on the disk, in allocated blocks; 0 when it is not there.
    public func allocatedBytes(of name: String) -> Int {
        Self.status(of: absolute(name)).map { Int($0.st_blocks) * 512 } ?? 0
    }

    /// The bytes of a file; nil when it is not there.
    public func read(_ name: String) -> [UInt8]? {
        let file = open(absolute(name), O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += buffer[..<count]
        }
    }

    // MARK: Changing

    /// Writes a file, with the directories on the way to it.
    public func write(_ bytes: [UInt8], to name: String) throws {
        let parts = name.split(separator: "/")
        for count in 1..<max(1, parts.count) { mkdir(absolute(parts.prefix(count).joined(separator: "/")), 0o755) }
        let file = open(absolute(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw ScriptFailure.system(call: "open \(name)", code: errno) }
        defer { close(file) }
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
            throw ScriptFailure.system(call: "write \(name)", code: errno)
        }
    }

    /// Removes a file, or a directory with all in it; nothing at all when the name is empty and the directory is gone.
    public func remove(_ name: String) throws {
        for entry in entries(below: name).reversed() {
            if entry.isDirectory { rmdir(absolute(entry.path)) } else { unlink(absolute(entry.path)) }
        }
        guard Glibc.remove(absolute(name)) == 0 else { throw ScriptFailure.system(call: "remove \(name)", code: errno) }
    }

    /// Sets the permission bits of a file or directory.
    public func setMode(_ mode: UInt32, of name: String) { chmod(absolute(name), mode) }

    // MARK: Private

    private func absolute(_ name: String) -> String { name.isEmpty ? path : "\(path)/\(name)" }

    /// What is below a directory, each directory before what it holds.
    private func entries(below name: String) -> [(path: String, isDirectory: Bool)] {
        guard let stream = opendir(absolute(name)) else { return [] }
        defer { closedir(stream) }
        var result: [(path: String, isDirectory: Bool)] = []
        while let entry = readdir(stream) {
            let last = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard last != ".", last != ".." else { continue }
            let path = name.isEmpty ? last : "\(name)/\(last)"
            let isDirectory = Self.status(of: absolute(path)).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
            result.append((path, isDirectory))
            if isDirectory { result += entries(below: path) }
        }
        return result
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }
}
