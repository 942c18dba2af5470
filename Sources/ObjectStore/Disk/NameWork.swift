import EventLoops

/// The work on one file name: what a worker does with it now, what is to be done next, who waits.
///
/// At most one job a name runs at a time, so jobs on one file never race. A wish that comes while one runs replaces the
/// wish before it: the latest word counts. Until the last wish is done this value answers reads (staging).
///
/// | running | wish | a read gets |
/// | --- | --- | --- |
/// | anything | `write` | the record of the wish |
/// | anything | `remove` | nothing |
/// | `write` | none, `times` | the record being written, with the new times |
/// | `remove` | none | nothing |
/// | `idle`, `read`, `times` | none, `times` | what the file says, after the job that runs |
struct NameWork {
    /// What a worker does.
    enum Running {
        /// Nothing.
        case idle
        /// Reads the file for a key.
        case read(CacheKey)
        /// Writes a record.
        case write(DiskRecord)
        /// Removes the file.
        case remove
        /// Rewrites a metadata slot.
        case times
    }

    /// What is to be done next.
    enum Wish {
        /// Write a record.
        case write(DiskRecord)
        /// Remove the file; the reason is counted when it is gone.
        case remove(DiskCounters.EvictionReason?)
        /// Rewrite the times of a key's record.
        case times(CacheKey, RecordTimes)
    }

    /// What a read gets.
    enum View {
        /// A staged record.
        case record(DiskRecord)
        /// Nothing.
        case absent
        /// What the file says.
        case file
    }

    /// Someone who waits for the file to be read.
    struct Reader {
        /// The key asked for.
        let key: CacheKey
        /// Gets the record.
        let completion: (DiskRecord?) -> Void
    }

    /// What a worker does.
    var running: Running = .idle
    /// What is to be done next.
    var wish: Wish?
    /// Whether the wished write has its place in the index already, and waits only for room.
    var isAdmitted = false
    /// What the file that is there now is charged with; 0 if there is none.
    var diskBytes: Int
    /// What is promised to the write that runs.
    var promisedBytes = 0
    /// When the write that runs was begun.
    var begun = Instant(nanoseconds: 0)
    /// Who waits for the file.
    var readers: [Reader] = []
    /// Hears of the write that runs.
    var runningWriter: ((DiskWriteOutcome) -> Void)?
    /// Hears of the write that is wished.
    var wishedWriter: ((DiskWriteOutcome) -> Void)?
    /// Whether times are wished without which the file must not stay.
    var mustMark = false
    /// Whether a removal has failed, so that the file may still be there.
    var hasFailed = false
    /// Why the file is being removed.
    var removalReason: DiskCounters.EvictionReason?

    /// Work on a name whose file is charged with some bytes.
    init(diskBytes: Int) {
        self.diskBytes = diskBytes
    }

    /// What a read gets.
    var view: View {
        switch (wish, running) {
        case (.write(let record), _): return .record(record)
        case (.remove, _): return .absent
        case (.times(_, let times), .write(var record)):
            record.times = times
            return .record(record)
        case (nil, .write(let record)): return .record(record)
        case (nil, .remove), (.times, .remove): return .absent
        case (nil, .idle), (nil, .read), (nil, .times), (.times, .idle), (.times, .read), (.times, .times): return .file
        }
    }

    /// Whether a record is wished and not begun.
    var wishedRecord: DiskRecord? {
        guard case .write(let record)? = wish else { return nil }
        return record
    }

    /// Whether nothing runs.
    var isIdle: Bool {
        guard case .idle = running else { return false }
        return true
    }
}

extension DiskRecord {
    /// What it takes in memory while it waits to be written.
    var stagedBytes: Int { body.capacity + head.count + key.bytes.count }
}
