import Glibc

/// A moment on the clock that also runs while the machine sleeps and that nobody can set.
///
/// Ages, deadlines and timeouts use it; wall time appears only where a date field is read or written.
///
/// Source: `clock_gettime(CLOCK_BOOTTIME)`.
public struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since boot.
    public let nanoseconds: Int64

    /// Makes an instant from nanoseconds since boot, for manual clocks.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Reads the clock.
    public static func now() -> Instant {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)  // Fails only for an unknown clock.
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// An instant that is never reached: no deadline.
    public static let distantFuture = Instant(nanoseconds: .max)

    /// Orders by time.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The instant `duration` later; saturates instead of overflowing.
    public static func + (instant: Instant, duration: Duration) -> Instant {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return overflow ? distantFuture : Instant(nanoseconds: sum)
    }

    /// The instant that many nanoseconds later, for the paths where a `Duration` costs too much.
    @inline(__always)
    public func advanced(nanoseconds distance: Int64) -> Instant {
        Instant(nanoseconds: nanoseconds &+ distance)
    }

    /// The time from `right` to `left`.
    public static func - (left: Instant, right: Instant) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds, saturating at the ends of `Int64` (about 292 years).
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard !overflowed else { return scaled < 0 ? .min : .max }
        return sum
    }

    /// The duration in seconds with their fraction, for figures that people read.
    public var inSeconds: Double { Double(wholeNanoseconds) / 1_000_000_000 }

    /// The duration in whole seconds, rounded down.
    public var wholeSeconds: Int64 { components.seconds - (components.attoseconds < 0 ? 1 : 0) }
}

/// Wall time, which can jump: only for date fields, records on disk and log lines.
public enum WallClock {
    /// Unix seconds.
    ///
    /// Source: `clock_gettime(CLOCK_REALTIME)`.
    public static func seconds() -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)  // Fails only for an unknown clock.
        return Int64(time.tv_sec)
    }
}
