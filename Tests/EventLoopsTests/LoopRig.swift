import EventLoops
import TestSupport

/// A loop that runs, and a way to do something on it from a test.
final class LoopRig: Sendable {
    let loop: EventLoop
    private let work: Mailbox<@Sendable () -> Void>

    init() throws {
        loop = try EventLoop(index: 0)
        work = Mailbox(loop: loop) { $0() }
        try loop.start(name: "test")
    }

    /// Runs `body` on the loop and hands back what it returns.
    ///
    /// Two calls in a row have a poll of all descriptors between them.
    @discardableResult
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let slot = Monitor<Result<Value, any Error>?>(nil)
        work.post {
            let result = Result { try body() }
            slot.update { $0 = result }
        }
        guard slot.wait(until: { $0 != nil }), let result = slot.read({ $0 }) else {
            throw ScriptFailure.timedOut("work on the loop")
        }
        return try result.get()
    }

    func stop() {
        loop.stop()
        loop.join()
    }
}

/// Something that belongs to the loop of a rig, for the closures that run there.
final class Held<Value>: @unchecked Sendable {
    // SAFETY: touched on the loop only, and by the test once the loop has ended.
    var value: Value?
}

/// Opens when the object goes.
final class Farewell: Sendable {
    private let isGone: Monitor<Bool>
    init(_ isGone: Monitor<Bool>) { self.isGone = isGone }
    deinit { isGone.update { $0 = true } }
}
