import EventLoops
import Glibc
import ImageService
import ObjectStore
import Settings

/// Runs the service until it is told to stop.
///
/// TERM and INT drain; a second one ends the process at once. HUP and USR1 are ignored.
/// - Parameter configuration: sound, and complete.
/// - Returns: the exit code.
func serve(_ configuration: Configuration) -> Int32 {
    do {
        let fileLimit = ProcessSetup.prepareToServe()
        let log = try Log(level: configuration.log.level)
        defer { log.close() }
        let signals = try StopSignals()
        defer { signals.close() }
        warn(log, ifConnectionsExceed: fileLimit, configuration)
        let server = try Server(configuration, log: log)
        try server.start()
        signals.wait()
        server.drain()
        return ExitCode.done.rawValue
    } catch let error as StartError {
        Terminal.complain(error.advice)
    } catch {
        Terminal.complain("the service cannot start: \(error)")
    }
    return ExitCode.failed.rawValue
}

/// Says at the start that clients would be turned away before `maxConnections`, rather than when it happens.
private func warn(_ log: Log, ifConnectionsExceed limit: UInt64, _ configuration: Configuration) {
    let needed = UInt64(OpenFiles.needed(configuration))
    guard needed > limit else { return }
    log.log(
        .warning, "maxConnections does not fit into the limit of open files",
        [
            "maxConnections": "\(configuration.maxConnections)", "limit": "\(limit)", "needed": "\(needed)",
            "remedy": "raise the hard limit (ulimit -Hn, systemd LimitNOFILE) to \(needed) or lower maxConnections",
        ])
}

/// Waits for TERM or INT on a loop of its own.
private final class StopSignals {
    private let loop: EventLoop
    private let requested = Gate()
    private let watchers: LoopBound<[SignalWatcher]>

    init() throws(LoopError) {
        let loop = try EventLoop(index: 0)
        let requested = requested
        var count = 0
        let handler = {
            count += 1
            if count > 1 { _exit(ExitCode.failed.rawValue) }
            requested.open()
        }
        let watched = try [SIGTERM, SIGINT].map { signal throws(LoopError) in
            try SignalWatcher(loop: loop, signal: signal, handler: handler)
        }
        self.loop = loop
        watchers = LoopBound(watched, loop: loop)
        try loop.start(name: "signals")
    }

    func wait() {
        requested.wait()
    }

    func close() {
        loop.stop()
        loop.join()
    }
}

extension StartError {
    /// One line that says which part and what to do.
    var advice: String {
        switch self {
        case .loop(.addressInUse(let address)):
            "\(address) is in use: stop whatever listens there, or change listen or adminListen"
        case .loop(.notASocket(let address)):
            "\(address) is the name of something that is no socket: remove it, or change listen or adminListen"
        case .loop(.cannotBind(let address, let code)):
            "\(address) cannot be bound (\(Self.reason(code))): change listen or adminListen"
        case .loop(.badAddress(let text)): "\(text) is no address to listen on: change listen or adminListen"
        case .loop(.system(let function, let code)): "\(function) failed (\(Self.reason(code)))"
        case .loop(.libevent(let function)): "libevent's \(function) failed: is there memory left?"
        case .store(.locked(let path)):
            "the cache directory \(path) is used by another imagestore: stop it, or change diskCachePath"
        case .store(.cannotCreate(let path, let code)):
            "the cache directory \(path) cannot be made (\(Self.reason(code))): make it, or change diskCachePath"
        case .store(.notWritable(let path, let code)):
            "the cache directory \(path) cannot be written (\(Self.reason(code))): change its rights or diskCachePath"
        case .store(.notReadable(let path, let code)):
            "the cache directory \(path) cannot be read (\(Self.reason(code))): change its rights or diskCachePath"
        case .store(.noWorkers(let code)): "no thread for the disk tier can be made (\(Self.reason(code)))"
        case .origin(let error): "the download libraries cannot be made ready: \(error)"
        }
    }

    private static func reason(_ code: Int32) -> String {
        unsafe String(cString: strerror(code))
    }
}
