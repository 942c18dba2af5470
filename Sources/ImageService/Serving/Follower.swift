import ObjectStore

/// Somebody on a serving loop who waits for an answer from a shard: an exchange, or a load of the embedding program.
protocol Awaiting: AnyObject {
    /// A whole object is the answer.
    func received(_ object: CachedObject, _ provenance: Provenance, isCollapsed: Bool)
    /// A failure is the answer.
    func received(_ report: FailureReport, isCollapsed: Bool)
    /// A body is on its way; some of it may be there already.
    func began(_ follower: Follower, isCollapsed: Bool)
    /// More of it is there, or it has ended.
    func advanced(_ follower: Follower)
}

/// One loop's view of a flight: its stream, the body so far, and who on this loop waits for it.
///
/// Owner: the loop.
final class Follower {
    /// What is the same for everyone who waits.
    let stream: FlightStream
    /// The body as far as this loop was told.
    private(set) var body = FollowedBody()
    private var waiting: [UInt64: any Awaiting] = [:]

    /// Makes a follower that nobody waits for yet.
    init(_ stream: FlightStream) {
        self.stream = stream
    }

    /// Whether nobody waits here any more.
    var isUnused: Bool { waiting.isEmpty }

    /// Has somebody told of news, under its number on this loop.
    func add(_ awaiting: any Awaiting, number: UInt64) {
        waiting[number] = awaiting
    }

    /// Forgets one who has all it wants, or has left.
    func remove(_ number: UInt64) {
        waiting[number] = nil
    }

    /// Takes news in and passes them on.
    func advance(_ progress: BodyProgress) {
        body.advance(progress)
        for awaiting in Array(waiting.values) { awaiting.advanced(self) }
    }

    /// Takes news in that a newcomer brought along; those who wait already hear of them, too.
    func merge(_ progress: BodyProgress) {
        guard !progress.newChunks.isEmpty || progress.available > body.available || progress.end != nil else { return }
        advance(progress)
    }
}

@available(*, unavailable)
extension Follower: Sendable {}
