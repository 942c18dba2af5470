import EventLoops
import Synchronization

/// What is done with record files, one call a file.
///
/// Everything here blocks: workers only.
///
/// Nothing here decides what is to be done, nor in which order: that is the shard's.
struct RecordFiles: Sendable {
    /// What a read found.
    enum ReadOutcome: Sendable {
        /// The record, checked to the last byte, and its file, still open.
        case found(DiskRecord, OpenRecord)
        /// There is no file.
        case absent
        /// The file holds another key with the same hash.
        case otherKey
        /// The file is no record; it is to be removed.
        case damaged(RecordDamage)
        /// The file could not be read; it may still be good.
        case failed(FileError)
    }

    /// What became of a change to a file.
    enum ChangeOutcome: Sendable {
        /// Done; the bytes that the file takes now.
        case done(bytes: Int)
        /// There is no file.
        case absent
        /// The file is no record, or another key's.
        case damaged
        /// A call failed. A file under the final name is as it was.
        case failed(FileError)
        /// The tier is closed; nothing was done.
        case closed
    }

    /// Where the files lie.
    let paths: DiskPaths
    /// What they lie on.
    let fileSystem: any FileSystem
    private let counters: DiskCounters
    private let numbers: TemporaryNumbers

    /// Files below a cache directory.
    init(paths: DiskPaths, fileSystem: any FileSystem, counters: DiskCounters) {
        self.paths = paths
        self.fileSystem = fileSystem
        self.counters = counters
        numbers = TemporaryNumbers()
    }

    // MARK: Reading

    /// Reads and checks the record of a key.
    func read(_ key: CacheKey) -> ReadOutcome {
        do throws(FileError) {
            let file = try fileSystem.open(paths.record(key.hash), .read)
            let status = try fileSystem.status(of: file)
            guard status.isRegular else { return .absent }
            let prefix: RecordPrefix
            let start: [UInt8]
            switch try readPrefix(file, fileBytes: status.sizeBytes) {
            case .failure(let damage): return .damaged(damage)
            case .success(let read): (prefix, start) = read
            }
            guard prefix.key == key.bytes else { return .otherKey }
            let body = try readBody(file, prefix.header, beginning: start)
            do { try prefix.check(body: body.bytes) } catch { return .damaged(error) }
            let open = OpenRecord(file: file, key: key, prefix: prefix, modified: status.modified)
            return .found(open.record(body), open)
        } catch {
            if error.isAbsent || error.isForeign { return .absent }
            counters.count(error)
            return .failed(error)
        }
    }

    /// Reads the part of the body that did not come along with the prefix.
    private func readBody(
        _ file: borrowing OpenFile, _ header: RecordHeader, beginning start: [UInt8]
    ) throws(FileError) -> Chunk {
        let body = Chunk(capacity: header.bodyLength)
        _ = body.append(start.span.extracting(header.bodyOffset..<start.count))
        let have = body.count
        if have < header.bodyLength {
            _ = try fileSystem.read(
                file, at: header.bodyOffset + have, count: header.bodyLength - have, into: body)
        }
        return body
    }

    /// Reads all before the body, and as much of the body as came along.
    private func readPrefix(
        _ file: borrowing OpenFile, fileBytes: Int
    ) throws(FileError) -> Result<(RecordPrefix, [UInt8]), RecordDamage> {
        var bytes = try fileSystem.read(file, at: 0, count: min(fileBytes, RecordLayout.firstReadBytes))
        do {
            let needed = try RecordPrefix.length(bytes, fileBytes: fileBytes)
            if bytes.count < needed {
                let more = try fileSystem.read(file, at: bytes.count, count: needed - bytes.count)
                bytes.append(contentsOf: more)
            }
            return .success((try RecordPrefix(bytes, fileBytes: fileBytes), bytes))
        } catch let damage as RecordDamage {
            return .failure(damage)
        } catch let error as FileError {
            throw error
        } catch {
            return .failure(.truncated)  // Nothing else is thrown above.
        }
    }

    // MARK: Writing

    /// Writes a record aside and renames it over what was there.
    func write(_ record: DiskRecord) -> ChangeOutcome {
        guard
            let prefix = RecordPrefix.encode(
                key: record.key.bytes, head: record.head, times: record.times, body: record.body.bytes)
        else { return .damaged }
        do throws(FileError) {
            return .done(bytes: try writeMakingDirectories(record, prefix))
        } catch {
            counters.count(error)
            return .failed(error)
        }
    }

    /// Should somebody have removed directories under us, they are made again, once.
    private func writeMakingDirectories(_ record: DiskRecord, _ prefix: [UInt8]) throws(FileError) -> Int {
        do throws(FileError) {
            return try write(record, prefix)
        } catch {
            guard error.isAbsent else { throw error }
        }
        try makeDirectories()
        return try write(record, prefix)
    }

