import CSystem
import Glibc

/// What the kernel says about this process, for the `process_*` metrics.
///
/// Source: proc(5), `/proc/self/stat` and `/proc/self/fd`.
public struct ProcessFigures: Sendable, Equatable {
    /// Processor time in user and system mode.
    public var cpuSeconds: Double
    /// Open descriptors.
    public var openDescriptors: UInt64
    /// The soft limit of open descriptors.
    public var maxDescriptors: UInt64
    /// Size of the address space.
    public var virtualBytes: UInt64
    /// Memory in use.
    public var residentBytes: UInt64
    /// When the process began, in Unix seconds.
    public var startSeconds: Double

    /// Makes figures by hand, for tests.
    public init(
        cpuSeconds: Double, openDescriptors: UInt64, maxDescriptors: UInt64, virtualBytes: UInt64,
        residentBytes: UInt64, startSeconds: Double
    ) {
        self.cpuSeconds = cpuSeconds
        self.openDescriptors = openDescriptors
        self.maxDescriptors = maxDescriptors
        self.virtualBytes = virtualBytes
        self.residentBytes = residentBytes
        self.startSeconds = startSeconds
    }

    /// Reads the figures; nil where `/proc` is not mounted.
    ///
    /// Cost: a few system calls; before Linux 6.2 also one pass over the open descriptors.
    public static func current() -> ProcessFigures? {
        guard let status = ProcessStatus.current() else { return nil }
        return ProcessFigures(
            cpuSeconds: status.cpuTicks / ticksPerSecond,
            openDescriptors: countDescriptors(),
            maxDescriptors: descriptorLimit(),
            virtualBytes: status.virtualBytes,
            residentBytes: status.residentPages &* UInt64(max(0, sysconf(Int32(_SC_PAGESIZE)))),
            startSeconds: processStart)
    }

    /// The unit of times in `/proc`.
    private static let ticksPerSecond = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))

    /// Read once, so that a wall clock that is set does not move it.
    private static let processStart: Double = {
        let now = Double(WallClock.milliseconds()) / 1000
        guard let status = ProcessStatus.current() else { return now }
        return now - Double(Instant.now().nanoseconds) / 1e9 + status.startTicks / ticksPerSecond
    }()

    /// How many descriptors the process may have open.
    public static func descriptorLimit() -> UInt64 {
        var limit = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)  // Fails only for an unknown limit.
        return UInt64(limit.rlim_cur)
    }

    private static func countDescriptors() -> UInt64 {
        var status = stat()
        // Since Linux 6.2 the size of the directory is the number of descriptors; before that it is 0.
        if unsafe stat("/proc/self/fd", &status) == 0, status.st_size > 0 { return UInt64(status.st_size) }
        guard let directory = unsafe opendir("/proc/self/fd") else { return 0 }
        defer { _ = unsafe closedir(directory) }  // Nothing can be done about a failing close.
        var entries = 0
        while unsafe readdir(directory) != nil { entries += 1 }
        // Two are the directory and its parent, one is the descriptor that reads it.
        return UInt64(max(0, entries - 3))
    }
}

/// The fields of `/proc/self/stat` that the figures are made of.
private struct ProcessStatus {
    var cpuTicks: Double
    var startTicks: Double
    var virtualBytes: UInt64
    var residentPages: UInt64

    static func current() -> ProcessStatus? {
        guard let text = read("/proc/self/stat"), let nameEnd = text.lastIndex(of: UInt8(ascii: ")")) else {
            return nil
        }
        // The name in parentheses may hold anything; behind it stand the fields from the third on.
        let fields = text[(nameEnd + 1)...].split(separator: UInt8(ascii: " "))
            .map { UInt64(String(decoding: $0, as: UTF8.self)) ?? 0 }
        guard fields.count > 21 else { return nil }
        return ProcessStatus(
            cpuTicks: Double(fields[11]) + Double(fields[12]), startTicks: Double(fields[19]),
            virtualBytes: fields[20], residentPages: fields[21])
    }

    private static func read(_ path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }  // Nothing can be done about a failing close.
        // The file is one line of at most 52 fields.
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        return Array(bytes[..<count])
    }
}
