import Glibc
import TestSupport

/// The `imagestore` program as a process of its own, for what a process does: signals, exit codes, sudden death.
public final class ServiceProcess: Sendable {
    private let command: Command
    /// Where applications ask.
    public let endpoint: Endpoint
    /// Where operators ask.
    public let adminEndpoint: Endpoint

    /// Starts `imagestore serve` with these settings besides free ports, and waits until it answers.
    public init(_ settings: String...) throws {
        // Another test may take a free port first.
        var started = try Self.start(settings)
        for _ in 0..<3 where !started.isUp && started.command.output.contains("in use") {
            started = try Self.start(settings)
        }
        guard started.isUp else { throw ScriptFailure.command("the service did not start: \(started.command.output)") }
        (command, endpoint, adminEndpoint) = (started.command, started.data, started.admin)
    }

    private static func start(
        _ settings: [String]
    ) throws -> (command: Command, data: Endpoint, admin: Endpoint, isUp: Bool) {
        let (data, admin) = (Endpoint.loopback(try freePort()), Endpoint.loopback(try freePort()))
        let all = ["listen=\(data)", "adminListen=\(admin)", "allowedNetworks=127.0.0.0/8"] + settings
        let command = try Command([try program, "serve"] + all.flatMap { ["--set", $0] })
        let isUp = eventually {
            command.output.contains("in use") || (try? ScriptedClient(data).exchange("GET", "/healthz").status) == 200
        }
        return (command, data, admin, isUp && !command.output.contains("in use"))
    }

    /// What it wrote so far.
    public var output: String { command.output }

    /// Sends a signal.
    public func signal(_ number: Int32) { command.signal(number) }

    /// Ends it as a power cut would, and waits until it is gone.
    public func killAtOnce() throws {
        command.kill()
        _ = try command.exitStatus()
    }

    /// Waits for the end; negative for a signal.
    public func exitStatus() throws -> Int32 { try command.exitStatus() }

    /// Asks for a target of the origin.
    public func get(_ target: String, of origin: ScriptedOrigin) throws -> Answer {
        try ScriptedClient(endpoint).exchange("GET", "/image?url=\(percentEncoded(origin.url(target)))")
    }

    /// Asks the admin listener for a change.
    public func admin(_ method: String, _ target: String) throws -> Answer {
        try ScriptedClient(adminEndpoint).exchange(method, target, ["Host": "localhost"])
    }

    /// The text of the metrics page.
    public func metrics() throws -> Metrics {
        Metrics(try ScriptedClient(adminEndpoint).exchange("GET", "/metrics", ["Host": "localhost"]).text)
    }

    /// Runs the program to its end: exit status and what it wrote.
    public static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let command = try Command([try program] + arguments)
        return (try command.exitStatus(), command.output)
    }

    /// A port that nobody listens on now.
    public static func freePort() throws -> UInt16 {
        let origin = try ScriptedOrigin()
        defer { origin.close() }
        return origin.port
    }

    /// The program stands beside the test bundle, where the package manager builds both.
    private static var program: String {
        get throws {
            var path = [CChar](repeating: 0, count: 4096)
            let count = readlink("/proc/self/exe", &path, path.count - 1)
            let text = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let folder = text.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            let program = folder + "/imagestore"
            guard access(program, X_OK) == 0 else { throw ScriptFailure.command("no program at \(program)") }
            return program
        }
    }
}
