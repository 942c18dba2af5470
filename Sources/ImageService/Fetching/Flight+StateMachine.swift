/// The life of a flight: one lookup on disk and, if need be, one download, for all who wait for the same key.
///
/// Pure: events in, one action out; the shell (`Flight`) owns the fetch, the body and the waiters.
///
/// | state | what goes on | left by |
/// | --- | --- | --- |
/// | lookingUp | the disk is read | diskAnswered |
/// | queued | a permit is awaited | permitGranted, permitRefused, abandoned |
/// | asking | the origin is asked; no usable head yet | headAccepted, notModified, failed |
/// | judging | a head is there, the first bytes are awaited | contentAccepted, failed |
/// | streaming | bytes go to waiters as they come | bodyFinished, failed |
/// | ended | the flight has left the table | nothing |
///
/// `failed` and `cancelled` end every state.
struct FlightMachine: Hashable {
    /// Where a flight stands; the table above tells what goes on in each state.
    enum State: Hashable {
        /// In the order in which a flight goes through them; some are skipped.
        case lookingUp, queued, asking, judging, streaming, ended
    }

    /// What happened to a flight; one that does not fit the state comes too late and changes nothing.
    enum Event: Hashable {
        /// A usable record was found, or none.
        case diskAnswered(isUsable: Bool)
        /// The download may begin.
        case permitGranted
        /// The queue is full, or the wait in it took too long.
        case permitRefused(Failure)
        /// The head is acceptable; its body has to be looked at first, or not.
        case headAccepted(needsSniffing: Bool)
        /// The origin confirmed what is stored.
        case notModified
        /// The first bytes agree with the head.
        case contentAccepted
        /// The origin has sent all of it.
        case bodyFinished
        /// The fetch broke, or what came is not to be served.
        case failed(Failure)
        /// The last waiter left.
        case abandoned(isKept: Bool)
        /// Somebody asked by name for the end, or the service stops.
        case cancelled
    }

    /// What the shell has to do about an event.
    enum Action: Hashable {
        /// Nothing.
        case none
        /// Look the key up on disk.
        case readDisk
        /// Stand in line for a download.
        case requestPermit
        /// Ask the origin.
        case fetch
        /// Hold the head back until the first bytes were looked at.
        case hold
        /// Let the waiters have head and body as they come.
        case announce
        /// Answer with the record found on disk.
        case answerFromDisk
        /// Answer with what is stored, freshened.
        case answerFreshened
        /// Store the whole body and end the stream.
        case complete
        /// Leave the table, end the download, tell the waiters.
        case fail(Failure)
        /// Leave the table and the queue; there is nobody to tell.
        case withdraw
    }

    /// Where the flight stands; only `receive` moves it.
    private(set) var state: State

    /// A flight that begins with the disk, or goes to the queue at once.
    static func start(readsDisk: Bool) -> (FlightMachine, Action) {
        readsDisk ? (FlightMachine(state: .lookingUp), .readDisk) : (FlightMachine(state: .queued), .requestPermit)
    }

    /// Whether a head was accepted, so that latecomers with `no-cache` do not join.
    var hasHead: Bool { state == .judging || state == .streaming }

    /// Takes an event and moves on.
    ///
    /// - Returns: what to do about it; `none` for an event that comes too late.
    mutating func receive(_ event: Event) -> Action {
        switch event {
        case .diskAnswered(let isUsable): diskAnswered(isUsable)
        case .permitGranted: move(from: .queued, to: .asking, doing: .fetch)
        case .permitRefused(let failure): state == .queued ? end(.fail(failure)) : .none
        case .headAccepted(let needsSniffing):
            needsSniffing
                ? move(from: .asking, to: .judging, doing: .hold)
                : move(from: .asking, to: .streaming, doing: .announce)
        case .notModified: state == .asking ? end(.answerFreshened) : .none
        case .contentAccepted: move(from: .judging, to: .streaming, doing: .announce)
        case .bodyFinished: state == .streaming ? end(.complete) : .none
        case .failed(let failure): end(.fail(failure))
        case .abandoned(let isKept): abandoned(isKept)
        case .cancelled: end(.fail(.cancelled))
        }
    }

    private mutating func diskAnswered(_ isUsable: Bool) -> Action {
        guard state == .lookingUp else { return .none }
        if isUsable { return end(.answerFromDisk) }
        state = .queued
        return .requestPermit
    }

    /// A queued download leaves with its last waiter; what runs goes on where the operator keeps it.
    private mutating func abandoned(_ isKept: Bool) -> Action {
        switch state {
        case .lookingUp, .ended: .none
        case .queued: end(.withdraw)
        case .asking, .judging, .streaming: isKept ? .none : end(.fail(.cancelled))
        }
    }

    private mutating func move(from: State, to: State, doing action: Action) -> Action {
        guard state == from else { return .none }
        state = to
        return action
    }

    private mutating func end(_ action: Action) -> Action {
        guard state != .ended else { return .none }
        state = .ended
        return action
    }
}
