/// What a shard knows of a key without asking the disk.
public enum DiskPresence: Sendable, Equatable {
    /// There is no record.
    case no
    /// There is one, or the index is not complete yet; only a read tells.
    case maybe
}

/// What became of a write.
public enum DiskWriteOutcome: Sendable, Equatable {
    /// The record is on disk.
    case stored
    /// It was not written. What the key had before is gone all the same: an old answer must not outlive a newer one.
    case refused(DiskRefusal)
    /// A later write of the key came first.
    case superseded
    /// The key was removed meanwhile.
    case removed
    /// A call failed.
    case failed(FileError)
    /// The shard or the tier is closed.
    case closed
}

/// Why a record was not written.
public enum DiskRefusal: Sendable, Equatable {
    /// It is larger than the shard's share of the limit, or than the format holds.
    case tooLarge
    /// It is worth less than what would have to leave for it.
    case unworthy
    /// Too much waits to be written.
    case busy
    /// The disk refuses writes at present.
    case degraded
    /// Files that should leave cannot be removed.
    case noRoom
}

/// What became of the file of a key when the work on it is done.
public enum DiskSettlement: Sendable, Equatable {
    /// It was removed.
    case removed
    /// There is none, or the one that is there is as it was wished.
    case left
    /// What was wished is not so, or nobody can tell: a restart may find the file of before.
    case failed
}
