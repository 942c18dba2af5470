import Origin
import Testing

@testable import ImageService

@Suite struct BanListTests {
    private let key = Array("http://o.test/a".utf8)

    private func prefix(_ number: UInt64, _ text: String = "http://o.test/a", isSoft: Bool = false) -> Ban {
        Ban(number: number, target: .prefix(Array(text.utf8)), isSoft: isSoft)
    }

    @Test func `only what was fetched before a purge is concerned`() {
        let list = BanList([prefix(5)], lastNumber: 6)
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

    @Test func `a later purge takes the place of earlier ones that it subsumes`() {
        let soft = prefix(6, isSoft: true)
        let everything = Ban(number: 9, target: .all, isSoft: false)
        #expect(prefix(6).subsumes(prefix(5)) && prefix(6).subsumes(prefix(5, isSoft: true)))
        #expect(soft.subsumes(prefix(5, isSoft: true)) && !soft.subsumes(prefix(5)))
        #expect(!prefix(6).subsumes(prefix(5, "http://o.test/b")))
        #expect(everything.subsumes(prefix(5)) && everything.subsumes(soft) && !prefix(10).subsumes(everything))
        #expect(!Ban(number: 9, target: .all, isSoft: true).subsumes(prefix(5)))
        var list = BanList([prefix(1), prefix(2, "http://o.test/b"), prefix(3, isSoft: true)])
        list.add(prefix(4))
        #expect(list.bans.map(\.number) == [2, 4])
        list.add(everything)
        #expect(list.bans == [everything])
    }

    // MARK: Numbers

    @Test func `the numbers of a process are higher than those before, whatever the clock says`() {
        let first = PurgeNumbers.base(after: 0, wallSeconds: 2_000)
        #expect(first == 2_000 << 32)
        for seconds in [0, 1_000, 2_000] as [Int64] {
            #expect(PurgeNumbers.base(after: first + 70_000, wallSeconds: seconds) == 2_001 << 32)
        }
        #expect(PurgeNumbers.base(after: first, wallSeconds: 9_000) == 9_000 << 32)
        #expect(PurgeNumbers.base(after: first, wallSeconds: -1) > first)
    }

    @Test func `a number that was not given yet is one of before`() {
        let list = BanList([prefix(5)], lastNumber: 7)
        #expect(list.verdict(key, seen: 7) == .keep)
        #expect(list.verdict(key, seen: 8) == .drop)
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
        let kept = KeptPurges(lastNumber: UInt64.max - 1, bans: try all())
        #expect(BanCoding.decode(BanCoding.encode(kept)) == kept)
        let one = Ban(number: 1, target: .url(Fixtures.key()), isSoft: false)
        let nothing = BanCoding.encode(KeptPurges(lastNumber: 9, bans: [one]))
        #expect(nothing.count == 8 && BanCoding.decode(nothing) == KeptPurges(lastNumber: 9, bans: []))
    }

    @Test func `what is cut or of another kind is not read`() throws {
        let bytes = BanCoding.encode(KeptPurges(lastNumber: 9, bans: [try all()[2]]))
        for count in 0..<bytes.count where count != 8 {
            #expect(BanCoding.decode(Array(bytes[..<count])) == nil, "\(count)")
        }
        for (offset, value) in [(16, 2), (17, 0), (17, 9), (18, 255)] as [(Int, UInt8)] {
            var other = bytes
            other[offset] = value
            #expect(BanCoding.decode(other) == nil, "\(offset)")
        }
    }
}
