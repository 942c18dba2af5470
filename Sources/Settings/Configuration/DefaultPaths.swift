import FoundationEssentials
import Glibc

/// Defaults that depend on who runs the program.
public enum DefaultPaths {
    /// The disk tier's directory of this process.
    public static let diskCache = diskCache(isRoot: geteuid() == 0, environment: ProcessInfo.processInfo.environment)

    /// The disk tier's directory: the system's cache directory for root, else the user's.
    ///
    /// A relative `XDG_CACHE_HOME` is ignored.
    /// Source: XDG Base Directory Specification, "Environment variables".
    static func diskCache(isRoot: Bool, environment: [String: String]) -> String {
        if isRoot { return "/var/cache/imagestore" }
        if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") { return cache + "/imagestore" }
        if let home = environment["HOME"], home.hasPrefix("/") { return home + "/.cache/imagestore" }
        return "/var/tmp/imagestore-\(geteuid())"
    }

    /// Where the configuration file is looked for when no `--config` names one, in order.
    public static let configurationFiles = ["./config/imagestore.json5", "/etc/imagestore/imagestore.json5"]
}
