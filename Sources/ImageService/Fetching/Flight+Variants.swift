import HTTPCaching
import HTTPMessages
import ObjectStore
import Origin
import Settings

/// Who may share a flight, and where what it brings has its place, when the responses of a URL vary (RFC 9111 §4.1).
///
/// Before the head is there, the stored responses tell who asks for the same; with none, everyone may wait, and the head
/// decides: those whom it does not fit are sent round once more.
extension Flight {
    /// Whether a request asks for the same response as the one that began the flight, as far as is known.
    func isAlike(_ request: LoadRequest) -> Bool {
        if let variance = headVariance ?? predictedVariance { return isSameAnswer(for: request, variance) }
        return variants?.mayShare(leader.forwarded, request.forwarded) ?? true
    }

    /// Whether a response that varies so and fits the request that began the flight fits another one, too.
    ///
    /// What `*` depends on cannot be seen; only an equal request, before the head, may share the answer.
    func isSameAnswer(for request: LoadRequest, _ variance: Variance) -> Bool {
        guard let own = variance.secondaryKey(request: leader.forwarded) else {
            return !machine.hasHead && request.forwarded == leader.forwarded
        }
        return variance.secondaryKey(request: request.forwarded) == own
    }

    /// Whether what is stored and being validated is what a request selects, as far as is known.
    func validatesSelection(of request: LoadRequest) -> Bool {
        guard let stale, !isSuperseded else { return false }
        if let variants { return variants.selected(by: request.forwarded)?.key == stale.variantKey }
        let variance = request.snapshot.rules.variance(of: stale.response.fields)
        return variance.secondaryKey(request: request.forwarded) == stale.variantKey
    }

    /// Whether a younger response, which varies so, takes the place of what this flight brings.
    ///
    /// A response known to vary stays beside one that does not (`VariantSet.storing`), unless it fits the younger request.
    func isOutdated(by younger: Flight, _ variance: Variance) -> Bool {
        if let own = headVariance, own != .none, own != .any { return isSameAnswer(for: younger.leader, own) }
        return younger.isSameAnswer(for: leader, variance)
    }

    /// How the responses of the URL vary: by the head that came, else by what is stored.
    var knownVariance: Variance {
        if let own = refusalVariance ?? headVariance, own != .none { return own }
        return predictedVariance ?? variants?.entries.first?.variance ?? .none
    }

    private var headVariance: Variance? { head.map { leader.snapshot.rules.variance(of: $0.fields) } }

    /// Sends those round again who asked for another variant than the one that came.
    func separateMisfits(_ variance: Variance) {
        guard variance != .none else { return }
        let own = variance.secondaryKey(request: leader.forwarded)
        let misfits = requests.filter { request in
            guard let own else { return request.forwarded != leader.forwarded }
            return variance.secondaryKey(request: request.forwarded) != own
        }
        for request in misfits {
            release(request)
            shard.fly(request, PriorKnowledge(variants: variants, variance: variance))
        }
    }

    // MARK: Keeping

    /// The place of a response of this flight, by the set as it is now.
    func placement(_ variance: Variance) -> VariantPlacement {
        VariantPlacement(
            of: key, variance: variance, request: leader.forwarded, among: variants,
            limit: leader.snapshot.configuration.freshness.maxVariants, seed: shard.core.hashSeed)
    }

    /// An older answer must not outlive a newer one that may not be stored; other variants stay (RFC 9111 §4.3.3).
    func discardStored() {
        guard !isSuperseded, !isDetached else { return }
        shard.discard(selectedBy: leader.forwarded, of: key, among: variants)
    }
}
