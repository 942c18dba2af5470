import TestSupport

/// A way onto a loop of the service: completions of loads inside the process run on one.
///
/// It takes an image in memory; its home loop is meant. With one loop that is the loop.
extension TestService {
    /// Runs a piece of work on the home loop of the image and hands back what it returns.
    public func onLoop<Value: Sendable>(
        of url: String, _ work: @escaping @Sendable () -> Value
    ) throws -> Value {
        let result = Monitor<Value?>(nil)
        load(url) {
            let value = work()
            result.update { $0 = value }
        }
        _ = result.wait { $0 != nil }
        guard let value = result.read({ $0 }) else { throw ScriptFailure.timedOut("work on a loop") }
        return value
    }

    /// Lets the home loop of the image stand still while `body` runs.
    public func whileLoopStands(of url: String, _ body: () throws -> Void) throws {
        let (stands, goesOn) = (Gate(), Gate())
        load(url) {
            stands.open()
            goesOn.wait()
        }
        defer { goesOn.open() }
        guard stands.wait() else { throw ScriptFailure.timedOut("work on a loop") }
        try body()
    }
}
