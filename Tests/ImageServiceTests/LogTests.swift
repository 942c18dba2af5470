import EventLoops
import Settings
import Synchronization
import TestSupport
import Testing

@testable import ImageService

struct LogTests {
    /// Keeps what a log writes, and stands still where the test wants it to.
    private final class Paper: Sendable {
        private let text = Monitor<[UInt8]>([])
        let isWriting = TestSupport.Gate()
        let mayWrite = TestSupport.Gate()

        func write(_ bytes: [UInt8]) {
            isWriting.open()
            mayWrite.wait()
            text.update { $0 += bytes }
        }

        var lines: [String] {
            text.read { String(decoding: $0, as: UTF8.self) }.split(separator: "\n").map(String.init)
        }
    }

    /// A clock that the test moves.
    private final class Clock: Sendable {
        let seconds = Atomic<Int64>(0)

        var reader: LogClock {
            LogClock(
                now: { Instant(nanoseconds: self.seconds.load(ordering: .relaxed) * 1_000_000_000) },
                wallMilliseconds: { 1_791_201_600_123 + self.seconds.load(ordering: .relaxed) * 1000 })
        }
    }

    private func makeLog(
        _ level: LogLevel, _ paper: Paper, capacity: Int = 100, clock: Clock = Clock(), isOpen: Bool = true
    ) throws -> Log {
        if isOpen { paper.mayWrite.open() }
        return try Log(level: level, capacity: capacity, clock: clock.reader) { bytes in
            paper.write(bytes)
            return true
        }
    }

    @Test func `a line holds time, level, message and fields in order`() throws {
        let paper = Paper()
        let log = try makeLog(.info, paper)
        log.log(.info, "listening", ["address": "127.0.0.1:8080", "loops": "2"])
        log.log(.error, "no fields")
        log.close()
        #expect(
            paper.lines == [
                "2026-10-05T12:00:00.123Z info listening address=127.0.0.1:8080 loops=2",
                "2026-10-05T12:00:00.123Z error no fields",
            ])
    }

    @Test(arguments: [
        ("", #""""#), ("a b", #""a b""#), ("a=b", #""a=b""#), (#"a"b\"#, #""a\"b\\""#),
        ("a\nb\r\tc", #""a\nb\r\tc""#), ("\u{1B}[31m", #""\u001b[31m""#), ("\u{9B}1m", #"\u009b1m"#),
        ("\u{202E}abc", #"\u202eabc"#), ("é😀", "é😀"),
    ])
    func `a value can neither end its line nor its quotes`(value: String, written: String) {
        var output: [UInt8] = []
        LogLine(milliseconds: 0, level: .debug, message: "m", fields: ["k": value]).append(to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "1970-01-01T00:00:00.000Z debug m k=\(written)\n")
    }

    @Test func `a long value is cut`() {
        var output: [UInt8] = []
        let value = String(repeating: "x", count: 100_000)
        LogLine(milliseconds: 0, level: .debug, message: "m", fields: ["k": value]).append(to: &output)
        #expect(output.count < 2200)
        #expect(String(decoding: output, as: UTF8.self).hasSuffix("x…\n"))
    }

    @Test(
        arguments: [
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (1_709_251_200_007, "2024-03-01T00:00:00.007Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-5, "1970-01-01T00:00:00.000Z"), (253_402_300_800_000, "10000-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func `times are written as RFC 3339 wants them`(milliseconds: Int64, text: String) {
        var output: [UInt8] = []
        LogTime(milliseconds: milliseconds).append(to: &output)
        #expect(String(decoding: output, as: UTF8.self) == text)
    }

    @Test func `below the level neither line nor fields are made`() throws {
        let paper = Paper()
        let log = try makeLog(.warning, paper)
        let made = Atomic<Int>(0)
        func count() -> String { made.add(1, ordering: .relaxed).newValue.description }
        for level in LogLevel.allCases { log.log(level, "line", ["n": count()]) }
        #expect(made.load(ordering: .relaxed) == 2)
        log.setLevel(.trace)
        log.log(.trace, "line", ["n": count()])
        log.close()
        #expect(paper.lines.map { $0.split(separator: " ")[1] } == ["warning", "error", "trace"])
    }

    @Test func `lines beyond the queue are dropped, counted and reported`() throws {
        let paper = Paper()
        let log = try makeLog(.info, paper, capacity: 2, isOpen: false)
        log.log(.info, "first")
        #expect(paper.isWriting.wait())
        for _ in 0..<5 { log.log(.info, "more") }
        #expect(log.dropped == 3)
        paper.mayWrite.open()
        log.close()
        let messages = paper.lines.map { $0.split(separator: " ", maxSplits: 1)[1] }
        #expect(messages == ["info first", "info more", "info more", "warning log lines were dropped count=3"])
    }

    @Test func `lines from many threads arrive whole, those of one thread in order`() throws {
        let paper = Paper()
        let log = try makeLog(.info, paper, capacity: 100_000)
        _ = try clients(4) { thread in
            for number in 0..<500 { log.log(.info, "line", ["thread": "\(thread)", "n": "\(number)"]) }
        }
        log.close()
        for thread in 0..<4 {
            let numbers = paper.lines.filter { $0.contains(" thread=\(thread) ") }.map { $0.split(separator: "=").last }
            #expect(numbers == (0..<500).map { Substring($0.description) })
        }
        #expect(paper.lines.count == 2000)
        #expect(log.dropped == 0)
    }

    @Test func `a warning that repeats is written once a minute with a count`() throws {
        let paper = Paper()
        let clock = Clock()
        let log = try makeLog(.info, paper, clock: clock)
        for second in [0, 1, 59, 60, 61] as [Int64] {
            clock.seconds.store(second, ordering: .relaxed)
            log.warn(oncePerMinute: "disk", "disk is full", ["op": "write"])
        }
        log.warn(oncePerMinute: "dns", "no resolver")
        log.close()
        #expect(
            paper.lines == [
                "2026-10-05T12:00:00.123Z warning disk is full op=write",
                "2026-10-05T12:01:00.123Z warning disk is full op=write repeated=2",
                "2026-10-05T12:01:01.123Z warning no resolver",
                "2026-10-05T12:01:01.123Z warning disk is full repeated=1",
            ])
    }

    @Test func `after the end lines are dropped and a second end does nothing`() throws {
        let paper = Paper()
        let log = try makeLog(.info, paper)
        log.log(.info, "before")
        log.close()
        log.close()
        log.log(.info, "after")
        #expect(paper.lines.count == 1)
        #expect(log.dropped == 1)
    }

    @Test func `lines that the output did not take count as dropped`() throws {
        let log = try Log(level: .info) { (_: [UInt8]) -> Bool in false }
        for _ in 0..<3 { log.log(.info, "lost") }
        log.close()
        #expect(log.dropped == 3)
    }

    @Test func `a log that nobody holds any more still writes what it was given`() throws {
        let paper = Paper()
        try makeLog(.info, paper).log(.info, "only")
        #expect(paper.lines.count == 1)
    }
}
