import ObjectStore
import Testing

@testable import ImageService

@Suite struct AliasTableTests {
    private let store = MemoryStore(capacityBytes: 1_000_000)

    /// Stores an object and finds it, as a request does.
    private func hit(_ url: String) throws -> MemoryHit {
        _ = store.store(Fixtures.object(url))
        return try #require(store.lookup(Fixtures.key(url)))
    }

    private func find(_ table: AliasTable, _ target: String, epoch: UInt64 = 1) -> AliasTable.Alias? {
        let bytes = Array(target.utf8)
        return table.find(bytes.span, fingerprint: table.fingerprint(bytes.span), epoch: epoch)
    }

    private func note(_ table: inout AliasTable, _ target: String, _ hit: MemoryHit, epoch: UInt64 = 1) {
        let bytes = Array(target.utf8)
        table.note(bytes.span, fingerprint: table.fingerprint(bytes.span), epoch: epoch, hit: hit)
    }

    @Test func `a target is remembered when it is seen for the second time`() throws {
        var table = AliasTable()
        let hit = try hit("http://o.test/a.png")
        note(&table, "/image?url=a", hit)
        #expect(find(table, "/image?url=a") == nil)
        note(&table, "/image?url=a", hit)
        let alias = try #require(find(table, "/image?url=a"))
        #expect(alias.hash == hit.object.key.hash)
        #expect(store.lookup(slot: alias.slot, generation: alias.generation, hash: alias.hash) === hit.object)
    }

    @Test func `an alias of an older configuration is not trusted`() throws {
        var table = AliasTable()
        let hit = try hit("http://o.test/a.png")
        note(&table, "/image?url=a", hit)
        note(&table, "/image?url=a", hit)
        #expect(find(table, "/image?url=a", epoch: 2) == nil)
        note(&table, "/image?url=a", hit, epoch: 2)
        #expect(find(table, "/image?url=a", epoch: 2) != nil)
        #expect(find(table, "/image?url=a", epoch: 1) == nil)
    }

    @Test func `the bytes are compared, not only their hash`() throws {
        var table = AliasTable()
        let hit = try hit("http://o.test/a.png")
        let (target, other) = (Array("/image?url=a".utf8), Array("/image?url=b".utf8))
        table.note(target.span, fingerprint: 5, epoch: 1, hit: hit)
        table.note(target.span, fingerprint: 5, epoch: 1, hit: hit)
        #expect(table.find(target.span, fingerprint: 5, epoch: 1) != nil)
        #expect(table.find(other.span, fingerprint: 5, epoch: 1) == nil)
        #expect(table.find(Array("/image?url=".utf8).span, fingerprint: 5, epoch: 1) == nil)
    }

    @Test func `two targets at one place take turns, and neither is taken for the other`() throws {
        var table = AliasTable()
        let (first, second) = (try hit("http://o.test/a.png"), try hit("http://o.test/b.png"))
        let (left, right) = (Array("/a".utf8), Array("/b".utf8))
        // 8192 places: 1 and 8193 share one.
        for _ in 0..<2 { table.note(left.span, fingerprint: 1, epoch: 1, hit: first) }
        for _ in 0..<2 { table.note(right.span, fingerprint: 8193, epoch: 1, hit: second) }
        #expect(table.find(left.span, fingerprint: 1, epoch: 1) == nil)
        #expect(table.find(right.span, fingerprint: 8193, epoch: 1)?.hash == second.object.key.hash)
    }

    @Test func `a crawl does not wash out what is asked for again and again`() throws {
        var table = AliasTable()
        let hit = try hit("http://o.test/a.png")
        for _ in 0..<2 { note(&table, "/image?url=hot", hit) }
        for number in 0..<20_000 { note(&table, "/image?url=\(number)", hit) }
        #expect(find(table, "/image?url=hot") != nil)
    }

    @Test func `an alias to an entry that has left leads nowhere`() throws {
        var table = AliasTable()
        let hit = try hit("http://o.test/a.png")
        for _ in 0..<2 { note(&table, "/image?url=a", hit) }
        _ = store.remove(Fixtures.key("http://o.test/a.png"))
        let alias = try #require(find(table, "/image?url=a"))
        #expect(store.lookup(slot: alias.slot, generation: alias.generation, hash: alias.hash) == nil)
    }
}
