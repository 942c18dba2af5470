import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore
import Origin

/// An image as a Swift program gets it.
public struct LoadedImage: Sendable {
    /// The bytes, in one piece, shared with the cache.
    public let body: Chunk
    /// The media type, as decided from the bytes.
    public let mediaType: String
    /// Whether it came from the memory or the disk tier without a word of the origin.
    public let isFromCache: Bool
}

/// A load on its way from `ImageStore` to the loop that answers it.
struct EmbeddedRequest: Sendable {
    /// What to load.
    let url: TargetURL
    /// Its key, by which the loop was chosen.
    let key: CacheKey
    /// Its place in the download queue.
    let priority: Priority
    /// Whom to tell, once.
    let completion: @Sendable (Result<LoadedImage, Failure>) -> Void
}

/// Waits for an image on behalf of a Swift program, until it is whole.
///
/// Owner: the home loop of its key, where the completion is called.
final class EmbeddedLoad: Awaiting {
    private let request: EmbeddedRequest
    private unowned let serving: ServingLoop
    private let number: UInt64
    private let startedAt: Instant
    private var isDone = false

    /// Makes a load that asks nobody before `begin`.
    init(_ request: EmbeddedRequest, serving: ServingLoop) {
        self.request = request
        self.serving = serving
        number = serving.newNumber()
        startedAt = serving.loop.now
    }

    /// Asks the shard, unless a rule refuses the URL.
    func begin() {
        let snapshot = serving.snapshot
        if case .refused(let rule) = snapshot.policy.judge(request.url) {
            serving.counters.countBlocked(rule.label)
            return finish(.failure(.notAllowed(rule: rule.label)), follower: nil)
        }
        let load = LoadRequest(
            waiter: WaiterID(loop: serving.index, number: number), key: request.key, url: request.url,
            forwarded: snapshot.rules.forwardedFields(of: Fields()), directives: RequestDirectives(),
            priority: request.priority, snapshot: snapshot)
        serving.load(load, for: self)
    }

    /// Completes with a whole object.
    func received(_ object: CachedObject, _ provenance: Provenance, isCollapsed: Bool) {
        count(provenance.result(isCollapsed: isCollapsed))
        succeed(object.body, object.response, isFromCache: !provenance.isFetched, follower: nil)
    }

    /// Completes with a failure.
    func received(_ report: FailureReport, isCollapsed: Bool) {
        count(report.isRemembered ? .requestsNegativeHit : .requestsError)
        finish(.failure(report.failure), follower: nil)
    }

    /// Waits on until the body is whole, which it may be already.
    func began(_ follower: Follower, isCollapsed: Bool) {
        count(isCollapsed ? .requestsCoalesced : .requestsMiss)
        advanced(follower)
    }

    /// Completes when the body has ended.
    func advanced(_ follower: Follower) {
        switch follower.body.end {
        case nil: break
        case .failed(let failure): finish(.failure(failure), follower: follower)
        case .complete:
            succeed(follower.body.joined(), follower.stream.response, isFromCache: false, follower: follower)
        }
    }

    private func count(_ result: Counter) {
        serving.counters.add(result)
        serving.counters.observeRequest(result, seconds: (Instant.now() - startedAt).inSeconds)
    }

    private func succeed(_ body: Chunk, _ response: StoredResponse, isFromCache: Bool, follower: Follower?) {
        let type = response.fields.firstString(.contentType) ?? "application/octet-stream"
        finish(.success(LoadedImage(body: body, mediaType: type, isFromCache: isFromCache)), follower: follower)
    }

    private func finish(_ result: Result<LoadedImage, Failure>, follower: Follower?) {
        guard !isDone else { return }
        isDone = true
        serving.stopWaiting(number, follower: follower, key: request.key, tellsHome: false)
        request.completion(result)
    }
}

@available(*, unavailable)
extension EmbeddedLoad: Sendable {}
