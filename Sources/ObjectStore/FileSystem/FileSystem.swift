import EventLoops

/// One kind of call to the file system; the label under which its failures are counted.
public enum FileOperation: Int, Sendable, CaseIterable {
    /// `mkdir`.
    case createDirectory
    /// `opendir` and `readdir`.
    case list
    /// `open`, to read or to rewrite.
    case open
    /// `open` of a new file.
    case create
    /// `fstat`.
    case status
    /// `pread`.
    case read
    /// `pwrite`.
    case write
    /// `fsync`.
    case synchronize
    /// `rename`.
    case rename
    /// `unlink`.
    case remove
    /// `flock`.
    case lock

    /// The fixed text that counters carry.
    public var label: String {
        switch self {
        case .createDirectory: "create_directory"
        case .list: "list"
        case .open: "open"
        case .create: "create"
        case .status: "status"
        case .read: "read"
        case .write: "write"
        case .synchronize: "synchronize"
        case .rename: "rename"
        case .remove: "remove"
        case .lock: "lock"
        }
    }
}

/// A call to the file system that failed: which, and with what `errno`.
public struct FileError: Error, Sendable, Equatable {
    /// What was tried.
    public let operation: FileOperation
    /// The `errno` of the call.
    public let code: Int32

    /// A failure; public so that a scripted file system can make one.
    public init(_ operation: FileOperation, code: Int32) {
        self.operation = operation
        self.code = code
    }
}

/// How a file is opened.
public enum FileAccess: Sendable {
    /// An existing file, to read.
    case read
    /// An existing file, to read and rewrite in place.
    case readWrite
    /// A file that must not exist yet, to write; it gets mode 0600.
    case createNew
}

/// What the store wants to know of a file.
public struct FileStatus: Sendable, Equatable {
    /// Its length.
    public var sizeBytes: Int
    /// The blocks that it occupies, in bytes.
    public var allocatedBytes: Int
    /// Whether it is a plain file; the store neither reads nor removes anything else.
    public var isRegular: Bool
    /// How many names it has; an open file that somebody removed, or replaced, has none.
    public var links: Int
    /// When bytes of it were last changed, in nanoseconds since 1970.
    public var modified: Int64

    /// A status; public so that a scripted file system can make one.
    public init(sizeBytes: Int, allocatedBytes: Int, isRegular: Bool, links: Int = 1, modified: Int64 = 0) {
        self.sizeBytes = sizeBytes
        self.allocatedBytes = allocatedBytes
        self.isRegular = isRegular
        self.links = links
        self.modified = modified
    }
}

/// What a read came to that may not wait.
public enum ImmediateRead: Sendable, Equatable {
    /// So many bytes were there.
    case read(Int)
    /// They would have to come from the medium.
    case wouldWait
    /// This file system cannot tell; asking again is of no use.
    case unsupported
}

/// Whether a part of a file is in the kernel's memory.
public enum Residence: Sendable, Equatable {
    /// All of it.
    case whole
    /// Not all of it: what is missing would have to come from the medium.
    case partial
    /// This system cannot tell; asking again is of no use.
    case unknown
}

/// The file system as the disk tier sees it: whole calls that block, so only start-up and the disk workers use it.
///
/// `readAtOnce` and `residence` alone never wait, and so are for loops; after they found a part of a file in the kernel's
/// memory, `status` of the file does not wait either.
///
/// It is a protocol so that tests can script it: a full disk, a short write, a file torn by a crash. Symbolic links are
/// never followed at the last step of a path, and opening never waits (a pipe under one of our names cannot hang a
/// worker).
public protocol FileSystem: Sendable {
    /// Makes a directory of mode 0700; one that exists already is fine.
    func createDirectory(_ path: String) throws(FileError)
    /// The names in a directory, without `.` and `..`, in no order.
    func list(_ path: String) throws(FileError) -> [String]
    /// Opens a file; it is closed when the value dies.
    func open(_ path: String, _ access: FileAccess) throws(FileError) -> OpenFile
    /// Length and blocks of an open file.
    func status(of file: borrowing OpenFile) throws(FileError) -> FileStatus
    /// The blocks of a directory itself, in bytes.
    func directoryBytes(_ path: String) throws(FileError) -> Int
    /// Up to `count` bytes from `offset` on; fewer only at the end of the file.
    func read(_ file: borrowing OpenFile, at offset: Int, count: Int) throws(FileError) -> [UInt8]
    /// Reads up to `count` bytes into the free space of a chunk, and returns how many; fewer only at the end of the file.
    func read(_ file: borrowing OpenFile, at offset: Int, count: Int, into chunk: Chunk) throws(FileError) -> Int
    /// Reads into the free space of a chunk what is in the kernel's memory, up to `count` bytes.
    func readAtOnce(
        _ file: borrowing OpenFile, at offset: Int, count: Int, into chunk: Chunk
    ) throws(FileError) -> ImmediateRead
    /// Says whether `count` bytes from `offset` on are in the kernel's memory.
    func residence(of file: borrowing OpenFile, at offset: Int, count: Int) throws(FileError) -> Residence
    /// Writes all bytes at an offset. A write cut short goes on until the rest is written or refused.
    func write(_ file: borrowing OpenFile, _ bytes: Span<UInt8>, at offset: Int) throws(FileError)
    /// Writes a whole file: its beginning and the rest behind it, in one call where that can be.
    func write(_ file: borrowing OpenFile, _ beginning: Span<UInt8>, then rest: Span<UInt8>) throws(FileError)
    /// Forces a file to the medium.
    func synchronize(_ file: borrowing OpenFile) throws(FileError)
    /// Renames a file over another in one step.
    func rename(_ path: String, to target: String) throws(FileError)
    /// Removes a file; never a directory.
    func remove(_ path: String) throws(FileError)
    /// Takes the exclusive lock on a file, made if missing. `EWOULDBLOCK` when another holder has it.
    func lock(_ path: String) throws(FileError) -> FileLock
    /// 64 bits from the kernel's random source.
    func randomBits() -> UInt64
}

extension FileSystem {
    /// Two calls, for systems that know no better.
    public func write(
        _ file: borrowing OpenFile, _ beginning: Span<UInt8>, then rest: Span<UInt8>
    ) throws(FileError) {
        try write(file, beginning, at: 0)
        try write(file, rest, at: beginning.count)
    }
}
