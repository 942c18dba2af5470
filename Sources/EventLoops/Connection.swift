import CLibevent
import CSystem
import Glibc

/// Who reads a connection's bytes and learns of its end; called on the connection's loop.
public protocol ConnectionDelegate: AnyObject {
    /// Takes input: all bytes not consumed so far. Returns how many are consumed; the rest comes again with more.
    func connection(_ connection: Connection, received bytes: Span<UInt8>) -> Int
    /// Whether more input can be used now; while not, it is kept, up to a limit.
    func connectionWantsInput(_ connection: Connection) -> Bool
    /// Everything that was appended has left for the kernel, after some of it had to wait.
    func connectionDrained(_ connection: Connection)
    /// The peer has ended or broken the connection, or `close` and its kin took effect. Called once.
    func connectionEnded(_ connection: Connection)
}

/// A stream socket with a client, on one loop.
///
/// An idle one owns no buffer: the loop lends both.
///
/// Input: one `recv` a readiness, handed over in place. Output: whatever is appended while a callback runs leaves by
/// one `sendmsg` at `flush`; what the kernel does not take waits in the backlog, by reference. Parts of files leave by
/// `sendfile`, after what was appended before them. A turn of the loop sends a bounded number of bytes to each client.
///
/// | ending | what goes on | left by |
/// | --- | --- | --- |
/// | none | input is delivered, output is sent | `closeAfterSending`, the end of input, `close`, `abort` |
/// | afterSending | the backlog goes out | an empty backlog, `close`, `abort` |
/// | lingering | our side is shut down, input is thrown away | the peer's end, too much input, `close`, `abort` |
/// | closed | the descriptor is gone, the delegate was told | nothing |
///
/// An error of the socket closes from every state.
@safe
public final class Connection {
    private let loop: EventLoop
    private var descriptor: Int32
    private var event: OpaquePointer?
    private var delegate: (any ConnectionDelegate)?
    private var leftover: [UInt8] = []
    private var backlog = OutputBacklog()
    private var watched: Int16 = 0
    private var ending = Ending.none
    private var isDelivering = false
    /// Whether the client has shut down its side.
    public private(set) var isInputEnded = false

    /// Input kept of an unfinished head, or while the delegate is busy; a longer head has been refused by then.
    private static let leftoverLimit = LentBuffers.inputBytes * 3 / 4
    /// Output that may wait; a client that does not read is not read either.
    public static let backlogLimit = 256 * 1024
    /// Output that leaves in one turn of the loop: a client that takes a lot must not hold up the others.
    static let turnLimit = 256 * 1024
    /// Input thrown away after the last answer, so that a close does not destroy it with a reset.
    private static let discardLimit = 256 * 1024

    private enum Ending {
        case none
        /// Close when the backlog is empty.
        case afterSending(lingering: Bool)
        /// Our side is shut down; input is thrown away until the peer closes too.
        case lingering(discarded: Int)
        case closed
    }

    /// Takes over an accepted socket.
    ///
    /// - Parameter isWatched: whether readiness is watched at once; else `readAtOnce` is the next call. A connection whose
    ///   request is there already, and whose answer ends it, is then never watched at all.
    /// - Returns: nil when libevent has no memory for the event; the socket is closed then.
    public init?(
        loop: EventLoop, socket: OwnedDescriptor, delegate: any ConnectionDelegate, isWatched: Bool = true
    ) {
        loop.preconditionCurrent()
        self.loop = loop
        descriptor = socket.release()
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe event = event_new(loop.base, descriptor, Int16(EV_PERSIST), connectionReady, context)
        guard unsafe event != nil else {
            ending = .closed
            _ = Glibc.close(descriptor)
            return nil
        }
        if isWatched { updateWatch() }
        guard !isClosed else { return nil }
        self.delegate = delegate
    }

    deinit {
        precondition(descriptor < 0 || isClosed, "a connection was let go without close()")
    }

    /// Whether the descriptor is gone.
    public var isClosed: Bool {
        if case .closed = ending { true } else { false }
    }

    /// Bytes that wait for the kernel.
    public var unsentBytes: Int { backlog.bytes }

    // MARK: Output

    /// Copies a few bytes behind what was appended before: heads and small answers.
    @inline(__always)
    public func append(_ bytes: Span<UInt8>) {
        guard !isClosed else { return }
        let lent = loop.lent
        guard backlog.isEmpty, bytes.count <= LentBuffers.scratchBytes else {
            flush()
            if !isClosed { unsafe bytes.withUnsafeBytes { unsafe backlog.append(copying: $0) } }
            return
        }
        if !lent.hasRoom(scratch: bytes.count) { flush() }
        guard backlog.isEmpty, !isClosed else {
            if !isClosed { unsafe bytes.withUnsafeBytes { unsafe backlog.append(copying: $0) } }
            return
        }
        unsafe bytes.withUnsafeBytes { source in
            if let base = source.baseAddress {
                unsafe (lent.scratch + lent.scratchUsed).copyMemory(from: base, byteCount: source.count)
            }
        }
        lent.commitScratch(bytes.count)
    }

