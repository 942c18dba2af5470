/// Where things lie in the cache directory.
///
/// Shape:
///
/// | path | what |
/// | --- | --- |
/// | `lock` | held by `flock` while a process uses the directory |
/// | `v1/` | everything of format version 1; other versions are ignored |
/// | `v1/seed` | the seed of the names (`SeedFile`) |
/// | `v1/bans` | what was purged by rule and may still have files, the last number (`BanFile`) |
/// | `v1/ab/<32 hex digits>` | a record; the digits are the hash of its key, `ab` the first two of them |
/// | `v1/tmp/<32 hex digits>.<number>` | a record being written; what is left of one is removed at start |
struct DiskPaths: Sendable {
    /// The cache directory.
    let root: String
    /// The lock file.
    let lock: String
    /// The directory of this format version.
    let version: String
    /// The seed of the names.
    let seed: String
    /// What was purged by rule.
    let bans: String
    /// Where files are written.
    let temporary: String

    /// Paths below a cache directory.
    init(root: String) {
        var root = root
        while root.count > 1, root.hasSuffix("/") { root.removeLast() }
        self.root = root
        lock = root + "/lock"
        version = root + "/v1"
        seed = version + "/seed"
        bans = version + "/bans"
        temporary = version + "/tmp"
    }

    /// The directory of records whose names start with two digits.
    func records(_ digits: String) -> String {
        version + "/" + digits
    }

    /// The file of a record.
    func record(_ hash: KeyHash) -> String {
        version + "/" + RecordName.directory(of: hash) + "/" + RecordName.file(of: hash)
    }

    /// A file to write a record into.
    func temporary(_ hash: KeyHash, number: UInt64) -> String {
        temporary + "/" + RecordName.file(of: hash) + "." + String(number)
    }

    /// A file that is no record, made under a name that is cleared at start like those of records.
    enum Unfinished: UInt64 {
        /// What the start writes to see whether it can.
        case probe
        /// The seed of the names.
        case seed
        /// What was purged by rule.
        case bans
    }

    /// A file to write something else into.
    func temporary(_ file: Unfinished) -> String {
        temporary(KeyHash(high: 0, low: 0), number: file.rawValue)
    }

    /// The directory and all above it, outermost first.
    static func ancestors(_ path: String) -> [String] {
        var result: [String] = []
        var current = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            current += "/" + part
            result.append(current)
        }
        return result
    }
}
