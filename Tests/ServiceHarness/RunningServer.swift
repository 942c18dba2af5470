import EventLoops
import Glibc
import ImageService
import Settings
import TestSupport

/// The one place that knows how the service is started and ended.
struct RunningServer: Sendable {
    private let server: Server
    let data: Endpoint
    let admin: Endpoint

    /// Host names beyond ASCII need it, and it is the program's to set.
    private static let hasLocale = setlocale(LC_CTYPE, "C.UTF-8") != nil

    init(_ configuration: Configuration, nameServer: String?) throws {
        guard Self.hasLocale else { throw ScriptFailure.command("no C.UTF-8 locale") }
        let log = try ImageService.Log(level: configuration.log.level)
        server = try Server(configuration, log: log, resolverServers: nameServer.map { [$0] })
        data = try Self.endpoint(server.dataAddresses)
        admin = try Self.endpoint(server.adminAddresses)
        try server.start()
    }

    /// Puts another configuration in force, as a reload would.
    func reset(_ configuration: Configuration) { server.store.reset(configuration) }

    /// Ends the service as a signal would; a second call does nothing.
    func drain() { server.drain() }

    /// Loads an image inside the process; `completion` runs on the home loop of its URL if it is in memory.
    func load(_ url: String, completion: @escaping @Sendable () -> Void) {
        server.store.load(url) { _ in completion() }
    }

    private static func endpoint(_ addresses: [SocketAddress]) throws -> Endpoint {
        guard let address = addresses.first else { throw ScriptFailure.malformed("no address") }
        if let port = address.port { return .loopback(port) }
        return .unix(String("\(address)".dropFirst("unix:".count)))
    }
}
