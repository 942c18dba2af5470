/// A gate that is closed until someone opens it, and then stays open: the test decides when a script goes on.
public final class Gate: Sendable {
    private let isOpen = Monitor(false)

    /// A closed gate.
    public init() {}

    /// Lets everybody through, now and later.
    public func open() { isOpen.update { $0 = true } }

    /// Waits for the gate to open; false when it did not within the time.
    @discardableResult
    public func wait(upTo limit: Duration = Patience.limit) -> Bool {
        isOpen.wait(upTo: limit) { $0 }
    }
}

/// A meeting point of a known number of threads: nobody goes on before all have arrived.
public final class Barrier: Sendable {
    private let parties: Int
    private let arrived = Monitor(0)

    /// A barrier for so many threads.
    public init(parties: Int) { self.parties = parties }

    /// Arrives and waits for the others; false when they did not come within the time.
    @discardableResult
    public func arrive(upTo limit: Duration = Patience.limit) -> Bool {
        arrived.update { $0 += 1 }
        return arrived.wait(upTo: limit) { $0 >= parties }
    }
}
