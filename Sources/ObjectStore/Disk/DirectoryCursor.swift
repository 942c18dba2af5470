/// Goes through the directories of records, one name after the other.
///
/// Owner: the job that runs; a copy goes on where this one stands.
struct DirectoryCursor: Sendable {
    /// Directories listed before the worker is free for others.
    private static let directoriesPerStep = 32

    private let files: RecordFiles
    private var nextDirectory = 0
    private var directory = ""
    private var names: [String] = []

    /// A cursor that has not begun.
    init(files: RecordFiles) {
        self.files = files
    }

    /// Whether there is anything left.
    var hasMore: Bool { !names.isEmpty || nextDirectory < RecordName.directories.count }

    /// Takes the next few names, in no order.
    ///
    /// - Parameters:
    ///   - visit: gets the hash of each name that is one of a record, where it belongs.
    ///   - failed: hears of a directory that cannot be listed; one that is not there has no records.
    mutating func step(files limit: Int, visit: (KeyHash) -> Void, failed: (FileError) -> Void) {
        var filesLeft = limit
        var directoriesLeft = Self.directoriesPerStep
        while filesLeft > 0, directoriesLeft > 0, hasMore {
            if let name = names.popLast() {
                filesLeft -= 1
                if name.hasPrefix(directory), let hash = RecordName.hash(ofFile: name) { visit(hash) }
            } else {
                directoriesLeft -= 1
                do throws(FileError) { try listNext() } catch { if !error.isAbsent { failed(error) } }
            }
        }
    }

    private mutating func listNext() throws(FileError) {
        directory = RecordName.directories[nextDirectory]
        nextDirectory += 1
        names = try files.fileSystem.list(files.paths.records(directory))
    }
}
