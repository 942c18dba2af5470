import Glibc

/// Where the program writes for people.
enum Terminal {
    /// Writes to standard output.
    ///
    /// - Returns: the exit code: failed when not all could be written, a full disk for one.
    static func write(_ text: String) -> Int32 {
        (send(text, to: STDOUT_FILENO) ? ExitCode.done : ExitCode.failed).rawValue
    }

    /// Writes an error to standard error; the word `error` is red on a terminal.
    static func complain(_ text: String) {
        let isTerminal = isatty(STDERR_FILENO) == 1
        // Nothing is left to tell anyone if this fails.
        _ = send((isTerminal ? "\u{1B}[31merror:\u{1B}[0m " : "error: ") + text + "\n", to: STDERR_FILENO)
    }

    private static func send(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
