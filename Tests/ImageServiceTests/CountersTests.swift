import Testing

@testable import ImageService

struct CountersTests {
    @Test func `a loop's counters begin at zero and add up`() {
        let counters = LoopCounters()
        #expect(Counter.allCases.allSatisfy { counters.value($0) == 0 })
        counters.add(.requestsMiss)
        counters.add(.requestsMiss)
        counters.add(.downloadBytes, 4096)
        #expect(counters.value(.requestsMiss) == 2)
        #expect(counters.value(.downloadBytes) == 4096)
        #expect(Counter.allCases.reduce(0) { $0 + counters.value($1) } == 4098)
    }

    @Test func `no two counters are the same series`() {
        let series = Set(Counter.allCases.map { "\($0.metric) \($0.label ?? "")" })
        #expect(series.count == Counter.allCases.count)
        for counter in Counter.allCases {
            #expect((counter.label != nil) == (counter.metric.labels.count == 1))
            #expect(counter.metric.kind == .counter)
        }
    }

    @Test func `status codes without three digits of a known class share one place`() {
        let counters = LoopCounters()
        for code in [100, 200, 200, 599, 0, 99, 600, 65_535] as [UInt16] { counters.countOriginResponse(code) }
        #expect(counters.originResponses(100) == 1)
        #expect(counters.originResponses(200) == 2)
        #expect(counters.originResponses(599) == 1)
        #expect(counters.originResponses(0) == 4)
        #expect(LoopCounters.originCodes.reduce(0) { $0 + counters.originResponses($1) } == 8)
    }

    @Test func `refusals are counted by rule`() {
        let counters = LoopCounters()
        for rule in ["denied_host", "private_address", "denied_host"] { counters.countBlocked(rule) }
        #expect(counters.blockedByRule == ["denied_host": 2, "private_address": 1])
    }

    @Test func `gauges hold the last value`() {
        let counters = LoopCounters()
        counters.setConnections(data: 5, admin: 2)
        counters.setConnections(data: 4, admin: 1)
        counters.setWaiters(7)
        #expect(counters.connections == (data: 4, admin: 1))
        #expect(counters.waiters == 7)
    }

    @Test(arguments: [
        (0.0, 0), (0.0001, 0), (0.00011, 1), (0.001, 2), (30, 14), (30.1, 15), (.infinity, 15), (-1, 0), (.nan, 0),
    ])
    func `a duration falls into the first bucket whose bound it does not pass`(seconds: Double, bucket: Int) {
        let histogram = Histogram()
        histogram.observe(seconds: seconds)
        let reading = histogram.reading()
        #expect(reading.count == 1)
        #expect(reading.counts[bucket] == 1)
    }

    @Test func `readings of two loops add up`() {
        let first = LoopCounters()
        let second = LoopCounters()
        first.observeRequest(.requestsMiss, seconds: 0.25)
        second.observeRequest(.requestsMiss, seconds: 2)
        second.observeRequest(.requestsError, seconds: 9)
        var sum = first.requestDurations(.requestsMiss)
        sum += second.requestDurations(.requestsMiss)
        #expect(sum.count == 2)
        #expect(sum.sumSeconds == 2.25)
        #expect(sum.cumulated.last == 2)
        #expect(first.downloadDuration().count == 0)
    }
}
