import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore
import Origin

/// Names a flight in the whole process.
struct FlightID: Hashable, Sendable {
    /// The loop that owns it.
    let home: Int
    /// Its number among the flights of that loop.
    let number: UInt64
}

/// Names somebody who waits for an answer, in the whole process.
struct WaiterID: Hashable, Sendable {
    /// The loop on which it lives.
    let loop: Int
    /// Its number on that loop.
    let number: UInt64
}

/// The order in the download queue.
public enum Priority: Int, Comparable, Sendable {
    /// Prefetching, and what only may become visible.
    case low
    /// Somebody is looking.
    case high

    /// Orders by urgency.
    public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
}

/// What a request asks of the home loop of its key.
struct LoadRequest: Sendable {
    /// Whom to answer; nil for work that nobody waits for.
    let waiter: WaiterID?
    /// What is asked for, and by which the home loop is found.
    let key: CacheKey
    /// Where the origin has it.
    let url: TargetURL
    /// The request fields that go to the origin, and by which variants are told apart.
    let forwarded: Fields
    /// What the client's `Cache-Control` allows and asks.
    let directives: RequestDirectives
    /// Its place in the download queue, if it comes to that.
    var priority = Priority.high
    /// Answer from memory or disk, or not at all.
    var isCacheOnly = false
    /// Whether the client sent `Authorization`, passed on or not.
    var isAuthorized = false
    /// Whether it was refused for what another request sent, and shares a download with its like only.
    var joinsOnlyAlike = false
    /// The proxies that the client's request came through.
    var via: [UInt8]?
    /// The configuration that the request began with.
    let snapshot: Snapshot

    /// Whether the origin is told who asks: then the answer is for nobody else, and nobody else's is for this client.
    var hasCredentials: Bool { forwarded.contains(.authorization) || forwarded.contains(.cookie) }

    /// Whether the client wants nothing that was fetched before it asked, and may want that.
    var wantsNewFetch: Bool {
        snapshot.caching.honorsClientDirectives && (directives.noCache || directives.maxAge == 0)
    }

    /// Whether the origin may be asked for it.
    var mayFetch: Bool { !isCacheOnly && !directives.onlyIfCached && !snapshot.caching.isOffline }
}

/// To the home loop of a key.
enum ShardMessage: Sendable {
    /// Somebody asks for an image.
    case load(LoadRequest)
    /// The client has gone.
    case leave(WaiterID)
    /// Pause the downloads of a key; the next load resumes them.
    case suspend(CacheKey)
    /// End the downloads of a key and tell who waits.
    case cancel(CacheKey)
    /// A download may begin; it holds the lease until its bytes are no longer in flight.
    case permitGranted(flight: UInt64, Lease)
    /// A download may not begin: the queue is full, or the wait took too long.
    case permitRefused(flight: UInt64, Failure)
    /// Another configuration is in force.
    case configure(Snapshot)
    /// Remove, or mark stale, what an operator named.
    case purge(PurgeOrder)
    /// Go on with a purge that looks at the whole memory tier, by its number.
    case purgeSlice(UInt64)
    /// Judge these records, whose files were seen to be purged, and be rid of them.
    case judgeFiles([CacheKey], PurgeBatch)
    /// Nothing is left of what these purges concern.
    case forgetBans(Set<UInt64>)
    /// Look for the files of purges again, after a while.
    case walkLater(Duration)
    /// Write out what is queued for the disk, end what runs, then open the gate.
    case shutDown(Gate)
}

/// To the owner of downloads, on loop 0.
enum DownloadsMessage: Sendable {
    /// A flight wants to download.
    case request(PermitRequest)
    /// Somebody with high priority has joined.
    case raise(FlightID)
    /// A flight wants no permit any more; means nothing when it has one.
    case cancel(FlightID)
    /// A download has ended: its slot is free.
    case finished(FlightID)
    /// Reserved bytes come back.
    case released(bytes: Int)
    /// Another configuration is in force.
    case configure(Snapshot)
}

/// To a loop that holds connections.
enum ServingMessage: Sendable {
    /// A connection of a Unix socket, whose one listener deals them out in turn.
    case accepted(OwnedDescriptor, ListenerRole)
    /// A load that a Swift program asked for.
    case embedded(EmbeddedRequest)
    /// One that failed before it could begin; told here, so that no completion runs on its caller's thread.
    case refusedEmbedded(Failure, @Sendable (Result<LoadedImage, Failure>) -> Void)
    /// A whole object answers these waiters.
    case object(CachedObject, Provenance, [Recipient])
    /// A failure answers these waiters.
    case failed(FailureReport, [Recipient])
    /// A body is on its way to these waiters; what is there of it comes along.
    case streamBegan(FlightStream, BodyProgress, [Recipient])
    /// More of a body that this loop follows; one message for all waiters of the loop.
    case streamAdvanced(FlightID, BodyProgress)
    /// A purge has ended; told here, so that its completion runs on a loop.
    case purged(PurgeOutcome, @Sendable (PurgeOutcome) -> Void)
    /// Another configuration is in force.
    case configure(Snapshot)
    /// Take no more clients, finish what runs, then open the gate; operators are served on.
    case drain(Gate)
    /// Close every connection as it is, then open the gate.
    case closeAll(Gate)
}

/// What a listener serves.
enum ListenerRole: Sendable {
    /// Images for applications; figures and health for operators.
    case data, admin
}

/// One of those whom a message answers.
struct Recipient: Hashable, Sendable {
    /// The number of its `WaiterID` on the loop that gets the message.
    let number: UInt64
    /// Whether it joined a download that another request had begun.
    let isCollapsed: Bool
}

/// How an object came to be the answer; becomes `Cache-Status` and the request's result.
enum Provenance: Hashable, Sendable {
    /// Stored before; the detail tells where, or why it was served stale.
    case hit(CacheStatus.Detail)
    /// The origin sent it.
    case fetched(CacheStatus.ForwardReason, isStored: Bool)
    /// The origin confirmed what was stored.
    case revalidated(CacheStatus.ForwardReason)
}

/// A failure on its way to its waiters.
struct FailureReport: Sendable {
    /// What went wrong.
    let failure: Failure
    /// For how long it is remembered; 0 when it is not.
    let remembersSeconds: Int64
    /// Whether it was remembered from before: nothing was fetched for it.
    var isRemembered = false
    /// Why the request went to the origin, when it did.
    var reason: CacheStatus.ForwardReason?
}
