/// An https server on loopback: `openssl s_server` that answers from files holding whole responses, one at a time.
public final class TLSOrigin: Sendable {
    private let directory: TemporaryDirectory
    private let command: Command
    /// The port it listens on.
    public let port: UInt16

    /// Starts with a certificate; each picture answers its target (`/a.png`) with status 200.
    public init(certificate: (certificate: String, key: String), pictures: [String: OriginReply]) throws {
        directory = try TemporaryDirectory()
        for (target, reply) in pictures {
            let request = OriginRequestRecord(
                method: "GET", target: target, version: "HTTP/1.1", fields: [], connection: 0, time: .now)
            let bytes = reply.closing().steps(for: request).flatMap { step -> [UInt8] in
                if case .send(let bytes, _) = step { bytes } else { [] }
            }
            try directory.write(bytes, to: String(target.dropFirst()))
        }
        command = try Command(
            [
                "openssl", "s_server", "-HTTP", "-accept", "127.0.0.1:0", "-cert", certificate.certificate, "-key",
                certificate.key,
            ], directory: directory.path)
        let line = try command.waitForOutput("ACCEPT ")
        guard let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw ScriptFailure.command("no port in: \(line)")
        }
        self.port = port
    }

    /// An absolute URL of a target here, under a name that leads to 127.0.0.1.
    public func url(_ target: String, host: String = "127.0.0.1") -> String { "https://\(host):\(port)\(target)" }

    /// Stops it.
    public func close() { command.kill() }
}
