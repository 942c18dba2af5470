import EventLoops

/// The steps by which a tier takes possession of its directory.
///
/// Blocks; start only.
struct DiskStart {
    let files: RecordFiles
    let paths: DiskPaths
    let fileSystem: any FileSystem

    /// Makes the cache directory and locks it.
    func takeLock() throws(StoreError) -> FileLock {
        for path in DiskPaths.ancestors(paths.root) {
            do { try fileSystem.createDirectory(path) } catch {
                // A parent may be there and yet refuse `mkdir`; only the last one tells.
                if path == DiskPaths.ancestors(paths.root).last { throw .cannotCreate(path: path, code: error.code) }
            }
        }
        do {
            return try fileSystem.lock(paths.lock)
        } catch {
            throw error.isLocked
                ? .locked(path: paths.root) : .notWritable(path: paths.root, code: error.code)
        }
    }

    /// Makes the directories of records.
    ///
    /// - Returns: the blocks that the directories themselves take.
    func makeDirectories() throws(StoreError) -> Int {
        do { try files.makeDirectories() } catch { throw .cannotCreate(path: paths.version, code: error.code) }
        let all = [paths.temporary] + RecordName.directories.map(paths.records)
        // One that cannot be looked at only makes the estimate smaller.
        return all.reduce(0) { $0 + ((try? fileSystem.directoryBytes($1)) ?? 0) }
    }

    /// Removes what a crash left half-written.
    func clearTemporary() throws(StoreError) {
        do throws(FileError) {
            for name in try fileSystem.list(paths.temporary) where RecordName.isTemporary(name) {
                try removeIfThere(paths.temporary + "/" + name)
            }
        } catch {
            throw error.operation == .list
                ? .notReadable(path: paths.temporary, code: error.code)
                : .notWritable(path: paths.temporary, code: error.code)
        }
    }

    /// Reads the seed of the names, or makes one.
    func readOrMakeSeed(
        health: DiskHealth, onWarning: @Sendable (StoreWarning) -> Void
    ) throws(StoreError) -> UInt64 {
        if let bytes = try readSeed() {
            if let seed = SeedFile.decode(bytes.span) { return seed }
            onWarning(.seedLost)
        }
        let seed = fileSystem.randomBits()
        do { try writeSeed(seed) } catch {
            guard error.isFull else { throw .notWritable(path: paths.seed, code: error.code) }
            // Names made under this seed are worthless after a restart, which costs a cold cache and nothing else.
            health.failed(error, at: .now())
        }
        return seed
    }

    /// Finds out whether files can be made at all.
    func probe(health: DiskHealth) throws(StoreError) {
        let path = paths.temporary(.probe)
        let bytes: [UInt8] = [0]
        do throws(FileError) {
            let file = try fileSystem.open(path, .createNew)
            try fileSystem.write(file, bytes.span, at: 0)
            try fileSystem.remove(path)
        } catch {
            guard error.isFull else { throw .notWritable(path: paths.temporary, code: error.code) }
            try? fileSystem.remove(path)
            health.failed(error, at: .now())
        }
    }

    private func removeIfThere(_ path: String) throws(FileError) {
        do { try fileSystem.remove(path) } catch {
            if !error.isAbsent && !error.isForeign { throw error }
        }
    }

    private func readSeed() throws(StoreError) -> [UInt8]? {
        do throws(FileError) {
            let file = try fileSystem.open(paths.seed, .read)
            return try fileSystem.read(file, at: 0, count: 64)
        } catch {
            if error.isAbsent || error.isForeign { return nil }
            throw .notReadable(path: paths.seed, code: error.code)
        }
    }

    private func writeSeed(_ seed: UInt64) throws(FileError) {
        let path = paths.temporary(.seed)
        let bytes = SeedFile.encode(seed)
        do throws(FileError) {
            let file = try fileSystem.open(path, .createNew)
            try fileSystem.write(file, bytes.span, at: 0)
            try fileSystem.synchronize(file)
            try fileSystem.rename(path, to: paths.seed)
        } catch {
            try? fileSystem.remove(path)
            throw error
        }
    }
}
