import Digests
import Testing

struct HMACSHA256Tests {
    struct Vector: Sendable {
        var key: [UInt8]
        var message: [UInt8]
        var code: String
    }

    /// RFC 4231 sections 4.2, 4.3, 4.4 and 4.7; last: no key and no message.
    static let vectors: [Vector] = [
        Vector(
            key: [UInt8](repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Vector(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Vector(
            key: [UInt8](repeating: 0xAA, count: 20), message: [UInt8](repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Vector(
            key: [UInt8](repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Vector(
            key: [], message: [],
            code: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ]

    @Test(arguments: vectors)
    func `the vectors of RFC 4231 come out`(vector: Vector) {
        let code = HMACSHA256.authenticate(key: vector.key.span, message: vector.message.span)

        #expect(hex(code) == vector.code)
        #expect(isValid(code, key: vector.key, message: vector.message))
    }

    @Test func `a code with one bit changed or cut short is not valid`() {
        let key = Array("secret".utf8)
        let message = Array("http://example.com/a.png".utf8)
        let code = HMACSHA256.authenticate(key: key.span, message: message.span)
        for index in code.indices {
            var changed = code
            changed[index] ^= 1
            #expect(!isValid(changed, key: key, message: message))
            #expect(!isValid(Array(code[..<index]), key: key, message: message))
        }
    }
}

struct ComparisonTests {
    @Test func `both comparisons see every byte and the length`() {
        for length in [0, 1, 8, 33] {
            let bytes = sampleBytes(length)
            #expect(areEqualInConstantTime(bytes, bytes))
            #expect(areEqual(bytes, bytes))
            let longer = bytes + [0]
            #expect(!areEqualInConstantTime(bytes, longer))
            #expect(!areEqual(bytes, longer))
            for index in 0..<length {
                var changed = bytes
                changed[index] ^= 0x80
                #expect(!areEqualInConstantTime(bytes, changed))
                #expect(!areEqual(bytes, changed))
            }
        }
    }
}
