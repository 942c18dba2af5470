import EventLoops
import HTTPMessages
import Settings

/// What is cached, as operators change it.
extension Exchange {
    /// `DELETE /images`: purges by URL, prefix or host, or everything.
    func images(_ query: Span<UInt8>, host: Span<UInt8>) {
        guard head.method == .delete else {
            return fail(.methodNotAllowed(detail: "Only DELETE is served here, to purge."), allow: "DELETE")
        }
        guard !CrossSite.isRefused(fields, host: host) else { return fail(.crossSite) }
        do throws(Failure) {
            let query = try PurgeQuery(query)
            let core = serving.core
            let target = try query.target(limit: snapshot.configuration.maxURLLength, seed: core.hashSeed)
            let waiting = LoopBound(ExchangeReference(self), loop: serving.loop)
            core.purges.order(target, isSoft: query.isSoft, loop: serving.index) {
                waiting.value.exchange?.purged($0)
            }
        } catch {
            fail(error)
        }
    }

    /// Tells what a purge did, if the client is still there to hear it.
    fileprivate func purged(_ outcome: PurgeOutcome) {
        guard state == .awaiting else { return }
        switch outcome {
        case .failure(let failure): fail(failure)
        case .success(let report):
            var json = JSONWriter()
            json.beginObject()
            json.key("purged")
            json.number(report.purged)
            if let job = report.job {
                json.key("job")
                json.string(job)
            }
            json.endObject()
            respond(body: json.bytes, type: "application/json", cacheControl: "no-store")
        }
    }
}

/// Keeps no exchange alive: the last to let go of a purge may be another thread, which must not end a connection.
private final class ExchangeReference {
    weak var exchange: Exchange?

    init(_ exchange: Exchange) {
        self.exchange = exchange
    }
}
