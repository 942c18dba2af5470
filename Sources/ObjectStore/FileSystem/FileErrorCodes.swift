import Glibc

// What the store must tell apart among the values of `errno`, and how people read them.

extension FileError: CustomStringConvertible {
    /// What failed, and the system's reason: `write failed, No space left on device`.
    public var description: String {
        let words = operation.label.split(separator: "_").joined(separator: " ")
        return unsafe "\(words) failed, \(String(cString: strerror(code)))"
    }
}

extension FileError {
    /// The file or its directory is not there.
    var isAbsent: Bool { code == ENOENT }

    /// The name is a symbolic link, a directory, or another thing that is not ours.
    var isForeign: Bool { code == ELOOP || code == EISDIR || code == ENXIO }

    /// No room: the device, the quota.
    var isFull: Bool { code == ENOSPC || code == EDQUOT }

    /// Another holder has the lock.
    var isLocked: Bool { operation == .lock && code == EWOULDBLOCK }

    /// Whether the failure speaks of the whole disk rather than of one file.
    ///
    /// A file that cannot be made or filled is the disk, whatever the code; one that cannot be opened, renamed or removed
    /// may be one directory with odd rights.
    var concernsDisk: Bool {
        switch operation {
        case .create, .write, .status, .createDirectory, .synchronize: true
        case .rename, .remove: isFull || code == EIO || code == EROFS
        case .open: code == EROFS
        case .list, .read, .lock: false
        }
    }
}
