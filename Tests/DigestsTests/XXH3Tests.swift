import Digests
import Testing

struct XXH3Tests {
    @Test func `the empty input has the published hashes`() {
        let empty: [UInt8] = []

        #expect(hash64(empty) == 0x2D06_8005_38D3_94C2)
        #expect(hash128(empty) == Digest128(high: 0x99AA_06D3_0147_98D8, low: 0x6001_C324_468D_497F))
    }

    @Test func `the seed changes both hashes`() {
        let bytes = sampleBytes(80)

        #expect(hash64(bytes, seed: 1) != hash64(bytes, seed: 2))
        #expect(hash128(bytes, seed: 1) != hash128(bytes, seed: 2))
    }

    @Test(arguments: [0, 1, 16, 240, 241, 1_024, 5_000])
    func `bytes in pieces hash like bytes at once`(length: Int) {
        let bytes = sampleBytes(length)
        for piece in [1, 7, 64, 255, 4_096] {
            var hasher = XXH3Hasher(seed: 42)
            var start = 0
            while start < length {
                let end = min(start + piece, length)
                hasher.update(bytes.span.extracting(start..<end))
                start = end
            }
            let digest64 = hasher.digest64()
            let digest128 = hasher.digest128()

            #expect(digest64 == hash64(bytes, seed: 42))
            #expect(digest128 == hash128(bytes, seed: 42))
        }
    }

    @Test func `a digest does not end the hash`() {
        let bytes = sampleBytes(600)
        var hasher = XXH3Hasher()
        hasher.update(bytes.span.extracting(0..<300))
        let half = hasher.digest64()
        hasher.update(bytes.span.extracting(300..<600))
        let whole = hasher.digest64()

        #expect(half == hash64(Array(bytes[..<300])))
        #expect(whole == hash64(bytes))
    }
}
