import EventLoops

/// Answers of the resolver for as long as they hold.
///
/// Pure: the time comes with the question.
struct ResolverCache {
    /// Records say 0 where somebody balances load by name; within a second that is still one burst of ours.
    static let minimumSeconds: Int64 = 1
    /// A record that promises days is believed for minutes, so that a move of the origin is noticed.
    static let maximumSeconds: Int64 = 300
    /// How many names are kept; about 200 bytes each.
    static let maximumNames = 10_000

    private struct Entry {
        let addresses: [IPAddress]
        let end: Instant
    }
    private var entries: [String: Entry] = [:]

    /// How many names are kept, some of them perhaps past their time.
    var count: Int { entries.count }

    /// Gives the addresses of a name unless their time is over.
    mutating func addresses(of host: String, at now: Instant) -> [IPAddress]? {
        guard let entry = entries[host] else { return nil }
        guard now < entry.end else {
            entries[host] = nil
            return nil
        }
        return entry.addresses
    }

    /// Keeps the addresses of a name.
    mutating func keep(_ addresses: [IPAddress], of host: String, timeToLiveSeconds: Int64, at now: Instant) {
        if entries.count >= Self.maximumNames, entries[host] == nil { makeRoom(at: now) }
        let seconds = min(max(timeToLiveSeconds, Self.minimumSeconds), Self.maximumSeconds)
        entries[host] = Entry(addresses: addresses, end: now + .seconds(seconds))
    }

    /// Drops what is over, and everything if that is not enough: a full table is a rare sight and cheap to refill.
    private mutating func makeRoom(at now: Instant) {
        entries = entries.filter { now < $0.value.end }
        if entries.count >= Self.maximumNames { entries = [:] }
    }
}
