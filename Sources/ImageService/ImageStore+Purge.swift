import EventLoops

/// What a Swift program wants to have purged.
public enum PurgeScope: Hashable, Sendable {
    /// One image with all its variants, by any spelling of its URL.
    case url(String)
    /// What lies at a URL or below it: `http://host/a` takes `http://host/a/b` and `http://host/a?b`, not `/ab`.
    case prefix(String)
    /// A host with both schemes and every port; `*.example.com` takes all below it.
    case host(String)
    /// Everything.
    case all
}

extension ImageStore {
    /// Purges images from both tiers.
    ///
    /// What is being fetched meanwhile is given to those who wait for it and not kept.
    ///
    /// - Parameters:
    ///   - isSoft: mark them stale instead: the next load validates them, and the rules on stale responses apply.
    ///   - completion: called once, on one of the store's loops, when the purge is in force everywhere and outlives a
    ///     restart; with `draining`, at once by a store that does not run, and at its end by one that stops meanwhile.
    public func purge(
        _ scope: PurgeScope, isSoft: Bool = false,
        completion: @escaping @Sendable (Result<PurgeReport, Failure>) -> Void
    ) {
        guard isRunning else { return completion(.failure(.draining)) }
        do throws(Failure) {
            core.purges.order(try target(of: scope), isSoft: isSoft, loop: 0, completion: completion)
        } catch {
            core.purges.refuse(error, loop: 0, completion: completion)
        }
    }

    private func target(of scope: PurgeScope) throws(Failure) -> PurgeTarget {
        switch scope {
        case .url(let url):
            try .url(decoded: Array(url.utf8).span, limit: maxURLLength, seed: core.hashSeed)
        case .prefix(let url): try .prefix(decoded: Array(url.utf8).span, limit: maxURLLength)
        case .host(let host): try .host(host)
        case .all: .all
        }
    }
}
