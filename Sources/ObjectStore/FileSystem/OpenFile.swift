import EventLoops
import Glibc
import Synchronization

/// An open file, closed when the value dies.
///
/// The result of `close` is dropped: nothing is promised about a record before it was read back and its checksums held.
public struct OpenFile: ~Copyable, Sendable {
    /// The descriptor.
    let descriptor: Int32

    /// Takes over a descriptor.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        _ = close(descriptor)
    }

    /// A part of the file that can be sent; `owner` is what holds this value.
    func region(at offset: Int, count: Int, owner: any AnyObject & Sendable) -> FileRegion {
        FileRegion(descriptor: descriptor, offset: offset, count: count, owner: owner)
    }
}

/// An exclusive lock on a file, held until released or until the process dies in whatever way.
public final class FileLock: Sendable {
    private let descriptor: Atomic<Int32>

    /// Takes over a descriptor on which `flock` has succeeded.
    init(descriptor: Int32) {
        self.descriptor = Atomic(descriptor)
    }

    deinit {
        release()
    }

    /// Lets go of the lock; again is harmless.
    public func release() {
        let held = descriptor.exchange(-1, ordering: .acquiringAndReleasing)
        guard held >= 0 else { return }
        // A child that is just being spawned has the descriptor, too, until it runs its program.
        _ = flock(held, LOCK_UN)
        _ = close(held)
    }
}
