import Origin
import Testing

@testable import ImageService

@Suite struct BanListTests {
    private let key = Array("http://o.test/a".utf8)

    private func prefix(_ number: UInt64, _ text: String = "http://o.test/a", isSoft: Bool = false) -> Ban {
        Ban(number: number, target: .prefix(Array(text.utf8)), isSoft: isSoft)
    }

    @Test func `only what was fetched before a purge is concerned`() {
        let list = BanList([prefix(5)])
        #expect(list.verdict(key, seen: 4) == .drop)
        #expect(list.verdict(key, seen: 5) == .keep)
        #expect(list.verdict(key, seen: 6) == .keep)
        #expect(list.verdict(Array("http://o.test/b".utf8), seen: 0) == .keep)
    }

    @Test func `removal comes before marking, in whichever order they came`() {
        let soft = prefix(6, isSoft: true)
        #expect(BanList([soft]).verdict(key, seen: 0) == .soften)
        #expect(BanList([prefix(5), soft]).verdict(key, seen: 0) == .drop)
        #expect(BanList([soft, prefix(7)]).verdict(key, seen: 0) == .drop)
        #expect(BanList([prefix(5), soft]).verdict(key, seen: 5) == .soften)
    }

    @Test func `numbers are remembered when the purges are forgotten`() {
        var list = BanList([prefix(5)])
        list.add(prefix(9))
        #expect(list.lastNumber == 9)
        list.remove([5, 9])
        #expect(list.verdict(key, seen: 0) == .keep)
        #expect(list.lastNumber == 9 && list.bans.isEmpty)
    }

    // MARK: The file

    private func all() throws -> [Ban] {
        let pattern = Origin.HostPattern("*.o.test")
        let host = try #require(pattern)
        return [
            prefix(1), prefix(UInt64.max, "http://o.test/\u{FF}?x", isSoft: true),
            Ban(number: 3, target: .host(host), isSoft: true), Ban(number: 4, target: .all, isSoft: false),
        ]
    }

    @Test func `what is written is read back`() throws {
        let bans = try all()
        #expect(BanCoding.decode(BanCoding.encode(bans)) == bans)
        #expect(BanCoding.decode([]) == [])
        #expect(BanCoding.encode([Ban(number: 1, target: .url(Fixtures.key()), isSoft: false)]) == [])
    }

    @Test func `what is cut or of another kind is not read`() throws {
        let bytes = BanCoding.encode([try all()[2]])
        for count in 1..<bytes.count { #expect(BanCoding.decode(Array(bytes[..<count])) == nil, "\(count)") }
        for (offset, value) in [(8, 2), (9, 0), (9, 9), (10, 255)] as [(Int, UInt8)] {
            var other = bytes
            other[offset] = value
            #expect(BanCoding.decode(other) == nil, "\(offset)")
        }
    }
}
