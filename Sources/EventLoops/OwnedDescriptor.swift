import Glibc

/// A descriptor that may still travel between loops; closes itself unless somebody takes it.
public final class OwnedDescriptor: @unchecked Sendable {
    // SAFETY: changed only by the one loop that holds it; it travels by message.
    private var descriptor: Int32

    /// Takes `descriptor` over.
    public init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        if descriptor >= 0 { _ = close(descriptor) }  // Nothing can be done about a failing close.
    }

    /// Gives the descriptor away.
    func release() -> Int32 {
        defer { descriptor = -1 }
        return descriptor
    }
}
