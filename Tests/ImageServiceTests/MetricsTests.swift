import EventLoops
import Testing

@testable import ImageService

struct MetricsTests {
    private func lines(_ report: MetricsReport) -> [String] {
        String(decoding: report.text(), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `counters of all loops are summed, and those at zero are there too`() {
        let loops = [LoopCounters(), LoopCounters()]
        loops[0].add(.requestsMemoryHit, 3)
        loops[1].add(.requestsMemoryHit, 4)
        loops[1].add(.responseBytesDisk, 5000)
        loops[0].setWaiters(2)
        loops[1].setWaiters(3)
        loops[0].setConnections(data: 10, admin: 1)
        let page = lines(MetricsReport(counters: loops, gauges: Gauges()))
        #expect(page.contains(#"imagestore_requests_total{result="memory_hit"} 7"#))
        #expect(page.contains(#"imagestore_requests_total{result="error"} 0"#))
        #expect(page.contains(#"imagestore_response_bytes_total{tier="disk"} 5000"#))
        #expect(page.contains("imagestore_waiters 5"))
        #expect(page.contains(#"imagestore_connections{listener="data"} 10"#))
        #expect(page.contains(#"imagestore_connections{listener="admin"} 1"#))
    }

    @Test func `each metric is announced once, before its series`() {
        let page = lines(MetricsReport(counters: [LoopCounters()], gauges: Gauges()))
        var announced: [String] = []
        for line in page {
            if line.hasPrefix("# TYPE ") {
                announced.append(String(line.split(separator: " ")[2]))
            } else if !line.hasPrefix("#") {
                let name = line.prefix { $0 != "{" && $0 != " " }
                #expect(announced.last.map { name.hasPrefix($0) } == true, "\(line)")
            }
        }
        #expect(announced == Metric.allCases.map(\.rawValue))
        #expect(page.filter { $0.hasPrefix("# HELP ") }.count == announced.count)
    }

    @Test func `every row has a value for each label`() {
        let report = MetricsReport(counters: [LoopCounters()], gauges: .sample)
        for metric in Metric.allCases {
            for sample in report.samples(of: metric) {
                #expect(sample.labels.count == metric.labels.count, "\(metric)")
                if case .distribution = sample.value { #expect(metric.kind == .histogram) }
            }
        }
    }

    @Test func `gauges appear under their labels`() {
        let page = lines(MetricsReport(counters: [], gauges: .sample))
        for line in [
            #"imagestore_cache_bytes{tier="memory"} 1000"#, #"imagestore_cache_bytes{tier="disk"} 2000"#,
            #"imagestore_cache_evictions_total{tier="disk",reason="room"} 3"#,
            #"imagestore_downloads{state="suspended"} 1"#, #"imagestore_disk_errors_total{op="rename"} 2"#,
            "imagestore_in_flight_bytes 4096", "imagestore_disk_corrupt_total 1", "imagestore_log_dropped_total 9",
        ] {
            #expect(page.contains(line), "\(line)")
        }
    }

    @Test func `label values are escaped`() {
        var gauges = Gauges()
        gauges.version = "1\"2\\3\n4"
        let page = lines(MetricsReport(counters: [], gauges: gauges))
        #expect(page.contains(#"imagestore_build_info{version="1\"2\\3\n4"} 1"#))
    }

    @Test func `only codes and rules that were seen are there`() {
        let loops = [LoopCounters(), LoopCounters()]
        loops[0].countOriginResponse(200)
        loops[1].countOriginResponse(200)
        loops[1].countOriginResponse(999)
        loops[0].countBlocked("port")
        loops[1].countBlocked("port")
        let page = lines(MetricsReport(counters: loops, gauges: Gauges())).filter { !$0.hasPrefix("#") }
        #expect(
            page.filter { $0.hasPrefix("imagestore_origin_responses_total") } == [
                #"imagestore_origin_responses_total{code="other"} 1"#,
                #"imagestore_origin_responses_total{code="200"} 2"#,
            ])
        #expect(
            page.filter { $0.hasPrefix("imagestore_blocked_total") } == [#"imagestore_blocked_total{reason="port"} 2"#])
    }

    @Test func `buckets of a histogram are cumulated and end with all`() {
        let counters = LoopCounters()
        for seconds in [0.0002, 0.5, 100] { counters.observeDownload(seconds: seconds) }
        let page = lines(MetricsReport(counters: [counters], gauges: Gauges()))
            .filter { $0.hasPrefix("imagestore_download_duration_seconds") }
        #expect(page.count == 18)
        #expect(page.first == #"imagestore_download_duration_seconds_bucket{le="0.0001"} 0"#)
        #expect(page.contains(#"imagestore_download_duration_seconds_bucket{le="1"} 2"#))
        #expect(
            page.suffix(3) == [
                #"imagestore_download_duration_seconds_bucket{le="+Inf"} 3"#,
                "imagestore_download_duration_seconds_sum 100.5002",
                "imagestore_download_duration_seconds_count 3",
            ])
    }

    @Test func `a histogram with a label keeps it before the bound`() {
        let counters = LoopCounters()
        counters.observeRequest(.requestsStale, seconds: 0.003)
        let page = lines(MetricsReport(counters: [counters], gauges: Gauges()))
        #expect(page.contains(#"imagestore_request_duration_seconds_bucket{result="stale",le="0.005"} 1"#))
        #expect(page.contains(#"imagestore_request_duration_seconds_count{result="stale"} 1"#))
    }

    @Test func `the process's figures are those of the kernel`() throws {
        let figures = try #require(ProcessFigures.current())
        #expect(figures.residentBytes > 1_000_000)
        #expect(figures.virtualBytes > figures.residentBytes)
        #expect((3...figures.maxDescriptors).contains(figures.openDescriptors))
        #expect(figures.cpuSeconds >= 0)
        let age = Double(WallClock.milliseconds()) / 1000 - figures.startSeconds
        #expect((-1...86_400).contains(age))
        #expect(ProcessFigures.current()?.startSeconds == figures.startSeconds)
    }

    @Test func `the process's figures stand on the page under the usual names`() {
        let figures = ProcessFigures(
            cpuSeconds: 1.25, openDescriptors: 12, maxDescriptors: 1024, virtualBytes: 1 << 40, residentBytes: 4096,
            startSeconds: 1_700_000_000.5)
        let page = lines(MetricsReport(counters: [], gauges: Gauges(), process: figures))
            .filter { $0.hasPrefix("process_") }
        #expect(
            page == [
                "process_cpu_seconds_total 1.25", "process_open_fds 12", "process_max_fds 1024",
                "process_virtual_memory_bytes 1099511627776", "process_resident_memory_bytes 4096",
                "process_start_time_seconds 1700000000.5",
            ])
    }
}

extension Gauges {
    /// Something in every place.
    static var sample: Gauges {
        var gauges = Gauges()
        gauges.cacheBytes = Tiers(memory: 1000, disk: 2000)
        gauges.cacheLimit = Tiers(memory: 10_000, disk: 20_000)
        gauges.cacheObjects = Tiers(memory: 10, disk: 20)
        gauges.evictions = [
            Eviction(tier: "memory", reason: "room", count: 5), Eviction(tier: "disk", reason: "room", count: 3),
            Eviction(tier: "memory", reason: "purge", count: 1),
        ]
        gauges.downloadsSuspended = 1
        gauges.inFlightBytes = 4096
        gauges.diskErrors = [DiskError(operation: "rename", count: 2)]
        gauges.diskCorrupt = 1
        gauges.logDropped = 9
        gauges.version = "1.2.3"
        return gauges
    }
}