    private func write(_ record: DiskRecord, _ prefix: [UInt8]) throws(FileError) -> Int {
        let path = paths.temporary(record.key.hash, number: numbers.next())
        let allocated = try fill(path, prefix, record.body)
        do throws(FileError) {
            try fileSystem.rename(path, to: paths.record(record.key.hash))
        } catch {
            discard(path)
            throw error
        }
        return max(allocated, record.allocationBytes)
    }

    private func fill(_ path: String, _ prefix: [UInt8], _ body: Chunk) throws(FileError) -> Int {
        let file = try fileSystem.open(path, .createNew)
        do throws(FileError) {
            try fileSystem.write(file, prefix.span, then: body.bytes)
            return try fileSystem.status(of: file).allocatedBytes
        } catch {
            discard(path)
            throw error
        }
    }

    /// Removes a file that was not finished.
    private func discard(_ path: String) {
        do { try fileSystem.remove(path) } catch { counters.count(error) }
    }

    /// Makes the directories of records and of files being written.
    func makeDirectories() throws(FileError) {
        for path in [paths.root, paths.version, paths.temporary] { try fileSystem.createDirectory(path) }
        for digits in RecordName.directories { try fileSystem.createDirectory(paths.records(digits)) }
    }

    // MARK: Times and removal

    /// Writes new times into the slot that does not count.
    func rewriteTimes(_ key: CacheKey, _ times: RecordTimes) -> ChangeOutcome {
        do throws(FileError) {
            let file = try fileSystem.open(paths.record(key.hash), .readWrite)
            let status = try fileSystem.status(of: file)
            guard status.isRegular else { return .absent }
            guard case .success(let (prefix, _)) = try readPrefix(file, fileBytes: status.sizeBytes),
                prefix.key == key.bytes
            else { return .damaged }
            var slot: [UInt8] = []
            RecordSlot(sequence: prefix.slot.sequence &+ 1, times: times)
                .write(to: &slot, seed: prefix.header.textDigest)
            try fileSystem.write(file, slot.span, at: prefix.nextSlotOffset)
            return .done(bytes: 0)
        } catch {
            if error.isAbsent || error.isForeign { return .absent }
            counters.count(error)
            return .failed(error)
        }
    }

    /// Removes the file of a hash.
    func remove(_ hash: KeyHash) -> ChangeOutcome {
        do {
            try fileSystem.remove(paths.record(hash))
            return .done(bytes: 0)
        } catch {
            if error.isAbsent || error.isForeign { return .absent }
            counters.count(error)
            return .failed(error)
        }
    }

    // MARK: Scan

    /// Reads what a file says of itself; nil when it is no record.
    func identify(_ hash: KeyHash) throws(FileError) -> WalkedRecord? {
        let file = try fileSystem.open(paths.record(hash), .read)
        let status = try fileSystem.status(of: file)
        guard status.isRegular, case .success(let (prefix, _)) = try readPrefix(file, fileBytes: status.sizeBytes)
        else { return nil }
        return WalkedRecord(key: CacheKey(bytes: prefix.key, hash: hash), times: prefix.slot.times)
    }

    /// Judges a file by its name, header, key and slots; the body waits for the first read.
    ///
    /// A file under one of our names that is no record of this directory is removed.
    func examine(_ hash: KeyHash, seed: UInt64) -> ScannedRecord? {
        do throws(FileError) {
            let file = try fileSystem.open(paths.record(hash), .read)
            let status = try fileSystem.status(of: file)
            guard status.isRegular else { return nil }
            if case .success(let (prefix, _)) = try readPrefix(file, fileBytes: status.sizeBytes),
                KeyHash(of: prefix.key.span, seed: seed) == hash
            {
                let bytes = max(status.allocatedBytes, RecordLayout.allocation(of: status.sizeBytes))
                return ScannedRecord(hash: hash, bytes: bytes, uses: prefix.slot.times.uses)
            }
        } catch {
            if !error.isAbsent && !error.isForeign { counters.count(error) }
            return nil
        }
        counters.countCorrupt()
        _ = remove(hash)
        return nil
    }
}

/// A record that the scan found.
struct ScannedRecord: Sendable, Equatable {
    /// Its name.
    let hash: KeyHash
    /// What its file takes.
    let bytes: Int
    /// Its uses, as last written.
    let uses: UInt32
}

/// Numbers that make the names of unfinished files unique in this process; the lock keeps other processes out.
private final class TemporaryNumbers: Sendable {
    private let last = Atomic<UInt64>(0)

    func next() -> UInt64 {
        last.add(1, ordering: .relaxed).newValue
    }
}
