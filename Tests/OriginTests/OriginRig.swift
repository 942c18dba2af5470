import EventLoops
import HTTPMessages
import TestSupport

@testable import Origin

/// A running loop with an origin client on it, driven from the test's thread.
final class OriginRig: Sendable {
    /// What runs; callbacks hold this and not the rig, which must end on the test's thread.
    let core: Core

    /// Loopback is open; refused otherwise as in real life.
    static let policy = TargetPolicy(addressGuard: AddressGuard(allowedNetworks: loopback))
    static let loopback = ["127.0.0.0/8", "::1"].compactMap { NetworkRange($0) }

    init(policy: TargetPolicy = OriginRig.policy, _ change: (inout OriginSettings) -> Void = { _ in }) throws {
        var settings = OriginSettings()
        settings.userAgent = "rig/1"
        settings.resolverServers = ["127.0.0.1:1"]
        change(&settings)
        core = try Core(settings, policy)
        try core.loop.start(name: "origin-test")
    }

    deinit {
        // The last reference may be let go by a closure that ran on the loop; a thread cannot wait for itself.
        guard !core.loop.isCurrent else {
            core.close()
            return core.loop.stop()
        }
        core.perform { [core] in core.close() }
        core.loop.stop()
        core.loop.join()
    }

    var loop: EventLoop { core.loop }

    /// Runs `body` on the loop and waits for its result.
    @discardableResult
    func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value { core.perform(body) }

    /// Runs `body` with the client on the loop and waits.
    @discardableResult
    func withClient<Value: Sendable>(_ body: @escaping @Sendable (OriginClient) -> Value) -> Value {
        core.perform { [core] in
            guard let client = core.client else { fatalError("the client is gone") }
            return body(client)
        }
    }

    /// Begins a fetch.
    func fetch(_ url: String, fields: Fields = Fields(), _ prepare: (FetchRecorder) -> Void = { _ in }) throws
        -> FetchRecorder
    {
        let target = try TargetURL.parse(decoded: Array(url.utf8).span, maxLength: 8192)
        let recorder = FetchRecorder(rig: self)
        prepare(recorder)
        withClient { client in
            recorder.fetch = client.fetch(OriginRequest(url: target, fields: fields), handler: recorder)
        }
        return recorder
    }

    /// Fetches and waits for the end.
    func result(_ url: String, fields: Fields = Fields()) throws -> FetchRecorder.Record {
        try fetch(url, fields: fields).wait()
    }

    /// Loop, mailbox and client.
    final class Core: @unchecked Sendable {
        // SAFETY: `client` is touched on the loop only, or while it does not run.
        let loop: EventLoop
        private let mailbox: Mailbox<@Sendable () -> Void>
        private(set) var client: OriginClient?

        init(_ settings: OriginSettings, _ policy: TargetPolicy) throws {
            loop = try EventLoop(index: 0)
            mailbox = Mailbox(loop: loop) { $0() }
            client = try OriginClient(loop: loop, settings: settings, policy: policy)
        }

        func close() {
            client?.close()
            client = nil
        }

        func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
            let result = Monitor<Value?>(nil)
            mailbox.post {
                let value = body()
                result.update { $0 = value }
            }
            guard result.wait(until: { $0 != nil }), let value = result.read({ $0 }) else {
                fatalError("the loop does not answer")
            }
            return value
        }
    }
}

/// Remembers what a fetch told its handler.
final class FetchRecorder: OriginFetchHandler, @unchecked Sendable {
    // SAFETY: `fetch` and the hooks are touched on the loop only, once the fetch runs.
    struct Record: Sendable {
        var heads: [OriginHead] = []
        var body: [UInt8] = []
        var pieces = 0
        var endings: [OriginError?] = []

        var head: OriginHead? { heads.first }
        /// Whether the body came whole.
        var isFinished: Bool { endings == [nil] }
        var error: OriginError? { endings.first.flatMap { $0 } }
    }

    private let record = Monitor(Record())
    private let core: OriginRig.Core
    var fetch: OriginFetch?
    var onHead: ((OriginFetch) -> Void)?
    var onBytes: ((OriginFetch) -> Void)?
    var onEnd: (() -> Void)?

    init(rig: OriginRig) { core = rig.core }

    func originFetch(_ fetch: OriginFetch, received head: OriginHead) {
        record.update { $0.heads.append(head) }
        onHead?(fetch)
    }

    func originFetch(_ fetch: OriginFetch, received bytes: Span<UInt8>) {
        var copy: [UInt8] = []
        for index in bytes.indices { copy.append(bytes[index]) }
        record.update {
            $0.body += copy
            $0.pieces += 1
        }
        onBytes?(fetch)
    }

    func originFetchFinished(_ fetch: OriginFetch) { ended(nil) }

    func originFetch(_ fetch: OriginFetch, failed error: OriginError) { ended(error) }

    private func ended(_ error: OriginError?) {
        fetch = nil
        record.update { $0.endings.append(error) }
        onEnd?()
    }

    /// What was told so far.
    var now: Record { record.read { $0 } }

    /// Waits until the condition holds.
    func wait(upTo limit: Duration = .seconds(10), until condition: (Record) -> Bool) throws -> Record {
        guard record.wait(upTo: limit, until: condition) else { throw ScriptFailure.timedOut("fetch: \(now.endings)") }
        return now
    }

    /// Waits for the end.
    func wait() throws -> Record { try wait { !$0.endings.isEmpty } }

    func pause() { core.perform { [self] in fetch?.pause() } }
    func resume() { core.perform { [self] in fetch?.resume() } }
    func cancel() {
        core.perform { [self] in
            fetch?.cancel()
            fetch = nil
        }
    }
}
