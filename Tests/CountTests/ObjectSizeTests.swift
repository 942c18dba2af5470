import CallCounts
import EventLoops
import HTTPCaching
import HTTPMessages
import Testing

@testable import ObjectStore

/// What an object takes of the heap besides its bytes, as the allocator counts it.
@Suite(.enabled(if: call_counts_available() != 0, "sanitizers define malloc and its kin themselves"))
struct `An object's memory` {
    private static let objects = 20_000

    /// What the calling thread has taken from the heap and not given back.
    private static func heapBytes() -> Int {
        let counts = call_counts_read(call_counts_of_this_thread())
        return Int(bitPattern: counts.allocated_bytes) - Int(bitPattern: counts.freed_bytes)
    }

    /// An object as the service makes it: a body of about 1 KB, five fields, a rendered head.
    private static func object(_ number: Int) -> CachedObject {
        let url = Array("http://images.example.com/pictures/\(number)/thumbnail.png".utf8)
        let response = StoredResponse(
            status: .ok,
            fields: [
                .contentType: "image/png", .contentLength: "1000", .eTag: "\"\(number)-5f3a\"",
                .lastModified: "Wed, 21 Oct 2015 07:28:00 GMT", .cacheControl: "max-age=3600",
            ],
            times: StoredTimes(
                requestTime: HTTPDate(secondsSinceEpoch: 0), responseTime: HTTPDate(secondsSinceEpoch: 0),
                initialAgeSeconds: 0))
        return CachedObject(
            key: CacheKey(url, seed: 7), response: response, wireHead: [UInt8](repeating: 32, count: 240),
            body: Chunk([UInt8](repeating: 1, count: 1_000 + number % 256)), expiry: .distantFuture)
    }

    @Test func `in the memory tier is what the budget is charged, within a tenth`() throws {
        // Given
        let store = MemoryStore(capacityBytes: 64 << 20)
        let before = Self.heapBytes()
        // When
        for number in 0..<Self.objects { _ = store.store(Self.object(number)) }
        // Then
        let held = Self.heapBytes() - before
        #expect(store.statistics.objects == Self.objects)
        let charged = store.statistics.usedBytes
        let overhead = (held - charged) / Self.objects + CachedObject.overheadBytes
        let difference = abs(overhead - CachedObject.overheadBytes)
        #expect(difference * 10 <= CachedObject.overheadBytes, "\(overhead) bytes an object besides what is counted")
        withExtendedLifetime(store) {}
    }

    @Test(arguments: [20_000, 100_000])
    func `in the disk tier's index is at most 64 bytes`(objects: Int) throws {
        // Given
        let before = Self.heapBytes()
        var index = DiskIndex(capacityBytes: objects * 40_960, admitsSecondRequestOnly: false)
        let empty = Self.heapBytes() - before
        // When
        var leavers: [DiskIndex.Leaver] = []
        for number in 0..<UInt64(objects) {
            let hash = KeyHash(high: number, low: (number &+ 1) &* 0x9E37_79B9_7F4A_7C15)
            _ = index.admit(hash, bytes: 20_480, earlierUses: nil, leavers: &leavers)
        }
        // Then
        let each = Double(Self.heapBytes() - before - empty) / Double(objects)
        #expect(index.count == objects && leavers.isEmpty)
        #expect(each <= 64, "\(each) bytes an object")
        #expect(each >= 32, "\(each) bytes an object: less than an entry has, so something is not counted")
    }
}
