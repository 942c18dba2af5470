import Testing

@testable import ObjectStore

@Suite struct DiskIndexTests {
    /// Hashes that fall into few segments and places, so that runs form.
    private static func hash(_ number: Int) -> KeyHash {
        KeyHash(high: UInt64(number), low: UInt64(number % 3) << 56 | UInt64(number % 37))
    }

    @Test func `the table agrees with a dictionary through insertions and removals`() {
        var table = DiskTable()
        var model: [KeyHash: Int] = [:]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let hash = Self.hash(.random(in: 0..<600, using: &generator))
            if let slot = table.slot(of: hash) {
                #expect(table[slot].bytes == model[hash])
                table.remove(slot: slot)
                model[hash] = nil
            } else {
                #expect(model[hash] == nil)
                let bytes = 4096 * Int.random(in: 1..<100, using: &generator)
                _ = table.insert(hash, bytes: bytes, mark: UseMark(uses: 1, stamp: 0), isDoomed: false)
                model[hash] = bytes
            }
        }
        #expect(table.count == model.count)
        for (hash, bytes) in model { #expect(table.slot(of: hash).map { table[$0].bytes } == bytes) }
    }

    @Test func `an entry takes 32 bytes`() {
        #expect(MemoryLayout<DiskEntry>.stride == 32)
        #expect(MemoryLayout<EvictionQueue.Node>.stride == 16)
    }

    @Test func `an old handle names nothing`() throws {
        var table = DiskTable()
        let handle = table.insert(Self.hash(1), bytes: 1, mark: UseMark(uses: 1, stamp: 0), isDoomed: false)
        table.remove(slot: handle.slot)
        #expect(table.evictionEntry(handle) == nil)
        let next = table.insert(Self.hash(2), bytes: 1, mark: UseMark(uses: 1, stamp: 0), isDoomed: false)
        #expect(next.slot == handle.slot && table.evictionEntry(handle) == nil)
        #expect(table.evictionEntry(next)?.bytes == 4096)
    }

    @Test func `the index never holds more than its share`() {
        var index = DiskIndex(capacityBytes: 400_000, admitsSecondRequestOnly: false)
        var known: Set<KeyHash> = []
        for number in 0..<2000 {
            var leavers: [DiskIndex.Leaver] = []
            let hash = Self.hash(number)
            if index.admit(hash, bytes: 4096 * (1 + number % 9), earlierUses: nil, leavers: &leavers) {
                known.insert(hash)
            }
            for leaver in leavers { #expect(known.remove(leaver.hash) != nil) }
            #expect(index.usedBytes <= 400_000 && index.count == known.count)
        }
    }

    @Test func `a purge hides all at once, and the sweep returns each file once`() {
        var index = DiskIndex(capacityBytes: 1 << 30, admitsSecondRequestOnly: false)
        for number in 0..<500 { index.add(Self.hash(number), bytes: 4096, uses: 1, isDoomed: number % 5 == 0) }
        index.purgeAll()
        for number in 0..<500 { #expect(index.find(Self.hash(number)) == nil) }
        index.add(Self.hash(1000), bytes: 4096, uses: 1, isDoomed: false)
        var swept: Set<KeyHash> = []
        while let leavers = index.sweep(maximum: 7) {
            for leaver in leavers { #expect(swept.insert(leaver.hash).inserted) }
        }
        #expect(swept.count == 500 && index.count == 1 && index.usedBytes == 4096)
        #expect(index.find(Self.hash(1000)) != nil)
    }

    @Test func `a corrected charge and a file taken back are counted`() {
        var index = DiskIndex(capacityBytes: 1 << 20, admitsSecondRequestOnly: false)
        index.add(Self.hash(1), bytes: 4096, uses: 3, isDoomed: false)
        index.recharge(Self.hash(1), bytes: 8192)
        #expect(index.usedBytes == 8192 && index.find(Self.hash(1))?.mark.uses == 3)
        let entry = index.remove(Self.hash(1))
        #expect(entry?.bytes == 8192 && index.usedBytes == 0)
        index.addDoomed(Self.hash(1), bytes: 8192)
        #expect(index.find(Self.hash(1)) == nil && index.findCharged(Self.hash(1))?.bytes == 8192)
        #expect(index.usedBytes == 8192)
    }
}
