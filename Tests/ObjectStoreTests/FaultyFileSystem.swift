import EventLoops
import Foundation
import Testing

@testable import ObjectStore

/// The real file system, of which a script lets single calls fail, wait, or tear what they write.
final class FaultyFileSystem: FileSystem, @unchecked Sendable {
    // SAFETY: the script is under the lock.
    private let real = SystemFileSystem()
    private let lock = Lock()
    private var failures: [FileOperation: Int32] = [:]
    private var gates: [FileOperation: Gate] = [:]
    private var shortWrites: Int?
    private var immediateReads: ImmediateRead?
    private var immediateCount = 0
    private var residences: Residence?
    private var residenceQuestions = 0
    private var unreadableSuffix: String?
    private var heldListing: (suffix: String, gate: Gate)?
    private var observer: (@Sendable (FileOperation) -> Void)?
    private var counts: [FileOperation: Int] = [:]

    /// From now on calls of a kind fail with a code; nil ends it.
    func fail(_ operation: FileOperation, with code: Int32?) {
        lock.withLock { failures[operation] = code }
    }

    /// The next write stores so many bytes and then fails for want of space.
    func cutNextWrite(after bytes: Int) {
        lock.withLock { shortWrites = bytes }
    }

    /// From now on reads that may not wait come to this; nil ends it.
    func answerImmediateReads(with answer: ImmediateRead?) {
        lock.withLock { immediateReads = answer }
    }

    /// From now on this is said of what is in the kernel's memory; nil ends it.
    func answerResidence(with answer: Residence?) {
        lock.withLock { residences = answer }
    }

    /// How often it was asked what is in the kernel's memory.
    var residenceCount: Int { lock.withLock { residenceQuestions } }

    /// How many reads there were that may not wait.
    var immediateReadCount: Int { lock.withLock { immediateCount } }

    /// Listing a directory with this ending fails for want of rights.
    func forbidListing(of suffix: String) {
        lock.withLock { unreadableSuffix = suffix }
    }

    /// The next call of a kind stops before it begins, until the gate is opened.
    func hold(_ operation: FileOperation) -> Gate {
        let gate = Gate()
        lock.withLock { gates[operation] = gate }
        return gate
    }

    /// Listing a directory with this ending stops before it begins, until the gate is opened.
    func holdListing(of suffix: String) -> Gate {
        let gate = Gate()
        lock.withLock { heldListing = (suffix, gate) }
        return gate
    }

    /// Hears of each call once it is done.
    func observe(_ observer: @escaping @Sendable (FileOperation) -> Void) {
        lock.withLock { self.observer = observer }
    }

    /// How many calls of a kind there were.
    func count(_ operation: FileOperation) -> Int {
        lock.withLock { counts[operation] ?? 0 }
    }

    private func enter(_ operation: FileOperation) throws(FileError) {
        let (gate, code) = lock.withLock {
            counts[operation, default: 0] += 1
            return (gates.removeValue(forKey: operation), failures[operation])
        }
        gate?.pass()
        if let code { throw FileError(operation, code: code) }
    }

    private func done(_ operation: FileOperation) {
        lock.withLock { observer }?(operation)
    }

    func createDirectory(_ path: String) throws(FileError) {
        try enter(.createDirectory)
        try real.createDirectory(path)
    }

    func list(_ path: String) throws(FileError) -> [String] {
        try enter(.list)
        let held = lock.withLock { heldListing }
        if let held, path.hasSuffix(held.suffix) { held.gate.pass() }
        if let suffix = lock.withLock({ unreadableSuffix }), path.hasSuffix(suffix) {
            throw FileError(.list, code: EACCES)
        }
        return try real.list(path)
    }

    func open(_ path: String, _ access: FileAccess) throws(FileError) -> OpenFile {
        try enter(access == .createNew ? .create : .open)
        return try real.open(path, access)
    }

    func status(of file: borrowing OpenFile) throws(FileError) -> FileStatus {
        try enter(.status)
        return try real.status(of: file)
    }

    func directoryBytes(_ path: String) throws(FileError) -> Int {
        try real.directoryBytes(path)
    }

    func read(_ file: borrowing OpenFile, at offset: Int, count: Int) throws(FileError) -> [UInt8] {
        try enter(.read)
        return try real.read(file, at: offset, count: count)
    }

    func read(
        _ file: borrowing OpenFile, at offset: Int, count: Int, into chunk: Chunk
    ) throws(FileError) -> Int {
        try enter(.read)
        return try real.read(file, at: offset, count: count, into: chunk)
    }

    func readAtOnce(
        _ file: borrowing OpenFile, at offset: Int, count: Int, into chunk: Chunk
    ) throws(FileError) -> ImmediateRead {
        let answer = lock.withLock {
            immediateCount += 1
            return immediateReads
        }
        if let answer { return answer }
        return try real.readAtOnce(file, at: offset, count: count, into: chunk)
    }

    func residence(of file: borrowing OpenFile, at offset: Int, count: Int) throws(FileError) -> Residence {
        let answer = lock.withLock {
            residenceQuestions += 1
            return residences
        }
        if let answer { return answer }
        return try real.residence(of: file, at: offset, count: count)
    }

    func write(_ file: borrowing OpenFile, _ bytes: Span<UInt8>, at offset: Int) throws(FileError) {
        try enter(.write)
        let cut = lock.withLock {
            defer { shortWrites = nil }
            return shortWrites
        }
        if let cut {
            try real.write(file, bytes.extracting(0..<min(cut, bytes.count)), at: offset)
            throw FileError(.write, code: ENOSPC)
        }
        try real.write(file, bytes, at: offset)
        done(.write)
    }

    func synchronize(_: borrowing OpenFile) throws(FileError) {
        try enter(.synchronize)  // Nothing is forced to the medium: tests do not pull the plug.
    }

    func rename(_ path: String, to target: String) throws(FileError) {
        try enter(.rename)
        try real.rename(path, to: target)
        done(.rename)
    }

    func remove(_ path: String) throws(FileError) {
        try enter(.remove)
        try real.remove(path)
        done(.remove)
    }

    func lock(_ path: String) throws(FileError) -> FileLock {
        try enter(.lock)
        return try real.lock(path)
    }

    func randomBits() -> UInt64 { real.randomBits() }
}

/// Stops one call until it is opened, and tells when the call has come.
final class Gate: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    /// Waits until the call has come.
    func waitForCall() {
        #expect(arrived.wait(timeout: .now() + 20) == .success, "the call never came")
    }

    /// Lets the call go on.
    func open() { opened.signal() }

    fileprivate func pass() {
        arrived.signal()
        _ = opened.wait(timeout: .now() + 20)
    }
}
