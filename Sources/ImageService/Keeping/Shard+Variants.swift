import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore

/// What a shard knows of a key when it sends a request on to a flight.
struct PriorKnowledge {
    /// What is stored and may be confirmed by the origin, or stand in for a failure.
    var stale: CachedObject?
    /// What the marker of the URL lists; nil when no marker is known.
    var variants: VariantSet?
    /// How a response varies that did not fit, or the one under the URL's key; tells better than the set who may share.
    var variance: Variance?
    /// The record to read from disk before the origin is asked; nil to ask it at once.
    var record: CacheKey?
}

/// Several stored responses of one URL (RFC 9111 §4.1).
///
/// The home loop alone changes a marker. It stands in both tiers; while flights of the URL run, each of them has the set
/// as it is now, so that it is not lost where the memory tier has no room for the marker.
extension Shard {
    /// The keys under which something of a URL may lie in either tier: its own, and those of all known variants.
    ///
    /// - Parameter variants: what is known of them besides.
    func recordKeys(of key: CacheKey, besides variants: VariantSet? = nil) -> [CacheKey] {
        let sets = [variants, core.memory.peek(key)?.variants] + (flights[key] ?? []).map(\.variants)
        var keys = [key]
        for entry in sets.compactMap(\.self).flatMap(\.entries) {
            let record = recordKey(of: entry, key)
            if !keys.contains(record) { keys.append(record) }
        }
        return keys
    }

    /// The key of one variant's record.
    func recordKey(of entry: VariantSet.Entry, _ key: CacheKey) -> CacheKey {
        CacheKey(variant: entry.key, of: key, seed: core.hashSeed)
    }

    /// Takes the variant that a request selects: from memory, else from disk, else from the origin.
    func choose(among variants: VariantSet, for request: LoadRequest) {
        guard let entry = variants.selected(by: request.forwarded) else {
            return fly(request, PriorKnowledge(variants: variants))
        }
        let record = recordKey(of: entry, request.key)
        if let object = takeFromMemory(record, for: request) {
            consider(object, for: request, detail: .memory, among: variants)
        } else if let object = takeFromDisk(record, admittedUnder: request.snapshot.epoch) {
            consider(object, for: request, detail: .disk, among: variants)
        } else {
            fly(request, PriorKnowledge(variants: variants, record: onDisk(record)))
        }
    }

    /// The key, when the disk may have its record.
    func onDisk(_ key: CacheKey) -> CacheKey? {
        disk?.contains(key) == .maybe ? key : nil
    }

    // MARK: Changing

    /// Brings the marker of a URL up to date after a response was stored at its place.
    ///
    /// - Parameter former: the set before.
    func settle(_ placement: VariantPlacement, of key: CacheKey, instead former: VariantSet?) {
        for record in placement.leaving { removeRecord(record) }
        mark(placement.variants, of: key, instead: former)
    }

    /// Removes the response that a request selects, and leaves the others.
    ///
    /// - Parameter variants: what the marker lists; nil when there is none.
    func discard(selectedBy request: Fields, of key: CacheKey, among variants: VariantSet?) {
        guard let variants else { return removeRecord(key) }
        guard let entry = variants.selected(by: request) else { return }
        removeRecord(recordKey(of: entry, key))
        let rest = variants.removing(entry)
        if rest.isEmpty { removeRecord(key) }
        mark(rest.isEmpty ? nil : rest, of: key, instead: variants)
    }

    /// Removes a record from both tiers.
    func removeRecord(_ record: CacheKey) {
        _ = core.memory.remove(record)
        _ = disk?.remove(record)
    }

    /// Puts a changed marker, or one that a tier has lost, into both tiers, and tells the flights that run.
    ///
    /// - Parameter variants: what it lists; nil when something else lies in its place, or nothing.
    private func mark(_ variants: VariantSet?, of key: CacheKey, instead former: VariantSet?) {
        for flight in flights[key] ?? [] { flight.variants = variants }
        guard let variants else { return }
        let isKnown = (core.memory.peek(key)?.variants ?? former) == variants
        if isKnown, disk == nil || onDisk(key) != nil { return }
        let now = HTTPDate(secondsSinceEpoch: WallClock.seconds())
        var times = StoredTimes(requestTime: now, responseTime: now, initialAgeSeconds: 0)
        times.purgeNumber = purging.bans.lastNumber
        let marker = CachedObject(markerOf: key, variants: variants, times: times, now: loop.now)
        if !isKnown { _ = core.memory.store(marker) }
        writeToDisk(marker)
    }
}
