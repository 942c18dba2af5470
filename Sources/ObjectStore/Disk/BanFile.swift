import Digests

/// What the cache directory says of earlier purges.
public enum BanFileContent: Equatable, Sendable {
    /// There is no file: nothing was purged by rule.
    case absent
    /// The file cannot be read, or is not as it was written: what was purged is not known.
    case damaged
    /// What was written last, opaque to the store.
    case bans([UInt8])
}

/// The file that keeps purges over a restart until the last record they concern is gone.
///
/// Written aside and renamed, so that a crash leaves the one before.
///
/// Shape: magic `IMGSBANS` (8 bytes), the owner's bytes, XXH3-64 of all before (8); little-endian.
enum BanFile {
    /// `IMGSBANS` read as a little-endian number.
    private static let magic: UInt64 = 0x534E_4142_5347_4D49
    /// A thousand rules of the longest URL that can be configured fit.
    static let maxBytes = 128 << 20

    /// The bytes of the file.
    static func encode(_ content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(content.count + 16)
        bytes.appendWord64(magic)
        bytes += content
        bytes.appendWord64(XXH3.hash64(bytes.span))
        return bytes
    }

    /// The owner's bytes in those of a file; nil if it is damaged.
    static func decode(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 16, bytes.span.word64(at: 0) == magic,
            XXH3.hash64(bytes.span.extracting(0..<bytes.count - 8)) == bytes.span.word64(at: bytes.count - 8)
        else { return nil }
        return Array(bytes[8..<bytes.count - 8])
    }
}

extension DiskTier {
    /// Reads what was kept of purges.
    ///
    /// Blocks; before the loops run.
    public func readBans() -> BanFileContent {
        do throws(FileError) {
            let file = try files.fileSystem.open(paths.bans, .read)
            let size = try files.fileSystem.status(of: file).sizeBytes
            guard size <= BanFile.maxBytes else { return .damaged }
            let bytes = try files.fileSystem.read(file, at: 0, count: size)
            return BanFile.decode(bytes).map { .bans($0) } ?? .damaged
        } catch {
            if error.isAbsent { return .absent }
            counters.count(error)
            return .damaged
        }
    }

    /// Keeps what is to be known of purges after a restart.
    ///
    /// Blocks; before the loops run.
    ///
    /// - Returns: whether it is on the medium.
    public func keepBans(_ content: [UInt8]) -> Bool {
        do throws(FileError) {
            try replaceBans(BanFile.encode(content))
            return true
        } catch {
            counters.count(error)
            return false
        }
    }

    /// Does the same on a worker.
    ///
    /// Any thread; one call at a time.
    ///
    /// - Parameter completion: hears, on a worker, whether it is on the medium; at once when the tier is closed.
    public func writeBans(_ content: [UInt8], completion: @escaping @Sendable (Bool) -> Void) {
        let isQueued = workers.submit(.writes, always: true) { [self] in
            completion(keepBans(content))
        }
        if !isQueued { completion(false) }
    }

    private func replaceBans(_ bytes: [UInt8]) throws(FileError) {
        let path = paths.temporary(.bans)
        let fileSystem = files.fileSystem
        do throws(FileError) {
            let file = try fileSystem.open(path, .createNew)
            try fileSystem.write(file, bytes.span, at: 0)
            try fileSystem.synchronize(file)
            try fileSystem.rename(path, to: paths.bans)
        } catch {
            // The failure that counts is the one before; the next start clears what stays.
            try? fileSystem.remove(path)
            throw error
        }
    }
}
