/// A part of an open file that is sent without being read: the kernel moves the bytes from its memory to the socket.
///
/// Whoever makes one knows that the bytes are right and are most likely in the kernel's memory: sending them waits for
/// the medium otherwise.
public struct FileRegion: Sendable {
    /// The file.
    let descriptor: Int32
    /// Where the region begins in it.
    let offset: Int
    /// Its length.
    public let count: Int
    /// Who keeps the file open.
    let owner: any AnyObject & Sendable

    /// A region of a file that `owner` keeps open for as long as it lives.
    public init(descriptor: Int32, offset: Int, count: Int, owner: any AnyObject & Sendable) {
        precondition(offset >= 0 && count >= 0, "\(count) bytes at \(offset) are no part of a file")
        self.descriptor = descriptor
        self.offset = offset
        self.count = count
        self.owner = owner
    }
}
