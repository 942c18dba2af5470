import EventLoops
import Foundation
import Testing

@testable import ImageService

struct MetricsJSONTests {
    private func parse(_ bytes: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    @Test func `the figures are members of one object, by label value`() throws {
        let counters = LoopCounters()
        counters.add(.requestsMiss, 4)
        counters.observeLag(seconds: 0.002)
        counters.setWaiters(6)
        let report = MetricsReport(counters: [counters], gauges: .sample)
        let object = try parse(report.json(adding: [("config", Array(#"{"a":1}"#.utf8))]))
        #expect(object["version"] as? String == "1.2.3")
        #expect((object["imagestore_requests_total"] as? [String: Int])?["miss"] == 4)
        #expect(object["imagestore_waiters"] as? Int == 6)
        let evictions = object["imagestore_cache_evictions_total"] as? [String: [String: Int]]
        #expect(evictions == ["memory": ["room": 5, "purge": 1], "disk": ["room": 3]])
        #expect((object["imagestore_origin_responses_total"] as? [String: Int])?.isEmpty == true)
        #expect(object["config"] as? [String: Int] == ["a": 1])
        let lag = try #require(object["imagestore_loop_lag_seconds"] as? [String: Any])
        #expect(lag["count"] as? Int == 1)
        #expect(lag["sum"] as? Double == 0.002)
        #expect((lag["buckets"] as? [String: Int])?["+Inf"] == 1)
    }

    @Test func `figures that are not there leave the object valid`() throws {
        let object = try parse(MetricsReport(counters: [], gauges: Gauges(), process: nil).json())
        #expect(object["process_open_fds"] == nil)
        #expect(object["imagestore_waiters"] as? Int == 0)
    }

    @Test(arguments: [
        ("plain", #""plain""#), (#"a"b\c"#, #""a\"b\\c""#), ("\r\n\t\u{1}", #""\r\n\t\u0001""#),
        ("</script>&", #""\u003c/script\u003e\u0026""#), ("é😀", #""é😀""#), ("\u{2028}", #""\u2028""#),
        ("\u{7F}\u{85}", #""\u007f\u0085""#), ("", #""""#),
    ])
    func `strings are escaped for JSON and for pages`(text: String, json: String) {
        var output: [UInt8] = []
        JSONText.appendString(Array(text.utf8), to: &output)
        #expect(String(decoding: output, as: UTF8.self) == json)
    }

    @Test(arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x61, 0x80, 0x22]] as [[UInt8]])
    func `bytes that are not UTF-8 become replacement characters`(bytes: [UInt8]) throws {
        var output: [UInt8] = []
        JSONText.appendString(bytes, to: &output)
        let text = try JSONSerialization.jsonObject(with: Data(output), options: .fragmentsAllowed) as? String
        #expect(text?.contains("\u{FFFD}") == true)
    }

    @Test func `the writer sets commas where values follow each other`() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("list")
        writer.beginArray()
        writer.number(-3)
        writer.number(UInt64.max)
        writer.number(0.5)
        writer.number(Double.infinity)
        writer.number(2.0)
        writer.beginObject()
        writer.endObject()
        writer.null()
        writer.endArray()
        writer.key("flag")
        writer.boolean(true)
        writer.key("text")
        writer.string("x")
        writer.endObject()
        let expected = #"{"list":[-3,18446744073709551615,0.5,null,2,{},null],"flag":true,"text":"x"}"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    }
}
