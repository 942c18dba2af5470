/// Carries a value that belongs to one loop across a boundary that asks for `Sendable`, and checks on every use that
/// the loop is the one that runs.
public struct LoopBound<Value>: @unchecked Sendable {
    // SAFETY: `value` is reached only through the accessors, which trap off the loop.
    private var storage: Value
    /// The loop that owns the value.
    public let loop: EventLoop

    /// Binds `value` to `loop`.
    public init(_ value: Value, loop: EventLoop) {
        storage = value
        self.loop = loop
    }

    /// The value; traps when another thread asks.
    public var value: Value {
        get {
            loop.preconditionCurrent()
            return storage
        }
        set {
            loop.preconditionCurrent()
            storage = newValue
        }
    }
}
