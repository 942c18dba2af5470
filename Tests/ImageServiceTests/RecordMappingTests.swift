import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore
import Testing

@testable import ImageService

@Suite struct RecordMappingTests {
    private let snapshot = Fixtures.snapshot()

    private func object(_ times: StoredTimes, variant: [UInt8] = []) -> CachedObject {
        let response = StoredResponse(
            status: .ok, fields: [.contentType: "image/png", .eTag: "\"e\"", .cacheControl: "max-age=60"], times: times)
        return ObjectMaker.object(
            key: Fixtures.key(), response: response, variantKey: variant, body: Chunk([1, 2, 3]), snapshot: snapshot,
            now: Fixtures.now, wallNow: Fixtures.wallNow)
    }

    private func read(_ record: DiskRecord, wallNow: Int64 = Fixtures.wallNow) -> CachedObject? {
        RecordMapping.object(of: record, snapshot: snapshot, now: Fixtures.now, wallNow: wallNow)
    }

    @Test(arguments: [[], [0], [UInt8](repeating: 0xFF, count: 300)] as [[UInt8]])
    func `what is written is read back`(variant: [UInt8]) throws {
        for times in [
            Fixtures.times(), Fixtures.times(age: 100, limit: 0), Fixtures.times(limit: 300, isSoftPurged: true),
        ] {
            // Given
            let original = object(times, variant: variant)
            // When
            let copy = try #require(read(RecordMapping.record(of: original)))
            // Then
            #expect(copy.key == original.key)
            #expect(copy.response == original.response)
            #expect(copy.variantKey == variant)
            #expect(copy.body === original.body)
            #expect(copy.wireHead == original.wireHead)
            #expect(copy.residentSince == original.residentSince)
            #expect(copy.expiry == original.expiry)
        }
    }

    @Test func `the times have their places in the record`() {
        let times = RecordMapping.times(of: Fixtures.times(age: 5, limit: 9, isSoftPurged: true))
        #expect(times.requestTime == Fixtures.wallNow - 2)
        #expect(times.responseTime == Fixtures.wallNow - 1)
        #expect(times.initialAgeSeconds == 5)
        #expect(times.lifetimeLimitSeconds == 9)
        #expect(times.flags == 1)
        #expect(RecordMapping.times(of: Fixtures.times()).lifetimeLimitSeconds == -1)
        #expect(RecordMapping.times(of: Fixtures.times()).flags == 0)
    }

    @Test func `the key of the variant comes first, after its length`() {
        let head = RecordMapping.record(of: object(Fixtures.times(), variant: [7, 8, 9])).head
        #expect(Array(head[..<7]) == [0, 0, 0, 3, 7, 8, 9])
    }

    @Test func `a head that is not one of ours is no object`() {
        let record = RecordMapping.record(of: object(Fixtures.times(), variant: [7, 8, 9]))
        func altered(_ change: (inout [UInt8]) -> Void) -> DiskRecord {
            var head = record.head
            change(&head)
            return DiskRecord(key: record.key, head: head, times: record.times, body: record.body)
        }
        for count in 0..<10 { #expect(read(altered { $0 = Array($0.prefix(count)) }) == nil) }
        for count in 10..<record.head.count { _ = read(altered { $0 = Array($0.prefix(count)) }) }
        for length in [record.head.count, record.head.count - 3, 0xFFFF_FFFF] {
            #expect(
                read(
                    altered {
                        $0.replaceSubrange(0..<4, with: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) })
                    }) == nil)
        }
        #expect(read(altered { $0[7] = 1 }) == nil)
        #expect(read(altered { $0[9] = 0xFF }) == nil)
    }

    // MARK: Markers

    private func marker() throws -> CachedObject {
        let request: Fields = [.accept: "image/avif"]
        let entry = try #require(VariantSet.Entry(.fields([.accept]), for: request))
        return CachedObject(
            markerOf: Fixtures.key(), variants: VariantSet().storing(entry, for: request, limit: 16).set,
            times: Fixtures.times(), now: Fixtures.now)
    }

    @Test func `a marker is written as what it lists, and read back`() throws {
        // Given
        let original = try marker()
        // When
        let record = RecordMapping.record(of: original)
        let copy = try #require(read(record))
        // Then
        #expect(record.times.flags == 2 && record.body.count == 0)
        #expect(copy.key == original.key && copy.variants == original.variants)
        #expect(copy.expiry < Fixtures.now && copy.wireHead.isEmpty)
        #expect(read(RecordMapping.record(of: object(Fixtures.times())))?.variants == nil)
    }

    @Test func `a marker under the key of a variant is no object: none leads to another`() throws {
        let record = RecordMapping.record(of: try marker())
        let key = CacheKey(variant: Array("accept\n".utf8), of: record.key, seed: 7)
        #expect(read(DiskRecord(key: key, head: record.head, times: record.times, body: record.body)) == nil)
    }

    @Test func `a damaged marker is no object`() throws {
        let record = RecordMapping.record(of: try marker())
        let cut = DiskRecord(
            key: record.key, head: Array(record.head.dropLast()), times: record.times, body: record.body)
        #expect(read(cut) == nil)
    }

    // MARK: Clocks

    @Test func `an object is as old as its record`() throws {
        let record = RecordMapping.record(of: object(Fixtures.times()))
        let later = try #require(read(record, wallNow: Fixtures.wallNow + 49))
        #expect(later.residentSeconds(now: Fixtures.now) == 50)
        #expect(later.expiry == Fixtures.now + .seconds(10))
    }

    @Test func `an object from the future is not trusted to be fresh`() throws {
        let record = RecordMapping.record(of: object(Fixtures.times()))
        let early = try #require(read(record, wallNow: Fixtures.wallNow - 100))
        #expect(early.residentSeconds(now: Fixtures.now) == -99)
        #expect(early.expiry < Fixtures.now)
    }

    @Test(arguments: [0, 1 << 31, 4_000_000_000, 253_402_300_799] as [Int64])
    func `times far away do no harm`(responseTime: Int64) {
        let times = StoredTimes(
            requestTime: HTTPDate(secondsSinceEpoch: 0), responseTime: HTTPDate(secondsSinceEpoch: responseTime),
            initialAgeSeconds: 0)
        let since = ObjectMaker.residentSince(times, now: Fixtures.now, wallNow: Fixtures.wallNow)
        #expect((since > Fixtures.now) == (responseTime > Fixtures.wallNow))
    }
}
