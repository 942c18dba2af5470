import ImageService
import Settings
import TestSupport

/// The whole service in this process, on free ports of loopback, with a disk tier in a directory of its own.
///
/// Two loops, small budgets, no retries, and loopback opened for fetching, unless the test says otherwise.
public final class TestService: Sendable {
    /// The directory of the disk tier.
    public let directory: TemporaryDirectory
    /// What the service was started with.
    public let configuration: Configuration
    private let running: Monitor<RunningServer>

    /// Starts the service with the test's changes to the configuration.
    ///
    /// - Parameter nameServer: `127.0.0.1:PORT` of the only name server to ask; nil asks the system's.
    public init(
        directory: TemporaryDirectory? = nil, nameServer: String? = nil,
        _ change: (inout Configuration) throws -> Void = { _ in }
    ) throws {
        self.directory = try directory ?? TemporaryDirectory()
        var configuration = try Self.defaults()
        configuration.diskCachePath = self.directory.path
        try change(&configuration)
        self.configuration = configuration
        running = Monitor(try RunningServer(configuration, nameServer: nameServer))
    }

    deinit { stop() }

    /// Drains and ends the service.
    public func stop() { running.read { $0 }.drain() }

    /// Ends the service and starts it anew with the same configuration and directory, on other ports.
    public func restart() throws {
        stop()
        let server = try RunningServer(configuration, nameServer: nil)
        running.update { $0 = server }
    }

    /// Puts a changed configuration in force; the loops hear of it one after the other.
    public func reset(_ change: (inout Configuration) throws -> Void) throws {
        var configuration = configuration
        try change(&configuration)
        running.read { $0 }.reset(configuration)
    }

    private static func defaults() throws -> Configuration {
        var configuration = Configuration()
        configuration.listen = [.tcp(.v4([127, 0, 0, 1]), port: 0)]
        configuration.adminListen = [.tcp(.v4([127, 0, 0, 1]), port: 0)]
        configuration.loops = 2
        try configuration.open(networks: "127.0.0.0/8")
        configuration.cacheLimit = 16_000_000
        configuration.diskCacheLimit = 64_000_000
        configuration.retries = 0
        configuration.log.level = .error
        configuration.drainTimeout = .seconds(5)
        return configuration
    }

    // MARK: Asking

    /// Where applications ask.
    public var endpoint: Endpoint { running.read { $0.data } }

    /// Where operators ask.
    public var adminEndpoint: Endpoint { running.read { $0.admin } }

    /// A connection to the data listener, which keeps the service alive.
    public func connect() throws -> ScriptedClient { try ScriptedClient(endpoint, of: self) }

    /// Asks for a target of the origin, on a connection of its own.
    public func get(
        _ target: String, of origin: ScriptedOrigin, _ fields: KeyValuePairs<String, String> = [:]
    ) throws -> Answer {
        try get(url: origin.url(target), fields)
    }

    /// Asks for an absolute URL, on a connection of its own.
    public func get(url: String, _ fields: KeyValuePairs<String, String> = [:]) throws -> Answer {
        try ask("/image?url=\(percentEncoded(url))", fields)
    }

    /// Sends a request target as it is, on a connection of its own.
    public func ask(
        _ target: String, _ fields: KeyValuePairs<String, String> = [:], method: String = "GET"
    ) throws -> Answer {
        try connect().exchange(method, target, fields)
    }

    /// Sends bytes as they are, on a connection of its own, and reads one answer.
    public func raw(_ text: String) throws -> Answer {
        let client = try connect()
        try client.send(text)
        return try client.readAnswer()
    }

    /// Asks the admin listener.
    public func admin(_ target: String, method: String = "GET") throws -> Answer {
        try ScriptedClient(adminEndpoint).exchange(method, target, ["Host": "localhost"])
    }

    /// Loads an image inside the process; `completion` runs on a loop.
    func load(_ url: String, completion: @escaping @Sendable () -> Void) {
        running.read { $0 }.load(url, completion: completion)
    }

    // MARK: Counters

    /// A metric of that name, summed over the series that have all these labels; 0 when there is none.
    public func metric(_ name: String, _ labels: [String: String] = [:]) throws -> Double {
        Metrics(try admin("/metrics").text).value(name, labels)
    }

    /// How many objects the tier holds.
    public func objects(in tier: String) throws -> Int {
        Int(try metric("imagestore_cache_objects", ["tier": tier]))
    }

    /// Waits until the disk tier holds so many objects: stores end after the answer they belong to.
    public func waitForDiskObjects(_ count: Int) throws -> Bool {
        try eventually { try objects(in: "disk") == count }
    }

    /// The record files of the disk tier.
    public var recordFiles: [String] {
        directory.plainFiles().filter { $0.hasPrefix("v1/") && $0.split(separator: "/").count == 3 }
    }
}

extension ScriptedOrigin {
    /// An origin that has a fresh picture of 500 bytes at every target, a different one at each.
    public static func pictures(_ fields: KeyValuePairs<String, String> = ["Cache-Control": "max-age=60"]) throws
        -> ScriptedOrigin
    {
        let origin = try ScriptedOrigin()
        origin.otherwise { request in
            fields.reduce(picture(for: request.target)) { $0.header($1.key, $1.value) }
        }
        return origin
    }

    /// The picture that such an origin has at the target.
    public static func picture(for target: String, bytes: Int = 500) -> OriginReply {
        .image(.png, bytes: bytes, seed: target.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    }
}
