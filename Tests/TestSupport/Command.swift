import Glibc

/// A program that a test starts, and stops by its process id.
public final class Command: Sendable {
    private struct State {
        var output: [UInt8] = []
        var isOutputOver = false
        var waitStatus: Int32?
    }

    private let state = Monitor(State())
    /// The process id.
    public let id: Int32

    /// Starts the program found in `PATH` (or at the absolute path), with output and errors collected together.
    public init(_ arguments: [String], directory: String? = nil) throws {
        let (id, output) = try Self.spawning.update { _ in try Self.spawn(arguments, directory: directory) }
        self.id = id
        let state = state
        _ = ScriptThread {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = Glibc.read(output, &buffer, buffer.count)
                if count > 0 {
                    state.update { $0.output += buffer[..<count] }
                } else if count == 0 || errno != EINTR {
                    break
                }
            }
            close(output)
            state.update { $0.isOutputOver = true }
        }
        _ = ScriptThread {
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            state.update { $0.waitStatus = status }
        }
    }

    deinit { kill() }

    /// Held while a pipe exists that a process started meanwhile would inherit.
    ///
    /// The state is a byte, not nothing: the thread sanitizer takes an empty one for its neighbour.
    private static let spawning = Monitor(false)

    private static func spawn(_ arguments: [String], directory: String?) throws -> (id: Int32, output: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ScriptFailure.system(call: "pipe", code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        let actions = UnsafeMutablePointer<posix_spawn_file_actions_t>.allocate(capacity: 1)
        posix_spawn_file_actions_init(actions)
        defer {
            posix_spawn_file_actions_destroy(actions)
            actions.deallocate()
        }
        posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(actions, ends[1], 2)
        let attributes = makeAttributes()
        defer {
            posix_spawnattr_destroy(attributes)
            attributes.deallocate()
        }
        let all = directory.map { ["sh", "-c", "cd \"$0\" && exec \"$@\"", $0] + arguments } ?? arguments
        var words = all.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var id: Int32 = 0
        let code = posix_spawnp(&id, all[0], actions, attributes, &words, environ)
        guard code == 0 else {
            close(ends[0])
            throw ScriptFailure.system(call: "posix_spawnp \(all[0])", code: code)
        }
        return (id, ends[0])
    }

    /// No signal blocked or ignored, whatever the threads of the tests do.
    private static func makeAttributes() -> UnsafeMutablePointer<posix_spawnattr_t> {
        let attributes = UnsafeMutablePointer<posix_spawnattr_t>.allocate(capacity: 1)
        posix_spawnattr_init(attributes)
        let signals = UnsafeMutablePointer<sigset_t>.allocate(capacity: 1)
        defer { signals.deallocate() }
        sigemptyset(signals)
        posix_spawnattr_setsigmask(attributes, signals)
        sigaddset(signals, SIGPIPE)
        posix_spawnattr_setsigdefault(attributes, signals)
        posix_spawnattr_setflags(attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        return attributes
    }

    /// What it wrote so far.
    public var output: String { String(decoding: state.read { $0.output }, as: UTF8.self) }

    /// Whether it still runs.
    public var isRunning: Bool { state.read { $0.waitStatus == nil } }

    /// Waits until the output holds the text, and hands back the rest of that line.
    public func waitForOutput(_ text: String, upTo limit: Duration = Patience.limit) throws -> String {
        func rest(_ output: String) -> String? {
            guard let range = output.firstRange(of: text) else { return nil }
            let line = output[range.upperBound...]
            guard let end = line.firstIndex(where: \.isNewline) else { return nil }
            return String(line[..<end])
        }
        _ = state.wait(upTo: limit) { rest(String(decoding: $0.output, as: UTF8.self)) != nil || $0.isOutputOver }
        guard let line = rest(output) else { throw ScriptFailure.command("no \(text) in: \(output)") }
        return line
    }

    /// Sends a signal to this process, unless it has ended.
    public func signal(_ number: Int32) {
        state.read { if $0.waitStatus == nil { _ = Glibc.kill(id, number) } }
    }

    /// Ends it at once.
    public func kill() { signal(SIGKILL) }

    /// Waits for its end and hands back the exit status; negative for a signal.
    public func exitStatus(upTo limit: Duration = .seconds(20)) throws -> Int32 {
        guard state.wait(upTo: limit, until: { $0.waitStatus != nil }) else {
            throw ScriptFailure.timedOut("end of process \(id)")
        }
        _ = state.wait(upTo: .seconds(2)) { $0.isOutputOver }
        let status = state.read { $0.waitStatus } ?? 0
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }

    /// Runs a program to its end, and hands back what it wrote; throws when it failed.
    @discardableResult
    public static func run(_ arguments: [String], directory: String? = nil) throws -> String {
        let command = try Command(arguments, directory: directory)
        let status = try command.exitStatus()
        guard status == 0 else { throw ScriptFailure.command("\(arguments): \(status): \(command.output)") }
        return command.output
    }
}
