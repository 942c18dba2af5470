import EventLoops

/// What a flight asks for before it may download.
struct PermitRequest: Sendable {
    /// Who asks, and gets the answer.
    let flight: FlightID
    /// The host whose limit counts, with scheme and port.
    let host: [UInt8]
    /// Where it stands in line; raised when somebody more urgent joins.
    var priority: Priority
    /// What to reserve of `inFlightLimit`.
    let bytes: Int
}

/// Who may download next: pure state, no clock, no message.
///
/// Limits are exact: on the process, on each host, on the bytes in flight. Order: priority, then arrival. A host at its
/// limit holds up nobody else.
struct DownloadQueue {
    /// The limits in force; a change counts from the next decision on.
    struct Limits: Hashable, Sendable {
        /// Downloads that run at a time (`maxDownloads`).
        var downloads: Int
        /// Downloads that run at a time from one host (`maxDownloadsPerHost`).
        var downloadsPerHost: Int
        /// Requests that may wait (`maxQueue`).
        var queue: Int
        /// Bytes that may be reserved (`inFlightLimit`).
        var inFlightBytes: Int
    }

    private struct Ticket {
        let request: PermitRequest
        let arrival: UInt64
        let deadline: Instant
    }

    private struct Host {
        var active = 0
        /// Waiting flights in order of arrival, by priority; cancelled ones are skipped when met.
        var high = ArrivalQueue()
        var low = ArrivalQueue()

        mutating func append(_ request: PermitRequest, arrival: UInt64) {
            switch request.priority {
            case .high: high.append(request.flight, arrival: arrival)
            case .low: low.append(request.flight, arrival: arrival)
            }
        }

        /// The first flight that still waits; those met before it are dropped.
        mutating func first(where waits: (QueueEntry) -> Bool) -> QueueEntry? {
            while let next = high.first {
                if waits(next) { return QueueEntry(flight: next.flight, arrival: next.arrival, priority: .high) }
                high.removeFirst()
            }
            while let next = low.first {
                if waits(next) { return QueueEntry(flight: next.flight, arrival: next.arrival, priority: .low) }
                low.removeFirst()
            }
            return nil
        }
    }

    /// The limits in force.
    var limits: Limits {
        didSet {
            // A host that was at its limit may be below it now.
            if limits.downloadsPerHost > oldValue.downloadsPerHost { for host in Array(hosts.keys) { offer(host) } }
        }
    }
    private var waiting: [FlightID: Ticket] = [:]
    private var running: [FlightID: Ticket] = [:]
    private var hosts: [[UInt8]: Host] = [:]
    private var ready = ReadyHeap()
    private var deadlines = ArrivalQueue()
    /// The first arrival of requests that were raised since.
    private var raised: [FlightID: UInt64] = [:]
    private var arrivals: UInt64 = 0
    /// Bytes reserved now; a lease may hold some longer than its download runs.
    private(set) var inFlightBytes = 0

    /// Makes an empty queue.
    init(limits: Limits) {
        self.limits = limits
    }

    /// Requests that wait for a permit.
    var waitingCount: Int { waiting.count }
    /// Downloads that hold a permit.
    var runningCount: Int { running.count }

    /// Queues a request; false when the queue is full.
    mutating func enqueue(_ request: PermitRequest, deadline: Instant) -> Bool {
        guard waiting.count < limits.queue || mayRunAtOnce(request) else { return false }
        arrivals += 1
        waiting[request.flight] = Ticket(request: request, arrival: arrivals, deadline: deadline)
        hosts[request.host, default: Host()].append(request, arrival: arrivals)
        deadlines.append(request.flight, arrival: arrivals)
        offer(request.host, only: request.flight)
        return true
    }

    /// Forgets a request that waits.
    mutating func cancel(_ flight: FlightID) -> Bool {
        guard let ticket = waiting.removeValue(forKey: flight) else { return false }
        raised[flight] = nil
        // It may have been the host's first: the next one takes its place among those that may begin.
        offer(ticket.request.host)
        dropIfIdle(ticket.request.host)
        trimDeadlines()
        return true
    }

