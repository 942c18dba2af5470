import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore

/// How a cached object is written into a disk record and read back.
///
/// Shape of the record's head: length of the variant key (4 bytes, big-endian), variant key, serialized response head.
/// That of a marker, which a flag tells: the serialized `VariantSet`.
enum RecordMapping {
    /// The flag of a record that an operator marked stale.
    static let softPurged: UInt32 = 1
    private static let marker: UInt32 = 2

    /// Makes the record of an object; the body is shared, not copied.
    static func record(of object: CachedObject) -> DiskRecord {
        if let variants = object.variants {
            var times = times(of: object.response.times)
            times.flags |= marker
            return DiskRecord(key: object.key, head: variants.serialized(), times: times, body: object.body)
        }
        let length = UInt32(object.variantKey.count)
        var head = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
        head += object.variantKey
        head += object.response.serializedHead()
        return DiskRecord(key: object.key, head: head, times: times(of: object.response.times), body: object.body)
    }

    /// The times of a record, which a confirmation rewrites without touching the rest.
    ///
    /// Shape: a lifetime limit of -1 stands for none; bit 0 of the flags says soft-purged, bit 1 marker; the mark is the
    /// number of the last purge that was known.
    static func times(of times: StoredTimes) -> RecordTimes {
        RecordTimes(
            requestTime: times.requestTime.secondsSinceEpoch, responseTime: times.responseTime.secondsSinceEpoch,
            initialAgeSeconds: times.initialAgeSeconds, lifetimeLimitSeconds: times.lifetimeLimitSeconds ?? -1,
            flags: times.isSoftPurged ? softPurged : 0, mark: times.purgeNumber)
    }

    /// Makes the object of a record; nil when the head is not one that we write.
    ///
    /// - Parameters:
    ///   - wallNow: the present in Unix seconds, by which the record's age is told.
    ///   - epoch: the configuration under which the URL was admitted; nil for that of `snapshot`.
    static func object(
        of record: DiskRecord, snapshot: Snapshot, now: Instant, wallNow: Int64, epoch: UInt64? = nil
    ) -> CachedObject? {
        let head = record.head
        if record.times.flags & marker != 0 {
            // A marker never stands under a variant's key, so that none leads to another.
            guard !record.key.bytes.contains(CacheKey.separator) else { return nil }
            return variants(of: record).map {
                CachedObject(markerOf: record.key, variants: $0, times: times(of: record), now: now)
            }
        }
        guard head.count >= 4 else { return nil }
        let length = head[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard length <= head.count - 4 else { return nil }
        guard let response = StoredResponse(serializedHead: Array(head[(4 + length)...]), times: times(of: record))
        else { return nil }
        return ObjectMaker.object(
            key: record.key, response: response, variantKey: Array(head[4..<(4 + length)]), body: record.body,
            snapshot: snapshot, now: now, wallNow: wallNow, epoch: epoch)
    }

    /// What a marker lists; nil for every other record.
    static func variants(of record: DiskRecord) -> VariantSet? {
        record.times.flags & marker == 0 ? nil : VariantSet(serialized: record.head)
    }

    private static func times(of record: DiskRecord) -> StoredTimes {
        StoredTimes(
            requestTime: HTTPDate(secondsSinceEpoch: record.times.requestTime),
            responseTime: HTTPDate(secondsSinceEpoch: record.times.responseTime),
            initialAgeSeconds: record.times.initialAgeSeconds,
            lifetimeLimitSeconds: record.times.lifetimeLimitSeconds < 0 ? nil : record.times.lifetimeLimitSeconds,
            isSoftPurged: record.times.flags & softPurged != 0, purgeNumber: record.times.mark)
    }
}

/// Makes cached objects with everything that is computed once.
enum ObjectMaker {
    /// Makes an object: judges its freshness, renders its head, finds when it expires.
    ///
    /// - Parameters:
    ///   - wallNow: the present in Unix seconds, by which the time since receipt is told.
    ///   - freshness: that of `response` under the snapshot, where it is known already.
    ///   - epoch: the configuration under which the URL was admitted; nil for that of `snapshot`.
    static func object(
        key: CacheKey, response: StoredResponse, variantKey: [UInt8], body: Chunk, snapshot: Snapshot, now: Instant,
        wallNow: Int64, freshness: Freshness? = nil, epoch: UInt64? = nil
    ) -> CachedObject {
        let freshness = freshness ?? Freshness(of: response, settings: snapshot.caching)
        let residentSince = residentSince(response.times, now: now, wallNow: wallNow)
        let head = HeadWriter.wireHead(of: response, length: body.count, snapshot: snapshot)
        let isTrusted = residentSince <= now
        return CachedObject(
            key: key, response: response, variantKey: variantKey, freshness: freshness, residentSince: residentSince,
            wireHead: head.bytes, marks: head.marks, body: body,
            expiry: isTrusted ? residentSince + .seconds(freshness.unconditionalSeconds) : Instant(nanoseconds: 0),
            isSelectedByFields: snapshot.rules.variance(of: response.fields) != .none,
            epoch: min(epoch ?? snapshot.epoch, snapshot.epoch))
    }

    /// Makes the object anew that an earlier configuration left behind; others stay as they are.
    ///
    /// - Parameter snapshot: a configuration under which the URL has been admitted.
    static func renewed(_ object: CachedObject, snapshot: Snapshot, now: Instant, wallNow: Int64) -> CachedObject {
        guard object.variants == nil, object.epoch < snapshot.epoch else { return object }
        return self.object(
            key: object.key, response: object.response, variantKey: object.variantKey, body: object.body,
            snapshot: snapshot, now: now, wallNow: wallNow)
    }

    /// The moment of receipt on the clock that nobody can set; in the future when the wall clock went back.
    static func residentSince(_ times: StoredTimes, now: Instant, wallNow: Int64) -> Instant {
        let seconds = wallNow.subtractingReportingOverflow(times.responseTime.secondsSinceEpoch).partialValue
        let bounded = min(max(seconds, -1_000_000_000), now.nanoseconds / 1_000_000_000 + 4_000_000_000)
        return Instant(nanoseconds: now.nanoseconds - bounded * 1_000_000_000)
    }
}
