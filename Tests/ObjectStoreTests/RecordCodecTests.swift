import Digests
import EventLoops
import Testing

@testable import ObjectStore

@Suite struct RecordCodecTests {
    static let key = Array("http://example.com/a.png".utf8)
    static let head = Array("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n".utf8)
    static let body: [UInt8] = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    static let times = RecordTimes(
        requestTime: 1_700_000_000, responseTime: 1_700_000_001, initialAgeSeconds: 5, lifetimeLimitSeconds: -1,
        flags: 3, uses: 4)

    static func file() throws -> [UInt8] {
        try encode(key: key, head: head, body: body) + body
    }

    /// The prefix; a macro cannot take a span.
    static func encode(key: [UInt8], head: [UInt8], body: [UInt8]) throws -> [UInt8] {
        let prefix = RecordPrefix.encode(key: key, head: head, times: times, body: body.span)
        return try #require(prefix)
    }

    /// All of a file through the reader: the prefix, then the body's check.
    static func decode(_ file: [UInt8]) throws(RecordDamage) -> (RecordPrefix, [UInt8]) {
        let prefix = try RecordPrefix(file, fileBytes: file.count)
        let body = Array(file[prefix.header.bodyOffset...])
        try prefix.check(body: body.span)
        return (prefix, body)
    }

    @Test func `a record reads back as it was written`() throws {
        let (prefix, body) = try Self.decode(Self.file())
        #expect(prefix.key == Self.key)
        #expect(prefix.head == Self.head)
        #expect(prefix.slot == RecordSlot(sequence: 1, times: Self.times))
        #expect(body == Self.body)
        #expect(prefix.header.bodyOffset % 512 == 0)
    }

    @Test func `a record without head and body is a record`() throws {
        let file = try Self.encode(key: [65], head: [], body: [])
        let (prefix, body) = try Self.decode(file)
        #expect(prefix.key == [65] && prefix.head.isEmpty && body.isEmpty)
    }

    @Test func `no byte flipped gives a wrong answer`() throws {
        let good = try Self.file()
        for index in good.indices {
            for mask: UInt8 in [0x01, 0x80, 0xff] {
                var bad = good
                bad[index] ^= mask
                // Only the slot that was never written may be damaged without harm.
                guard let (prefix, body) = try? Self.decode(bad) else { continue }
                #expect((1024..<1536).contains(index), "byte \(index)")
                #expect(prefix.key == Self.key && prefix.head == Self.head && body == Self.body)
                #expect(prefix.slot.times == Self.times)
            }
        }
    }

    @Test func `no file cut short or grown is a record`() throws {
        let good = try Self.file()
        for length in 0..<good.count {
            #expect(throws: RecordDamage.self) { try Self.decode(Array(good[..<length])) }
        }
        #expect(throws: RecordDamage.lengths) { try Self.decode(good + [0]) }
    }

    @Test func `lengths that a hostile header claims are never trusted`() throws {
        var generator = SystemRandomNumberGenerator()
        let good = try Self.file()
        for _ in 0..<2000 {
            var bad = good
            for _ in 0..<8 { bad[Int.random(in: 8..<32, using: &generator)] = .random(in: 0...255, using: &generator) }
            // Even with a checksum that holds.
            let seal = XXH3.hash64(bad.span.extracting(0..<504))
            for index in 0..<8 { bad[504 + index] = UInt8(truncatingIfNeeded: seal >> UInt64(8 * index)) }
            guard let (prefix, body) = try? Self.decode(bad) else { continue }
            #expect(body == Self.body && prefix.key == Self.key)
        }
    }

    @Test func `random bytes are no record`() {
        for count in [0, 1, 511, 512, 1536, 5000] {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
            #expect(throws: RecordDamage.self) { try Self.decode(bytes) }
        }
    }

    @Test func `another version is no record`() throws {
        var file = try Self.file()
        file[8] = 2
        #expect(throws: RecordDamage.version) { try Self.decode(file) }
    }

    @Test func `of two slots the later one counts, and a torn one does not`() throws {
        var file = try Self.file()
        var later = Self.times
        later.uses = 9
        let seed = try RecordHeader(file.span, fileBytes: file.count).textDigest
        var slot: [UInt8] = []
        RecordSlot(sequence: 2, times: later).write(to: &slot, seed: seed)
        let (before, _) = try Self.decode(file)
        #expect(before.nextSlotOffset == 1024)
        file.replaceSubrange(1024..<1536, with: slot)
        let (after, _) = try Self.decode(file)
        #expect(after.slot.times == later && after.nextSlotOffset == 512)
        file[1024 + 44] ^= 1
        let (torn, _) = try Self.decode(file)
        #expect(torn.slot.times == Self.times && torn.nextSlotOffset == 1024)
    }

    @Test func `a slot of another record does not count`() throws {
        let file = try Self.file()
        var slot: [UInt8] = []
        RecordSlot(sequence: 7, times: Self.times).write(to: &slot, seed: 42)
        var bad = file
        bad.replaceSubrange(1024..<1536, with: slot)
        #expect(try Self.decode(bad).0.slot.sequence == 1)
    }

    @Test func `keys and heads beyond the format are not written`() {
        let long = [UInt8](repeating: 65, count: RecordLayout.maxKeyBytes + 1)
        for key in [[], long] {
            let prefix = RecordPrefix.encode(key: key, head: [], times: Self.times, body: [UInt8]().span)
            #expect(prefix == nil)
        }
    }

    @Test func `names and hashes are each other's inverse`() {
        let hash = KeyHash(high: 0x00ab_cdef_0123_4567, low: 0x89ab_cdef_0000_0001)
        let name = RecordName.file(of: hash)
        #expect(name == "00abcdef0123456789abcdef00000001")
        #expect(RecordName.directory(of: hash) == "00")
        #expect(RecordName.hash(ofFile: name) == hash)
        for foreign in ["", "README", name.uppercased(), name + "0", String(name.dropLast()), "g" + name.dropFirst()] {
            #expect(RecordName.hash(ofFile: foreign) == nil, "\(foreign)")
        }
        #expect(RecordName.isTemporary(name + ".17"))
        for foreign in [name, name + ".", name + ".x", "a.1", name + ".1.2"] {
            #expect(!RecordName.isTemporary(foreign), "\(foreign)")
        }
    }

    @Test func `a damaged seed is no seed`() {
        let good = SeedFile.encode(0x1234_5678_9abc_def0)
        let seed = SeedFile.decode(good.span)
        #expect(seed == 0x1234_5678_9abc_def0)
        for index in good.indices {
            var bad = good
            bad[index] ^= 4
            let seed = SeedFile.decode(bad.span)
            #expect(seed == nil, "byte \(index)")
        }
        let short = SeedFile.decode(Array(good.dropLast()).span)
        #expect(short == nil)
    }
}
