import Digests
import Testing

struct Base64URLTests {
    /// RFC 4648 section 10, without padding, and the two letters of section 5.
    static let pairs: [(bytes: [UInt8], text: String)] = [
        ([], ""), (Array("f".utf8), "Zg"), (Array("fo".utf8), "Zm8"), (Array("foo".utf8), "Zm9v"),
        (Array("foob".utf8), "Zm9vYg"), (Array("fooba".utf8), "Zm9vYmE"), (Array("foobar".utf8), "Zm9vYmFy"),
        ([0xFB, 0xFF], "-_8"),
    ]

    @Test func `the vectors of RFC 4648 come out and go back`() {
        for pair in Self.pairs {
            let text = Array(pair.text.utf8)
            #expect(encode(pair.bytes) == text)
            #expect(decode(text) == pair.bytes)
        }
    }

    @Test func `every length survives the way there and back`() {
        for length in 0..<70 {
            let bytes = sampleBytes(length)
            #expect(decode(encode(bytes)) == bytes)
        }
    }

    @Test func `padding may stand where it belongs`() {
        #expect(decode(Array("Zg==".utf8)) == Array("f".utf8))
        #expect(decode(Array("Zm8=".utf8)) == Array("fo".utf8))
    }

    /// Foreign letters, impossible lengths, wrong padding, leftover bits.
    @Test(arguments: ["Z", "Zm9vY", "Zm+v", "Zm/v", "Zm v", "Zg=", "Zm8==", "Zm9v=", "====", "=", "Zh", "Zm9"])
    func `anything else is refused`(text: String) {
        #expect(decode(Array(text.utf8)) == nil)
    }
}
