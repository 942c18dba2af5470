import CSystem
import Glibc
import Synchronization

/// Standard error for a thread that must not hang on it: a reader that stopped reading costs lines, not the process.
public final class StandardError: Sendable {
    /// What is written at once, the least room of a pipe that polls as writable.
    ///
    /// Source: pipe(7), `PIPE_BUF`.
    private static let pieceBytes = 4096
    /// How long a reader may stop before lines are given up.
    private static let patience: Duration = .seconds(1)

    private let descriptor: Int32
    private let isStalled = Atomic<Bool>(false)

    /// Writes to descriptor 2, or to another one.
    public init(descriptor: Int32 = 2) {
        self.descriptor = descriptor
    }

    /// Writes all the bytes, in order; one thread at a time.
    ///
    /// The first time that there is no room for a second the rest is given up; after that without waiting, until there
    /// is room again.
    ///
    /// - Returns: whether everything was written.
    public func write(_ bytes: [UInt8]) -> Bool {
        let wasStalled = isStalled.load(ordering: .relaxed)
        // The bytes given up may have ended within a line.
        let output = wasStalled ? [UInt8(ascii: "\n")] + bytes : bytes
        let isComplete = writePieces(output, patience: wasStalled ? .zero : Self.patience)
        isStalled.store(!isComplete, ordering: .relaxed)
        return isComplete
    }

    private func writePieces(_ bytes: [UInt8], patience: Duration) -> Bool {
        unsafe bytes.withUnsafeBytes { buffer in
            var offset = 0
            while offset < buffer.count {
                guard hasRoom(patience) else { return false }
                let count = min(Self.pieceBytes, buffer.count - offset)
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[offset..<offset + count])
                let written = unsafe Glibc.write(descriptor, rest.baseAddress, count)
                if written > 0 {
                    offset += written
                } else if errno != EINTR && errno != EAGAIN {
                    return false
                }
            }
            return true
        }
    }

    private func hasRoom(_ patience: Duration) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let milliseconds = Int32(patience.wholeNanoseconds / 1_000_000)
        while true {
            let code = unsafe poll(&entry, 1, milliseconds)
            if code >= 0 { return entry.revents & Int16(POLLOUT) != 0 }
            guard errno == EINTR else { return false }
        }
    }
}
