/// A place in the download queue.
struct QueueEntry: Hashable {
    /// Who waits.
    let flight: FlightID
    /// Its number in the order of arrival; a raise gives a new one, which outdates the old entry.
    let arrival: UInt64
    /// Its class, for the heap; an `ArrivalQueue` leaves it at the default and never reads it.
    var priority = Priority.high

    /// Whether it comes before `other`: priority, then arrival.
    func precedes(_ other: QueueEntry) -> Bool {
        priority == other.priority ? arrival < other.arrival : priority > other.priority
    }
}

/// First in, first out, with amortised constant cost.
struct ArrivalQueue {
    private var entries: [QueueEntry] = []
    private var head = 0

    /// The entry that came first; nil when none is left.
    var first: QueueEntry? { head < entries.count ? entries[head] : nil }

    /// Adds an entry at the end.
    mutating func append(_ flight: FlightID, arrival: UInt64) {
        entries.append(QueueEntry(flight: flight, arrival: arrival))
    }

    /// Drops the first entry; there is one.
    mutating func removeFirst() {
        head += 1
        if head == entries.count {
            entries = []
            head = 0
        } else if head > 1024, head * 2 > entries.count {
            entries.removeFirst(head)
            head = 0
        }
    }
}

/// A binary heap of the entries that may begin, best first.
///
/// Entries may be out of date; whoever pops checks.
struct ReadyHeap {
    private var entries: [QueueEntry] = []

    /// The best entry, which stays; nil when there is none.
    func peek() -> QueueEntry? { entries.first }

    /// Adds an entry.
    ///
    /// Cost: logarithmic.
    mutating func push(_ entry: QueueEntry) {
        entries.append(entry)
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].precedes(entries[parent]) else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Drops the best entry, if there is one.
    ///
    /// Cost: logarithmic.
    mutating func pop() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        var parent = 0
        while true {
            var best = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child].precedes(entries[best]) {
                best = child
            }
            guard best != parent else { return }
            entries.swapAt(best, parent)
            parent = best
        }
    }
}
