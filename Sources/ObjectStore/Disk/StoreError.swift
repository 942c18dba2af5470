/// Why the disk tier could not start.
///
/// Facts only; the service turns them into one line.
public enum StoreError: Error, Sendable, Equatable {
    /// Another process holds the directory.
    case locked(path: String)
    /// The directory or a part of it is missing and cannot be made.
    case cannotCreate(path: String, code: Int32)
    /// The directory is there but takes no files: rights, or a read-only file system.
    case notWritable(path: String, code: Int32)
    /// The directory or a file in it cannot be read.
    case notReadable(path: String, code: Int32)
    /// Not one worker thread could be made.
    case noWorkers(code: Int32)
}

/// What an operator should hear of a running disk tier.
///
/// Given once per change, not once per failure.
public enum StoreWarning: Sendable, Equatable {
    /// Nothing is written any more, for a reason that concerns the whole disk; the tier tries again by itself.
    case writesStopped(FileError)
    /// Writing works again.
    case writesResumed
    /// The seed of the names was missing or damaged in a directory that holds records, so these are lost.
    case seedLost
}

extension StoreWarning: CustomStringConvertible {
    /// The warning in words, for the log.
    public var description: String {
        switch self {
        case .writesStopped(let error): "writes stopped: \(error)"
        case .writesResumed: "writes resumed"
        case .seedLost: "the seed of the file names was missing or damaged: what was kept is lost"
        }
    }
}