    /// Moves a request that waits to the end of the high ones.
    mutating func raise(_ flight: FlightID) {
        guard let ticket = waiting[flight], ticket.request.priority == .low else { return }
        arrivals += 1
        var request = ticket.request
        request.priority = .high
        waiting[flight] = Ticket(request: request, arrival: arrivals, deadline: ticket.deadline)
        hosts[request.host, default: Host()].append(request, arrival: arrivals)
        // The deadline stays: its place in the order of deadlines is that of the old arrival.
        raised[flight] = ticket.arrival
        offer(request.host)
    }

    /// Frees the slot of a download that ended; its bytes come back on their own, by `release`.
    mutating func finish(_ flight: FlightID) {
        guard let ticket = running.removeValue(forKey: flight) else { return }
        hosts[ticket.request.host]?.active -= 1
        offer(ticket.request.host)
        dropIfIdle(ticket.request.host)
    }

    /// Takes reserved bytes back.
    mutating func release(bytes: Int) {
        inFlightBytes -= bytes
        assert(inFlightBytes >= 0, "more bytes were given back than were reserved")
    }

    /// The next flight that may begin, and the bytes reserved for it; nil when none may.
    mutating func grantNext() -> (request: PermitRequest, bytes: Int)? {
        while running.count < limits.downloads, let entry = ready.peek() {
            guard let ticket = waiting[entry.flight], ticket.arrival == entry.arrival,
                let host = hosts[ticket.request.host], host.active < limits.downloadsPerHost
            else {
                ready.pop()
                continue
            }
            // A download larger than the whole limit runs alone rather than never.
            let bytes = min(ticket.request.bytes, limits.inFlightBytes)
            guard inFlightBytes + bytes <= limits.inFlightBytes else { return nil }
            ready.pop()
            return begin(ticket, bytes: bytes)
        }
        return nil
    }

    /// Removes and returns the requests whose time to wait is over.
    mutating func expire(now: Instant) -> [PermitRequest] {
        var expired: [PermitRequest] = []
        while let next = deadlines.first {
            guard let ticket = waitingTicket(next) else {
                deadlines.removeFirst()
                continue
            }
            guard ticket.deadline <= now else { break }
            deadlines.removeFirst()
            _ = cancel(next.flight)
            expired.append(ticket.request)
        }
        return expired
    }

    /// When `expire` has something to do; nil when nobody waits.
    var nextDeadline: Instant? {
        deadlines.first.flatMap { waitingTicket($0)?.deadline }
    }

    /// The ticket behind an entry in the order of deadlines, if it still waits.
    private func waitingTicket(_ entry: QueueEntry) -> Ticket? {
        guard let ticket = waiting[entry.flight] else { return nil }
        return ticket.arrival == entry.arrival || raised[entry.flight] == entry.arrival ? ticket : nil
    }

    /// Drops entries that no longer wait from the front, so that the order of deadlines is no longer than the queue.
    private mutating func trimDeadlines() {
        while let next = deadlines.first, waitingTicket(next) == nil { deadlines.removeFirst() }
    }

    private func mayRunAtOnce(_ request: PermitRequest) -> Bool {
        waiting.isEmpty && running.count < limits.downloads
            && (hosts[request.host]?.active ?? 0) < limits.downloadsPerHost
    }

    private mutating func begin(_ ticket: Ticket, bytes: Int) -> (request: PermitRequest, bytes: Int) {
        waiting[ticket.request.flight] = nil
        raised[ticket.request.flight] = nil
        running[ticket.request.flight] = ticket
        inFlightBytes += bytes
        hosts[ticket.request.host]?.active += 1
        offer(ticket.request.host)
        trimDeadlines()
        return (ticket.request, bytes)
    }

    /// Puts the first waiting flight of a host that is below its limit among those that may begin.
    ///
    /// - Parameter flight: offer only if it is this one: the others have been offered.
    private mutating func offer(_ name: [UInt8], only flight: FlightID? = nil) {
        guard var host = hosts[name], host.active < limits.downloadsPerHost else { return }
        let next = host.first { waiting[$0.flight]?.arrival == $0.arrival }
        hosts[name] = host
        if let next, flight == nil || next.flight == flight { ready.push(next) }
    }

    private mutating func dropIfIdle(_ name: [UInt8]) {
        guard var host = hosts[name], host.active == 0 else { return }
        let isIdle = host.first { waiting[$0.flight]?.arrival == $0.arrival } == nil
        hosts[name] = isIdle ? nil : host
    }
}
