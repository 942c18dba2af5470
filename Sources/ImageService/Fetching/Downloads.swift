import EventLoops
import Settings
import Synchronization

/// The one owner of the download queue in the process: grants permits by message, so that the limits are exact
/// whatever the number of loops.
///
/// Owner: loop 0.
final class Downloads {
    private let loop: EventLoop
    private var queue: DownloadQueue
    private var queueTimeout: Duration
    private var timer: Timer?
    private var isTimerSet = false
    private var shards: [Mailbox<ShardMessage>] = []
    private let gauges: DownloadGauges
    /// Set right after creation: the mailbox needs the owner as its handler.
    private var mailbox: Mailbox<DownloadsMessage>?

    /// Makes the owner; it answers nobody before `connect`.
    init(loop: EventLoop, snapshot: Snapshot, gauges: DownloadGauges) {
        self.loop = loop
        self.gauges = gauges
        queue = DownloadQueue(limits: DownloadQueue.Limits(snapshot.configuration))
        queueTimeout = snapshot.configuration.queueTimeout
        timer = Timer(loop: loop) { [unowned self] in expire() }
    }

    /// Tells the owner whom it answers.
    ///
    /// Before the loops start.
    func connect(shards: [Mailbox<ShardMessage>], own mailbox: Mailbox<DownloadsMessage>) {
        self.shards = shards
        self.mailbox = mailbox
    }

    /// Takes a message; each may free room, so permits are granted after every one.
    func receive(_ message: DownloadsMessage) {
        switch message {
        case .request(let request): enqueue(request)
        case .raise(let flight): queue.raise(flight)
        case .cancel(let flight): _ = queue.cancel(flight)  // One that runs is ended by its flight, by `finished`.
        case .finished(let flight): queue.finish(flight)
        case .released(let bytes): queue.release(bytes: bytes)
        case .configure(let snapshot):
            queue.limits = DownloadQueue.Limits(snapshot.configuration)
            queueTimeout = snapshot.configuration.queueTimeout
        }
        grant()
        gauges.update(queue)
    }

    private func enqueue(_ request: PermitRequest) {
        guard queue.enqueue(request, deadline: loop.now + queueTimeout) else {
            return refuse(request, .overloaded("the queue is full"))
        }
    }

    private func grant() {
        guard let mailbox else { return }
        while let (request, bytes) = queue.grantNext() {
            let lease = Lease(bytes: bytes, downloads: mailbox)
            shards[request.flight.home].post(.permitGranted(flight: request.flight.number, lease))
        }
        setTimer()
    }

    private func refuse(_ request: PermitRequest, _ failure: Failure) {
        shards[request.flight.home].post(.permitRefused(flight: request.flight.number, failure))
    }

    private func expire() {
        isTimerSet = false
        for request in queue.expire(now: loop.now) { refuse(request, .overloaded("waited for queueTimeout")) }
        // What expired may have been what the others waited behind.
        grant()
        gauges.update(queue)
    }

    private func setTimer() {
        guard !isTimerSet, let deadline = queue.nextDeadline else { return }
        isTimerSet = true
        timer?.schedule(after: max(.milliseconds(1), deadline - loop.now))
    }

    /// Lets go of what is bound to the loop.
    func close() {
        timer = nil
    }
}

extension DownloadQueue.Limits {
    /// Takes the limits out of the configuration.
    init(_ configuration: Configuration) {
        self.init(
            downloads: configuration.maxDownloads, downloadsPerHost: configuration.maxDownloadsPerHost,
            queue: configuration.maxQueue, inFlightBytes: configuration.inFlightLimit)
    }
}

/// The queue as other threads see it.
final class DownloadGauges: Sendable {
    /// Requests that wait for a permit.
    let queued = Atomic<Int>(0)
    /// Downloads that hold one.
    let active = Atomic<Int>(0)
    /// Bytes reserved for downloads.
    let inFlightBytes = Atomic<Int>(0)

    /// Publishes the queue's figures.
    ///
    /// Owner: loop 0.
    func update(_ queue: DownloadQueue) {
        queued.store(queue.waitingCount, ordering: .relaxed)
        active.store(queue.runningCount, ordering: .relaxed)
        inFlightBytes.store(queue.inFlightBytes, ordering: .relaxed)
    }
}
