import HTTPMessages

/// Where a fetch has been, and where a response sends it next.
///
/// Pure. Judging the next URL by host, port and address is not done here: every hop passes the same gate as the first.
struct RedirectChain {
    /// What to do with a response.
    enum Step: Equatable {
        /// It is the answer.
        case final
        /// Ask there next.
        case follow(TargetURL)
        /// It leads nowhere.
        case fail(OriginError)
    }

    /// The URL being asked.
    private(set) var current: TargetURL
    /// The redirects followed so far.
    private(set) var hops: [RedirectHop] = []
    /// Every URL so far, once there was a redirect.
    private var visited: Set<TargetURL> = []

    /// Begins at a URL.
    init(start: TargetURL) {
        current = start
    }

    /// Judges a response, and moves on when it is a redirect to follow.
    ///
    /// 300 needs a choice and 304 a stored response, so both are answers; 305 and 306 are history.
    ///
    /// Source: RFC 9110, section 15.4.
    mutating func judge(status: Status, fields: Fields, settings: OriginSettings) -> Step {
        guard settings.followRedirects, [301, 302, 303, 307, 308].contains(status.code) else { return .final }
        guard let next = target(in: fields) else { return .fail(.badLocation) }
        guard hops.count < settings.maxRedirects else { return .fail(.tooManyRedirects) }
        if current.scheme == .https, next.scheme == .http, !settings.allowDowngrade { return .fail(.downgradeRefused) }
        if visited.isEmpty { visited = [current] }
        guard visited.insert(next).inserted else { return .fail(.redirectLoop) }
        hops.append(RedirectHop(status: status, fields: fields))
        current = next
        return .follow(next)
    }

    /// The one target; several different ones are none.
    private func target(in fields: Fields) -> TargetURL? {
        let locations = Set(fields.all(.location))
        guard locations.count == 1, let location = locations.first else { return nil }
        return try? current.resolving(location: location.span)
    }
}
