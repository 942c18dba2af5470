import HTTPCaching
import HTTPMessages
import Testing

/// A minute after the stored response was received.
private let later = HTTPDate(secondsSinceEpoch: receipt.secondsSinceEpoch + 60)

private func freshened(
    _ old: StoredResponse, _ update: Fields, scope: Storability.Scope = .everything, limit: Int64? = nil
) -> StoredResponse {
    Revalidation.freshened(
        old, with: update, rules: HeaderRules(scope: scope), requestTime: later, responseTime: later,
        lifetimeLimitSeconds: limit)
}

@Suite struct RevalidationTests {
    @Test func `RFC 9111 §4_3_1: validators are sent as received`() {
        let modified = dateField(-1000)
        let fields: Fields = [.eTag: "W/\"v1\"", .lastModified: modified]
        #expect(
            Revalidation.conditions(for: stored(fields)) == [.ifNoneMatch: "W/\"v1\"", .ifModifiedSince: modified])
        #expect(Revalidation.conditions(for: stored([.eTag: "v1"])) == [.ifNoneMatch: "v1"])
        #expect(Revalidation.conditions(for: stored([.lastModified: "garbage", .eTag: ""])).isEmpty)
        #expect(Revalidation.conditions(for: stored([:])).isEmpty)
    }

    @Test(arguments: [
        ("\"v1\"", "\"v1\"", true), ("\"v1\"", "\"v2\"", false), ("W/\"v1\"", "\"v1\"", true),
        ("\"v1\"", "W/\"v1\"", true), ("W/\"v1\"", "W/\"v2\"", false), ("v1", "v1", true), ("v1", "v2", false),
        ("v1", "\"v1\"", false),
    ])
    func `RFC 9111 §4_3_4: a 304 speaks of the response whose tag it names`(old: String, new: String, selects: Bool) {
        #expect(Revalidation.selects([.eTag: new], stored: stored([.eTag: old]), now: later) == selects)
    }

    @Test func `RFC 9111 §4_3_4: dates and absent validators`() {
        let old = stored([.eTag: "\"v1\"", .lastModified: dateField(-1000)])
        #expect(Revalidation.selects([:], stored: old, now: later))
        #expect(Revalidation.selects([.lastModified: dateField(-1000)], stored: old, now: later))
        #expect(!Revalidation.selects([.lastModified: dateField(-1001)], stored: old, now: later))
        #expect(!Revalidation.selects([.lastModified: "garbage"], stored: old, now: later))
        let tagOnly = stored([.eTag: "\"v1\""])
        #expect(Revalidation.selects([.lastModified: dateField(-1)], stored: tagOnly, now: later))
        let dateOnly = stored([.lastModified: dateField(-1000)])
        #expect(Revalidation.selects([.eTag: "\"v1\""], stored: dateOnly, now: later))
    }

    @Test func `RFC 9111 §3_2: fields of the 304 replace, others stay`() {
        let old = stored([
            .eTag: "\"v1\"", .cacheControl: "max-age=1", .cacheControl: "public", name("a"): "1", name("b"): "2",
        ])
        let new = freshened(old, [.cacheControl: "max-age=60", name("a"): "3", .date: dateField(59)])
        #expect(new.fields.all(.cacheControl).map { text($0) } == ["max-age=60"])
        #expect(text(new.fields.first(name("a"))) == "3")
        #expect(text(new.fields.first(name("b"))) == "2")
        #expect(text(new.fields.first(.eTag)) == "\"v1\"")
        #expect(new.status == .ok)
    }

    @Test func `RFC 9111 §3_2: what describes the stored bytes or the connection stays`() {
        let old = stored([.contentType: "image/png", .contentEncoding: "gzip", .contentLength: "1000"])
        let update: Fields = [
            .contentType: "text/html", .contentEncoding: "br", .contentLength: "0", .contentRange: "bytes 0-1/2",
            .connection: "x", name("x"): "1", .transferEncoding: "chunked", .setCookie: "a=b",
        ]
        let image = freshened(old, update, scope: .images)
        #expect(text(image.fields.first(.contentType)) == "image/png")
        let any = freshened(old, update)
        #expect(text(any.fields.first(.contentType)) == "text/html")
        #expect(text(any.fields.first(.contentEncoding)) == "gzip")
        #expect(text(any.fields.first(.contentLength)) == "1000")
        for absent in [FieldName.contentRange, .connection, name("x"), .transferEncoding, .setCookie] {
            #expect(!any.fields.contains(absent))
        }
    }

    @Test func `RFC 9111 §4_3_4: the age starts anew, from the fields of the 304`() {
        let old = stored([.date: dateField(-500), .age: "500", .cacheControl: "max-age=1"], softPurged: true)
        let new = freshened(old, [.age: "7"])
        #expect(new.times.initialAgeSeconds == 7)
        #expect(new.times.responseTime == later)
        #expect(text(new.fields.first(.date)) == dateField(60))
        #expect(!new.times.isSoftPurged)
        #expect(freshened(old, [.date: dateField(20)]).times.initialAgeSeconds == 40)
        #expect(freshened(old, [:], limit: 9).times.lifetimeLimitSeconds == 9)
    }
}

@Suite struct StoredResponseTests {
    @Test func `a head survives being written and read`() throws {
        let response = stored([.contentType: "image/png", .vary: "Accept", name("x"): "ü"], status: 203, limit: 5)
        let read = try #require(StoredResponse(serializedHead: response.serializedHead(), times: response.times))
        #expect(read == response)
        var redirected = response
        redirected.source = Array("http://b.test/x".utf8)
        #expect(StoredResponse(serializedHead: redirected.serializedHead(), times: response.times) == redirected)
        let empty = stored([:])
        #expect(StoredResponse(serializedHead: empty.serializedHead(), times: empty.times) == empty)
    }

    @Test func `damage and other versions are not read`() {
        let response = stored([.contentType: "image/png"])
        var bytes = response.serializedHead()
        #expect(StoredResponse(serializedHead: Array(bytes.dropLast()), times: response.times) == nil)
        #expect(StoredResponse(serializedHead: [2, 200, 0], times: response.times) == nil)
        #expect(StoredResponse(serializedHead: [], times: response.times) == nil)
        #expect(StoredResponse(serializedHead: [2, 0xFF, 0xFF, 0, 0, 0, 0], times: response.times) == nil)
        for length: [UInt8] in [[0xFF, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF]] {
            var wrong = bytes
            wrong.replaceSubrange(3..<7, with: length)
            #expect(StoredResponse(serializedHead: wrong, times: response.times) == nil)
        }
        bytes[0] = 1
        #expect(StoredResponse(serializedHead: bytes, times: response.times) == nil)
    }
}
