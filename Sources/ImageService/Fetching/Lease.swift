import EventLoops
import Synchronization

/// Bytes of `inFlightLimit` that a download has reserved; given back when the last one who holds it lets go.
final class Lease: Sendable {
    private let bytes: Atomic<Int>
    private let downloads: Mailbox<DownloadsMessage>

    /// Makes the lease of bytes that the queue has reserved already.
    init(bytes: Int, downloads: Mailbox<DownloadsMessage>) {
        self.bytes = Atomic(bytes)
        self.downloads = downloads
    }

    /// Gives back what turned out not to be needed.
    ///
    /// Owner: the flight's loop.
    func shrink(to needed: Int) {
        let held = bytes.load(ordering: .relaxed)
        guard needed < held else { return }
        bytes.store(needed, ordering: .relaxed)
        downloads.post(.released(bytes: held - needed))
    }

    deinit {
        let held = bytes.load(ordering: .relaxed)
        if held > 0 { downloads.post(.released(bytes: held)) }
    }
}
