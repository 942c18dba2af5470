import Digests
import ObjectStore

/// Remembers which object a raw request target led to, so that the URL's way to its key is paid once.
///
/// Direct-mapped and of fixed size: a collision costs one canonicalisation. It owns no object; an alias is trusted only
/// while the entry it names is of the same generation and the configuration of the same epoch. Filled when a target is
/// seen for the second time, so that a crawl does not wash it out.
///
/// Owner: a serving loop.
struct AliasTable {
    /// Where a target led.
    struct Alias {
        /// The key's.
        let hash: KeyHash
        /// Where the memory tier has the object.
        let slot: UInt32
        /// Which occupant of the slot is meant.
        let generation: UInt32
        fileprivate let epoch: UInt64
        fileprivate let target: [UInt8]
    }

    private static let size = 8192
    /// Bytes of a target worth remembering: bounds the table to a few megabytes.
    private static let longestTarget = 1024
    private var aliases = [Alias?](repeating: nil, count: size)
    /// Fingerprints of targets seen once.
    private var seenOnce = [UInt64](repeating: 0, count: size)
    private let seed = UInt64.random(in: .min ... .max)

    /// The hash under which a target is kept.
    func fingerprint(_ target: Span<UInt8>) -> UInt64 {
        XXH3.hash64(target, seed: seed)
    }

    /// Finds where `target` led.
    @inline(__always)
    func find(_ target: Span<UInt8>, fingerprint: UInt64, epoch: UInt64) -> Alias? {
        guard let alias = aliases[Int(fingerprint % UInt64(Self.size))], alias.epoch == epoch,
            bytesEqual(alias.target.span, target)
        else { return nil }
        return alias
    }

    /// Notes where `target` led, if it was seen before.
    mutating func note(_ target: Span<UInt8>, fingerprint: UInt64, epoch: UInt64, hit: MemoryHit) {
        let index = Int(fingerprint % UInt64(Self.size))
        guard target.count <= Self.longestTarget else { return }
        guard seenOnce[index] == fingerprint else {
            seenOnce[index] = fingerprint
            return
        }
        aliases[index] = Alias(
            hash: hit.object.key.hash, slot: hit.slot, generation: hit.generation, epoch: epoch,
            target: target.copied())
    }
}

extension Span<UInt8> {
    /// A copy of the bytes.
    func copied() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for index in indices { bytes.append(self[index]) }
        return bytes
    }
}
