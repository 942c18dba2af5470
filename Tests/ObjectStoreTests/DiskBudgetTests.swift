import EventLoops
import Foundation
import Synchronization
import Testing

@testable import ObjectStore

@Suite struct DiskBudgetTests {
    @Test(arguments: [1, 3])
    func `the directory is never over its limit, measured all through`(shards: Int) throws {
        let directory = DiskDirectory()
        let files = FaultyFileSystem()
        let highest = Maximum()
        files.observe { operation in
            if operation == .write { highest.note(directory.allocatedBytes) }
        }
        let limit = 1_200_000
        let rig = try DiskRig(directory, limitBytes: limit, shards: shards, fileSystem: files)
        var boxes: [Box<DiskWriteOutcome>] = []
        for number in 0..<100 {
            let bytes = [3_000, 20_000, 60_000][number % 3]
            boxes.append(rig.beginWrite(rig.record("\(number % 60)", bodyBytes: bytes)))
            if number % 5 == 0 { _ = rig.read("\(number / 2)") }
            if number % 17 == 0 { _ = rig.remove("\(number - 3)") }
            // What never got as far as the disk could not be evicted from it.
            if number % 20 == 19 { rig.flush() }
        }
        rig.flush()
        #expect(boxes.allSatisfy { $0.take() != nil })
        #expect(highest.value <= limit)
        #expect(rig.tier.counters.evictions(.room) > 0)
        #expect(rig.tier.reservedBytes == directory.allocatedBytes)
        #expect(rig.tier.counters.bytes == directory.allocatedBytes)
        #expect(rig.tier.counters.objects == directory.records.count)
    }

    @Test func `an object larger than the limit is refused and evicts nothing`() throws {
        let rig = try DiskRig(DiskDirectory(), limitBytes: 1_000_000)
        #expect(rig.write(rig.record("a", bodyBytes: 500_000)) == .stored)
        #expect(rig.write(rig.record("b", bodyBytes: 1_100_000)) == .refused(.tooLarge))
        #expect(rig.read("a") != nil)
    }

    @Test func `an object of nearly the limit can be replaced`() throws {
        let rig = try DiskRig(DiskDirectory(), limitBytes: 2_000_000)
        #expect(rig.write(rig.record("a", bodyBytes: 1_200_000)) == .stored)
        #expect(rig.write(rig.record("a", bodyBytes: 1_200_000, fill: 2)) == .stored)
        #expect(rig.read("a")?.bodyBytes.first == 2)
    }

    @Test func `what is used often stays`() throws {
        let rig = try DiskRig(DiskDirectory(), limitBytes: 1_000_000)
        for number in 0..<5 { #expect(rig.write(rig.record("hot\(number)", bodyBytes: 20_000)) == .stored) }
        for round in 0..<100 {
            for number in 0..<5 { #expect(rig.read("hot\(number)") != nil) }
            #expect(rig.write(rig.record("cold\(round)", bodyBytes: 20_000)) == .stored)
        }
        #expect(rig.tier.counters.evictions(.room) > 50)
    }

    @Test func `a directory over its limit is trimmed first`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory)
        for number in 0..<100 { #expect(rig.write(rig.record("\(number)", bodyBytes: 20_000)) == .stored) }
        rig.close()
        let again = try DiskRig(directory, limitBytes: 1_000_000)
        #expect(again.write(again.record("new", bodyBytes: 20_000)) != nil)
        again.flush()
        #expect(directory.allocatedBytes <= again.tier.recordLimitBytes)
        #expect(again.tier.counters.evictions(.limit) > 50)
    }

    @Test func `a lower limit is put in force while the tier runs`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory, shards: 2)
        for number in 0..<100 { #expect(rig.write(rig.record("\(number)", bodyBytes: 20_000)) == .stored) }
        rig.tier.setLimit(1_000_000)
        rig.flush()
        rig.flush()
        #expect(directory.allocatedBytes <= rig.tier.recordLimitBytes)
    }

    @Test func `the gauge equals the files after many mixed operations`() throws {
        let directory = DiskDirectory()
        let rig = try DiskRig(directory, limitBytes: 900_000, shards: 2)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2500 {
            let name = "\(Int.random(in: 0..<80, using: &generator))"
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5: _ = rig.beginWrite(rig.record(name, bodyBytes: .random(in: 0..<40_000, using: &generator)))
            case 5..<7: _ = rig.beginRead(name)
            case 7: _ = rig.remove(name)
            case 8:
                let key = rig.key(name)
                rig.on { [index = key.hash.shard(of: 2)] in
                    if index == 0 { $0.updateTimes(key, RecordTimes(requestTime: 1, responseTime: 1)) }
                }
            default: _ = rig.contains(name)
            }
        }
        rig.flush()
        #expect(rig.tier.counters.bytes == directory.allocatedBytes)
        #expect(rig.tier.reservedBytes == directory.allocatedBytes)
        #expect(rig.tier.counters.objects == directory.records.count)
        #expect(directory.allocatedBytes <= rig.tier.recordLimitBytes)
        #expect(directory.files.filter { $0.hasPrefix("v1/tmp") }.isEmpty)
    }
}

/// The largest number noted.
final class Maximum: Sendable {
    private let largest = Atomic<Int>(0)
    func note(_ number: Int) { largest.max(number, ordering: .relaxed) }
    var value: Int { largest.load(ordering: .relaxed) }
}
