import Glibc
import TestSupport

/// An https server on loopback that keeps its connection and says what the test tells it to: `openssl s_server` with a
/// pipe for a keyboard.
final class TLSConversation: Sendable {
    private let directory: TemporaryDirectory
    private let command: Command
    private let keyboard: Int32
    private let port: UInt16

    init(_ certificates: TestCertificates, _ version: String) throws {
        let leaf = try certificates.leaf("conversation")
        directory = try TemporaryDirectory()
        let pipe = directory.path + "/keyboard"
        guard mkfifo(pipe, 0o600) == 0 else { throw ScriptFailure.system(call: "mkfifo", code: errno) }
        keyboard = open(pipe, O_RDWR | O_CLOEXEC)
        guard keyboard >= 0 else { throw ScriptFailure.system(call: "open", code: errno) }
        command = try Command(
            [
                "sh", "-c", "exec openssl s_server -accept 127.0.0.1:0 -cert \"$0\" -key \"$1\" \"$2\" <keyboard",
                leaf.certificate, leaf.key, version,
            ], directory: directory.path)
        let line = try command.waitForOutput("ACCEPT ")
        guard let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw ScriptFailure.command("no port in: \(line)")
        }
        self.port = port
    }

    deinit {
        command.kill()
        Glibc.close(keyboard)
    }

    func url(_ target: String) -> String { "https://127.0.0.1:\(port)\(target)" }

    /// Waits until the target was asked for.
    func waitForRequest(_ target: String) throws {
        _ = try command.waitForOutput("GET \(target) ")
        _ = try command.waitForOutput("Accept: ")
    }

    /// Writes the text as one record; it begins with no letter that `s_server` takes for an order.
    func say(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(keyboard, bytes, bytes.count)
    }

    /// Ends the connection without a word of TLS.
    func endAbruptly() { command.kill() }

    func close() { command.kill() }
}
