import Digests
import ObjectStore
import Testing

@Suite struct CacheKeyTests {
    private static let url = CacheKey(Array("http://o.test/a.png".utf8), seed: 7)

    private static func variant(_ text: String) -> CacheKey {
        CacheKey(variant: Array(text.utf8), of: url, seed: 7)
    }

    @Test func `a URL's hash is that of its bytes`() {
        let bytes = Self.url.bytes
        let digest = XXH3.hash128(bytes.span, seed: 7)
        #expect(Self.url.hash == KeyHash(high: digest.high, low: digest.low))
    }

    @Test(arguments: ["", "accept:image/avif\n", "accept\nx-size:1\n"])
    func `a variant has its URL's shard, and a hash of its own`(secondary: String) {
        let key = Self.variant(secondary)
        #expect(key.bytes == Self.url.bytes + [10] + Array(secondary.utf8))
        #expect(key.hash.high == Self.url.hash.high && key.hash.low != Self.url.hash.low)
        for count in 1...9 { #expect(key.hash.shard(of: count) == Self.url.hash.shard(of: count)) }
    }

    @Test func `variants are told apart, and the hash follows from the bytes`() {
        #expect(Self.variant("a:1\n") != Self.variant("a:2\n"))
        #expect(Self.variant("a:1\n").hash.low != Self.variant("a:2\n").hash.low)
        // What the scan of a directory computes.
        let key = Self.variant("a:1\n")
        let hash = KeyHash(of: key.bytes.span, seed: 7)
        #expect(hash == key.hash)
    }
}
