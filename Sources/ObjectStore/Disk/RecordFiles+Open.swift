import EventLoops

/// Reading records whose files are open already.
extension RecordFiles {
    /// What a read that may not wait found.
    enum ImmediateOutcome: Sendable {
        /// The record, checked to the last byte.
        case found(DiskRecord)
        /// It has to come from the medium: a worker's business.
        case wouldWait
        /// This file system cannot tell; the next one would say the same.
        case unsupported
        /// Something is odd about the file: a worker shall open it anew and say what.
        case doubtful
    }

    /// Copying and checking this much takes a loop about a fifth of a millisecond; larger bodies are left to workers.
    private static let largestBodyAtOnce = 1 << 20

    /// Reads a record, unless that means to wait.
    ///
    /// Loops only: never blocks.
    func readAtOnce(_ open: OpenRecord) -> ImmediateOutcome {
        let length = open.prefix.header.bodyLength
        guard length <= Self.largestBodyAtOnce else { return .wouldWait }
        let body = Chunk(capacity: length)
        do throws(FileError) {
            // Of an empty body nothing is read, and `status` might wait.
            guard length > 0 else { return .wouldWait }
            switch try fileSystem.readAtOnce(open.file, at: open.prefix.header.bodyOffset, count: length, into: body) {
            case .wouldWait: return .wouldWait
            case .unsupported: return .unsupported
            case .read(let count): guard count == length else { return .wouldWait }
            }
            guard try isUnchanged(open) else { return .doubtful }
        } catch {
            return .doubtful
        }
        return isSound(body, open) ? .found(open.record(body)) : .doubtful
    }

    /// What is to be said of a body that may be sent from its file.
    enum SendOutcome: Sendable {
        /// It is in the kernel's memory or was read, and the file is as it was when the body was checked.
        case ready(DiskBody)
        /// It has to come from the medium.
        case wouldWait
        /// This system cannot tell; the next file would say the same.
        case unsupported
        /// Something is odd about the file.
        case doubtful
    }

    /// Larger bodies are sent from their file: reading them costs more than the two calls that this takes; measured.
    private static let largestBodyRead = 6 * 1024

    /// Makes a body ready to be sent, unless that means to wait: a small one is read, a large one stays in its file.
    ///
    /// Loops only: never blocks.
    func prepare(_ open: OpenRecord) -> SendOutcome {
        let header = open.prefix.header
        // An empty body is nothing to send, and `status` might wait.
        guard header.bodyLength > 0 else { return .wouldWait }
        do throws(FileError) {
            let outcome = header.bodyLength <= Self.largestBodyRead ? try readSmall(open) : try findLarge(open)
            guard case .ready = outcome else { return outcome }
            return try isUnchanged(open) ? outcome : .doubtful
        } catch {
            return .doubtful
        }
    }

    private func readSmall(_ open: OpenRecord) throws(FileError) -> SendOutcome {
        let header = open.prefix.header
        let body = Chunk(capacity: header.bodyLength)
        switch try fileSystem.readAtOnce(open.file, at: header.bodyOffset, count: header.bodyLength, into: body) {
        case .wouldWait: return .wouldWait
        case .unsupported: return .unsupported
        case .read(let count):
            guard count == header.bodyLength else { return .wouldWait }
            return isSound(body, open) ? .ready(.chunk(body)) : .doubtful
        }
    }

    private func findLarge(_ open: OpenRecord) throws(FileError) -> SendOutcome {
        let header = open.prefix.header
        switch try fileSystem.residence(of: open.file, at: header.bodyOffset, count: header.bodyLength) {
        case .partial: return .wouldWait
        case .unknown: return .unsupported
        case .whole: return .ready(.file(open.region))
        }
    }

    /// Reads the record of a key from the file that is open, or from whatever has its name by now.
    ///
    /// Blocks: workers only.
    func read(_ key: CacheKey, by open: OpenRecord?) -> ReadOutcome {
        guard let open else { return read(key) }
        let header = open.prefix.header
        let body = Chunk(capacity: header.bodyLength)
        do throws(FileError) {
            guard try isUnchanged(open) else { return read(key) }
            _ = try fileSystem.read(open.file, at: header.bodyOffset, count: header.bodyLength, into: body)
        } catch {
            return read(key)  // It is counted there, should it fail again.
        }
        return isSound(body, open) ? .found(open.record(body), open) : read(key)
    }

    /// Whether the file is still the one under its name, with the length that its header gives, and nobody wrote to it.
    private func isUnchanged(_ open: OpenRecord) throws(FileError) -> Bool {
        let status = try fileSystem.status(of: open.file)
        return status.links > 0 && status.sizeBytes == open.prefix.header.fileBytes && status.modified == open.modified
    }

    private func isSound(_ body: Chunk, _ open: OpenRecord) -> Bool {
        do { try open.prefix.check(body: body.bytes) } catch { return false }
        return true
    }
}
