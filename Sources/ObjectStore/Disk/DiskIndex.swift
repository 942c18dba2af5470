/// What a shard knows of its files, and which of them leave when room is needed: the table and the policy together.
///
/// An entry stands for a file that is there or is being written. Bytes here follow admissions at once; the tier's budget
/// follows the files.
struct DiskIndex: Sendable {
    /// An entry that left, whose file is to be removed.
    struct Leaver: Equatable, Sendable {
        /// Its name.
        let hash: KeyHash
        /// What its file was charged with.
        let bytes: Int
    }

    private var table = DiskTable()
    private var policy: EvictionPolicy
    /// Entries of an older generation were purged all at once and only wait for the sweep.
    private var liveFrom: UInt32 = 0
    private var sweepSlot: UInt32 = 0

    /// An empty index.
    init(capacityBytes: Int, admitsSecondRequestOnly: Bool) {
        policy = EvictionPolicy(
            capacityBytes: max(capacityBytes, 0), divisor: .squareRootOfBytes,
            admission: admitsSecondRequestOnly ? .secondRequest : .always)
    }

    /// How many files it knows.
    var count: Int { table.count }
    /// What they are charged with.
    var usedBytes: Int { policy.usedBytes }
    /// This shard's share of the limit.
    var capacityBytes: Int { policy.capacityBytes }
    /// Whether files must go before anything else is stored.
    var isOverCapacity: Bool { policy.usedBytes > policy.capacityBytes }

    /// The entry of a hash, if its file may be an answer.
    func find(_ hash: KeyHash) -> DiskEntry? {
        guard let entry = findCharged(hash), isLive(entry) else { return nil }
        return entry
    }

    /// The entry of a hash, whether or not its file may be an answer.
    func findCharged(_ hash: KeyHash) -> DiskEntry? {
        table.slot(of: hash).map { table[$0] }
    }

    /// Notes a use, or as many uses as another tier has seen.
    mutating func use(_ hash: KeyHash, atLeast uses: UInt32 = 0) {
        guard let slot = table.slot(of: hash) else { return }
        let mark = table[slot].mark
        table[slot].mark =
            uses > 0 ? UseMark(uses: max(mark.uses, UInt64(uses)), stamp: policy.age) : mark.used(at: policy.age)
    }

    /// Takes in what another tier has counted, if that says more than was known here.
    ///
    /// A count that is full cannot tell whether it would have grown; it is taken for a sign of use.
    mutating func fold(_ hash: KeyHash, uses: UInt64) {
        guard let slot = table.slot(of: hash) else { return }
        guard uses > table[slot].mark.uses || uses >= UseMark.maximumUses else { return }
        table[slot].mark = UseMark(uses: uses, stamp: policy.age)
    }

    /// Asks the policy to take an object, and adds it if so.
    ///
    /// - Parameters:
    ///   - earlierUses: uses of the record that it replaces, whose entry is gone already; nil for a new object.
    ///   - leavers: receives the entries that had to leave.
    mutating func admit(
        _ hash: KeyHash, bytes: Int, earlierUses: UInt64?, leavers: inout [Leaver]
    ) -> Bool {
        var victims: [EvictionPolicy.Victim] = []
        let arrival = EvictionPolicy.Arrival(bytes: bytes, hash: hash.low, earlierUses: earlierUses)
        let verdict = policy.admit(arrival, entries: table, victims: &victims)
        drop(victims, into: &leavers)
        guard case .admitted(let mark) = verdict else { return false }
        insert(hash, bytes: bytes, mark: mark, isDoomed: false)
        return true
    }

    /// Adds a file that the scan found, whether or not it fits.
    mutating func add(_ hash: KeyHash, bytes: Int, uses: UInt32, isDoomed: Bool) {
        insert(hash, bytes: bytes, mark: UseMark(uses: UInt64(uses), stamp: policy.age), isDoomed: isDoomed)
    }

    /// Takes back a file that could not be removed: charged, never an answer, and last in line to be tried again.
    mutating func addDoomed(_ hash: KeyHash, bytes: Int) {
        insert(hash, bytes: bytes, mark: UseMark(uses: UseMark.maximumUses, stamp: policy.age), isDoomed: true)
    }

    /// Removes an entry.
    mutating func remove(_ hash: KeyHash) -> DiskEntry? {
        guard let slot = table.slot(of: hash) else { return nil }
        let entry = table[slot]
        table.remove(slot: slot)
        policy.forget(bytes: entry.bytes, entries: table)
        return entry
    }

    /// Corrects the charge of a file once its real blocks are known.
    mutating func recharge(_ hash: KeyHash, bytes: Int) {
        guard let entry = remove(hash) else { return }
        insert(hash, bytes: bytes, mark: entry.mark, isDoomed: entry.isDoomed)
    }

    /// Puts another share of the limit in force; `trim` then makes it true.
    mutating func setCapacity(_ bytes: Int) {
        policy.setCapacity(max(bytes, 0))
    }

    /// Picks the next few files that must leave because the share is smaller than what is there.
    mutating func trim(maximum: Int) -> [Leaver] {
        var victims: [EvictionPolicy.Victim] = []
        _ = policy.shrink(maximumVictims: maximum, maximumBytes: .max, entries: table, victims: &victims)
        var leavers: [Leaver] = []
        drop(victims, into: &leavers)
        return leavers
    }

    /// Makes every entry that there is now invisible at once.
    mutating func purgeAll() {
        liveFrom = table.nextGeneration
        sweepSlot = 0
    }

    /// Takes out the next few entries that were purged.
    ///
    /// - Returns: nil when there are none left.
    mutating func sweep(maximum: Int) -> [Leaver]? {
        var leavers: [Leaver] = []
        var steps = 0
        while sweepSlot < table.slotCount, leavers.count < maximum, steps < 16 * maximum {
            let entry = table[sweepSlot]
            if entry.generation > 0, !isLive(entry), remove(entry.hash) != nil {
                leavers.append(Leaver(hash: entry.hash, bytes: entry.bytes))
            }
            sweepSlot += 1
            steps += 1
        }
        return leavers.isEmpty && sweepSlot >= table.slotCount ? nil : leavers
    }

    private func isLive(_ entry: DiskEntry) -> Bool {
        entry.generation >= liveFrom && !entry.isDoomed
    }

    private mutating func insert(_ hash: KeyHash, bytes: Int, mark: UseMark, isDoomed: Bool) {
        let handle = table.insert(hash, bytes: bytes, mark: mark, isDoomed: isDoomed)
        policy.place(handle, bytes: table[handle.slot].bytes, mark: mark)
    }

    private mutating func drop(_ victims: [EvictionPolicy.Victim], into leavers: inout [Leaver]) {
        for victim in victims {
            let slot = victim.handle.slot
            leavers.append(Leaver(hash: table[slot].hash, bytes: victim.entry.bytes))
            table.remove(slot: slot)
        }
    }
}
