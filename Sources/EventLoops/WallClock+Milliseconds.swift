import CSystem
import Glibc

extension WallClock {
    /// Unix milliseconds, for log lines.
    ///
    /// Source: `clock_gettime(CLOCK_REALTIME)`.
    public static func milliseconds() -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)  // Fails only for an unknown clock.
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
