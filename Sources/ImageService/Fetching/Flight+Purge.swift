import HTTPCaching
import ObjectStore

/// What a purge does to a flight of its key.
extension Flight {
    /// Takes notice of a purge.
    ///
    /// What was asked of the origin before cannot be trusted to be what it would say now: those who wait get it, but it
    /// is not kept. What will be asked only later is as good as asked by the next client.
    func purged(softly isSoft: Bool) {
        stale = stale.flatMap(shard.rejudged)
        if !isSoft { variants = nil }
        switch machine.state {
        case .lookingUp, .queued, .ended: break
        case .asking, .judging, .streaming:
            if isSoft { isSoftPurged = true } else { isDetached = true }
        }
    }

    /// A response as it is stored: with the purges that it has seen, and stale where one came while it was fetched.
    func stamped(_ response: StoredResponse) -> StoredResponse {
        var response = response
        response.times.isSoftPurged = isSoftPurged
        response.times.purgeNumber = shard.purging.bans.lastNumber
        return response
    }
}
