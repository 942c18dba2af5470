import EventLoops
import Settings

/// How the open files of the process are shared out.
public enum OpenFiles {
    /// Kept for connections to origins, for files that are just being read or written, and for what the loops need.
    private static let reserved = 256
    /// Records that the disk tier keeps open even where the limit is tight.
    private static let fewestRecords = 64
    /// With more of them open the kernel's memory for them tells, and no more requests are helped.
    private static let mostRecords = 10_240

    /// The least limit under which `maxConnections` clients are served.
    public static func needed(_ configuration: Configuration) -> Int {
        configuration.maxConnections + reserved + fewestRecords
    }

    /// How many records the disk tier may keep open: three quarters of what is left beside everything else.
    static func ofDiskTier(_ configuration: Configuration, limit: UInt64 = ProcessFigures.descriptorLimit()) -> Int {
        let left = Int(clamping: limit) - configuration.maxConnections - reserved
        return min(max(left / 4 * 3, fewestRecords), mostRecords)
    }
}
