/// Asks again and again until the condition holds; false when it does not within the time.
///
/// For what only time brings about, such as the end of a lifetime.
public func eventually(upTo limit: Duration = Patience.limit, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
        if try condition() { return true }
        pause(.milliseconds(20))
    }
    return try condition()
}

/// Lets time pass.
public func pause(_ duration: Duration) { Gate().wait(upTo: duration) }
