import HTTPCaching
import HTTPMessages
import ObjectStore

/// Where a response goes among the stored ones of its URL, and what has to go for it.
///
/// Pure. A URL with one response that does not vary has it under its own key. Every other URL has a marker there, which
/// lists what is stored, and each response under a key of its own:
///
/// | stored | under the URL's key | under URL, line feed, secondary key |
/// | --- | --- | --- |
/// | one response without `Vary` | the response | nothing |
/// | anything else | the marker | each response |
struct VariantPlacement {
    /// The key under which the response is kept.
    let record: CacheKey
    /// What tells it apart from the other responses of its URL; empty without `Vary`.
    let secondaryKey: [UInt8]
    /// What the marker lists from now on; nil when there is none any more.
    let variants: VariantSet?
    /// The records that must go.
    let leaving: [CacheKey]

    /// Finds the place of the response to `request`.
    ///
    /// A response that varies on everything is never stored; its place is that of a plain one.
    ///
    /// - Parameters:
    ///   - url: the key of the URL.
    ///   - former: what the marker lists; nil when there is none.
    ///   - limit: how many responses of one URL are kept.
    ///   - seed: the seed of key hashes.
    init(
        of url: CacheKey, variance: Variance, request: Fields, among former: VariantSet?, limit: Int, seed: UInt64
    ) {
        guard let entry = VariantSet.Entry(variance, for: request) else {
            (record, secondaryKey, variants, leaving) = (url, [], former, [])
            return
        }
        func key(_ entry: VariantSet.Entry) -> CacheKey { CacheKey(variant: entry.key, of: url, seed: seed) }
        secondaryKey = entry.key
        let change = (former ?? VariantSet()).storing(entry, for: request, limit: limit)
        if change.set.isPlain {
            record = url
            variants = nil
            leaving = (former?.entries ?? []).map(key)
        } else {
            record = key(entry)
            variants = change.set
            leaving = change.left.map(key)
        }
    }
}