    /// Appends `range` of `chunk` without a copy; `owner` keeps the chunk alive until the kernel has the bytes.
    ///
    /// A large range of a chunk that lies in a file leaves from there, so that the kernel does not copy it either.
    @inline(__always)
    public func append(_ chunk: Chunk, _ range: Range<Int>, owner: consuming any AnyObject & Sendable) {
        guard !range.isEmpty, !isClosed else { return }
        if range.count >= BodyArena.smallestBody, let region = chunk.region(owner: owner) {
            return append(region, range)
        }
        let base = unsafe chunk.pointer(at: range.lowerBound)
        if backlog.isEmpty, !loop.lent.hasRoom(scratch: 0) { flush() }
        guard !isClosed else { return }
        if backlog.isEmpty {
            unsafe loop.lent.append(base, count: range.count, owner: owner)
        } else {
            unsafe backlog.append(base, count: range.count, owner: owner)
        }
    }

    /// Appends `range` of a file, which the kernel moves to the socket itself; what was appended before leaves at once.
    ///
    /// Should the file have become shorter, the connection ends with a reset.
    public func append(_ region: FileRegion, _ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= region.count, "\(range) is outside of the region")
        guard !range.isEmpty, !isClosed else { return }
        sendGathered(hasMore: true)
        guard !isClosed else { return }
        backlog.append(region, range)
        if backlog.bytes == range.count { sendBacklog() }
    }

    /// Sends what was appended, by one `sendmsg`.
    ///
    /// Every entry from outside ends with it.
    @inline(__always)
    public func flush() {
        loop.assertCurrent()
        sendGathered(hasMore: false)
        settle()
    }

    /// - Parameter hasMore: whether more is appended right after.
    @inline(__always)
    private func sendGathered(hasMore: Bool) {
        let lent = loop.lent
        guard lent.pieces > 0 else { return }
        defer { lent.reset() }
        guard !isClosed else { return }
        switch lent.send(to: descriptor, atMost: Self.turnLimit, hasMore: hasMore) {
        case .done(let sent): keepUnsent(after: sent)
        case .wouldBlock: keepUnsent(after: 0)
        case .failed: finish()
        }
    }

    /// Moves what the kernel did not take into the backlog.
    private func keepUnsent(after sent: Int) {
        let lent = loop.lent
        var skip = sent
        for index in 0..<lent.pieces {
            let vector = unsafe lent.vectors[index]
            let length = unsafe vector.iov_len
            if skip >= length {
                skip -= length
                continue
            }
            guard let base = unsafe vector.iov_base else { continue }
            let count = length - skip
            if let owner = lent.owners[index] {
                unsafe backlog.append(base + skip, count: count, owner: owner)
            } else {
                unsafe backlog.append(copying: UnsafeRawBufferPointer(start: base + skip, count: count))
            }
            skip = 0
        }
    }

    private func drainBacklog() {
        guard !backlog.isEmpty else { return }
        assert(loop.lent.pieces == 0, "a gathered answer was not flushed")
        sendBacklog()
        guard backlog.isEmpty, !isClosed else { return }
        settle()
        if !isClosed {
            delegate?.connectionDrained(self)
            flush()
        }
    }

    /// A file that cannot be sent is an end by reset too: a length has been promised.
    private func sendBacklog() {
        if !backlog.send(to: descriptor, atMost: Self.turnLimit, by: loop.lent) { abort() }
    }

    // MARK: Input

    fileprivate func ready(_ events: Int16) {
        if events & Int16(EV_WRITE) != 0 { drainBacklog() }
        if events & Int16(EV_READ) != 0, !isClosed { receive() }
    }

    private func receive() {
        if case .lingering(let discarded) = ending { return discard(discarded) }
        if !leftover.isEmpty, !(delegate?.connectionWantsInput(self) ?? true) { return keepForLater() }
        let input = unsafe loop.lent.input
        let kept = leftover.count
        if kept > 0 { unsafe leftover.withUnsafeBytes { unsafe input.copyMemory(from: $0) } }
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: input[kept...])
        switch unsafe SystemCalls.receive(descriptor, into: room) {
        case .done(0): inputEnded()
        case .done(let received): deliver(kept + received)
        case .wouldBlock: break
        case .failed: finish()
        }
    }

    /// Puts what arrives while the delegate is busy behind what waits already.
    ///
    /// It is read at all so that a client's leaving is noticed.
    private func keepForLater() {
        let input = unsafe loop.lent.input
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: input[..<(Self.leftoverLimit - leftover.count)])
        switch unsafe SystemCalls.receive(descriptor, into: room) {
        case .done(0): inputEnded()
        case .done(let received):
            unsafe leftover.append(contentsOf: UnsafeRawBufferPointer(rebasing: input[..<received]))
            updateWatch()
        case .wouldBlock: break
        case .failed: finish()
        }
    }

    /// A client that has shut down its side gets what was appended; one that waits for more has most likely left.
    private func inputEnded() {
        isInputEnded = true
        leftover = []
        guard !backlog.isEmpty else { return finish() }
        closeAfterSending(lingering: false)
        updateWatch()
    }

    /// Reads what the kernel holds already, if anything.
    public func readAtOnce() {
        loop.assertCurrent()
        guard !isClosed, !isInputEnded else { return }
        receive()
        updateWatch()
    }

    /// Offers the kept input to the delegate again: it was busy and is no longer.
    public func redeliver() {
        loop.assertCurrent()
        guard !leftover.isEmpty, !isClosed, !isDelivering else { return }
        unsafe leftover.withUnsafeBytes { unsafe loop.lent.input.copyMemory(from: $0) }
        deliver(leftover.count)
    }

    private func deliver(_ count: Int) {
        isDelivering = true
        let start = unsafe UnsafePointer(loop.lent.input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        let bytes = unsafe Span(_unsafeStart: start.unsafelyUnwrapped, count: count)
        let consumed = delegate?.connection(self, received: bytes) ?? count
        isDelivering = false
        if consumed < count {
            leftover = unsafe Array(UnsafeBufferPointer(start: start, count: count)[consumed...])
        } else if !leftover.isEmpty {
            leftover = []
        }
        flush()
        updateWatch()
    }

    private func discard(_ discarded: Int) {
        switch unsafe SystemCalls.receive(descriptor, into: loop.lent.input) {
        case .done(let count) where count > 0 && discarded + count <= Self.discardLimit:
            ending = .lingering(discarded: discarded + count)
        case .wouldBlock: break
        case .done, .failed: finish()
        }
    }

    // MARK: Ends

    /// Closes as soon as everything appended has been sent.
    ///
    /// Lingering keeps an answer from being destroyed by the reset that follows unread input.
    public func closeAfterSending(lingering: Bool) {
        guard case .none = ending else { return }
        ending = .afterSending(lingering: lingering)
    }

    /// Closes now; what was not sent is lost.
    public func close() {
        finish()
    }

    /// Closes with a reset, so that the peer cannot take what it got for the whole.
    public func abort() {
        guard !isClosed else { return }
        SystemCalls.resetOnClose(descriptor)
        finish()
    }

    /// Acts on a wish to close once the backlog is empty, and keeps the watched events in step.
    private func settle() {
        if backlog.isEmpty, case .afterSending(let lingering) = ending {
            guard lingering, shutdown(descriptor, Int32(SHUT_WR)) == 0 else { return finish() }
            ending = .lingering(discarded: 0)
            leftover = []
        }
        updateWatch()
    }

    private func finish() {
        guard !isClosed else { return }
        ending = .closed
        if let event = unsafe event {
            unsafe event_free(event)
            unsafe self.event = nil
        }
        _ = Glibc.close(descriptor)  // Nothing can be done about a failing close.
        backlog.removeAll()
        leftover = []
        loop.lent.reset()
        let delegate = delegate
        self.delegate = nil
        delegate?.connectionEnded(self)
    }

    /// Reads only while there is room for input, writes only while there is a backlog.
    private func updateWatch() {
        guard !isClosed, let event = unsafe event else { return }
        let isFull = leftover.count >= Self.leftoverLimit || backlog.bytes >= Self.backlogLimit
        let reads = !isInputEnded && !isFull
        let wanted = Int16(reads ? EV_READ : 0) | Int16(backlog.isEmpty ? 0 : EV_WRITE)
        guard wanted != watched else { return }
        if watched != 0 { _ = unsafe event_del(event) }  // Fails only for a foreign event.
        watched = wanted
        guard wanted != 0 else { return }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let flags = wanted | Int16(EV_PERSIST)
        _ = unsafe event_assign(event, loop.base, descriptor, flags, connectionReady, context)
        if unsafe event_add(event, nil) != 0 { finish() }
    }
}

@available(*, unavailable)
extension Connection: Sendable {}

private func connectionReady(_ descriptor: Int32, _ events: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().ready(events)
}
