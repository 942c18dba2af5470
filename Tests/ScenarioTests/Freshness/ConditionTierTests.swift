import ServiceHarness
import TestSupport
import Testing

/// Conditions and ranges of clients (RFC 9110 sections 13 and 14), wherever the image lies.
@Suite(.blocking) struct `A stored image in any tier` {
    private static let date = "Mon, 06 Jan 2025 10:00:00 GMT"
    private static let later = "Tue, 07 Jan 2025 10:00:00 GMT"
    private let picture = OriginReply.aged("max-age=600").header("Last-Modified", date)

    /// C80; the precedence is that of RFC 9110 section 13.2.2.
    @Test(arguments: Tier.allCases)
    func `is compared with what the client has`(tier: Tier) throws {
        let rig = try TierRig(tier, picture)
        try rig.fill()
        let asked: [(KeyValuePairs<String, String>, Int)] = [
            (["If-None-Match": "\"x\", \"v1\""], 304), (["If-None-Match": "*"], 304),
            (["If-None-Match": "W/\"v1\""], 304), (["If-None-Match": "\"x\""], 200),
            (["If-Modified-Since": Self.date], 304), (["If-Modified-Since": Self.later], 304),
            (["If-Modified-Since": "Sun, 05 Jan 2025 10:00:00 GMT"], 200),
            (["If-None-Match": "\"x\"", "If-Modified-Since": Self.later], 200),
            (["If-Match": "\"x\""], 200), (["If-Unmodified-Since": "Sun, 05 Jan 2025 10:00:00 GMT"], 200),
        ]
        for (fields, status) in asked {
            let answer = try rig.get(fields)
            #expect(answer.status == status && answer.isHit, "\(fields): \(answer)")
            #expect(answer.body.count == (status == 304 ? 0 : 900), "\(fields): \(answer)")
            #expect(answer["etag"] == "\"v1\"" && answer["cache-control"] == "max-age=600", "\(fields)")
            try rig.settle()
        }
        #expect(rig.origin.hits == 1)
    }

    /// C101, C108.
    @Test(arguments: Tier.allCases)
    func `is cut to the range that is asked for`(tier: Tier) throws {
        let rig = try TierRig(tier, picture)
        try rig.fill()
        let asked: [(KeyValuePairs<String, String>, Range<Int>?)] = [
            (["Range": "bytes=0-99"], 0..<100), (["Range": "bytes=-50"], 850..<900),
            (["Range": "bytes=800-"], 800..<900), (["Range": "bytes=0-9", "If-Range": "\"v1\""], 0..<10),
            (["Range": "bytes=0-9", "If-Range": Self.date], 0..<10),
            (["Range": "bytes=0-9", "If-Range": "\"v2\""], nil),
            (["Range": "bytes=0-9", "If-Range": "W/\"v1\""], nil),
            (["Range": "bytes=0-9", "If-Range": Self.later], nil), (["Range": "items=0-9"], nil),
            (["Range": "bytes=0-9,20-29"], nil),
        ]
        for (fields, range) in asked {
            let answer = try rig.get(fields)
            let bytes = range ?? 0..<900
            #expect(answer.status == (range == nil ? 200 : 206) && answer.isHit, "\(fields): \(answer)")
            #expect(answer.body == Array(picture.body[bytes]), "\(fields): \(answer)")
            let expected = range.map { "bytes \($0.lowerBound)-\($0.upperBound - 1)/900" }
            #expect(answer["content-range"] == expected, "\(fields): \(answer.fields)")
            try rig.settle()
        }
        let outside = try rig.get(["Range": "bytes=900-"])
        #expect(outside.status == 416 && outside["content-range"] == "bytes */900", "\(outside)")
        #expect(rig.origin.hits == 1)
    }

    /// RFC 9110 section 13.1.5: a weak tag never holds a range together.
    @Test(arguments: Tier.allCases)
    func `with a weak tag is sent whole to If-Range`(tier: Tier) throws {
        let weak = picture.replacingHeader("ETag", "W/\"v1\"").replacingHeader("Last-Modified", nil)
        let rig = try TierRig(tier, weak)
        try rig.fill()
        let part = try rig.get(["Range": "bytes=0-9"])
        let whole = try rig.get(["Range": "bytes=0-9", "If-Range": "W/\"v1\""])
        #expect(part.status == 206 && whole.isImage(weak.body), "\(part), \(whole)")
    }
}
