/// A rule over several options.
struct Contradiction: Sendable {
    /// What clashes with what.
    struct Clash: Equatable {
        /// What stands there.
        let found: String
        /// What would do.
        let expected: String
    }

    /// The options it is about; the first that someone wrote is where the message points.
    let options: [String]
    /// Finds the clash.
    let judge: @Sendable (Configuration) -> Clash?

    /// All rules.
    static let all = [
        openProxy, adminToken, sameAddress, lifetimes, reservation, allowedAndDenied, onlyRefusedSVG, overriddenTwice,
        addedByUs,
    ]

    /// A listener that others reach would fetch any URL for anyone.
    private static let openProxy = Contradiction(options: ["listen", "openProxy", "allowedHosts", "signing.keys"]) {
        let isGuarded = !$0.signing.keys.isEmpty || !$0.allowedHosts.isEmpty || $0.openProxy
        guard !isGuarded, let open = $0.listen.first(where: { $0.isBeyondLoopback }) else { return nil }
        return Clash(
            found: "\(open) is beyond loopback: an open proxy for all who reach it",
            expected: inForce(["signing.keys", "allowedHosts"]) + " or openProxy: true; or a loopback address")
    }

    /// Whoever reaches the admin listener may purge the cache.
    private static let adminToken = Contradiction(options: ["adminListen", "adminToken"]) {
        guard $0.adminToken == nil, let open = $0.adminListen.first(where: { $0.isBeyondLoopback }) else { return nil }
        let remedy = inForce(["adminToken"])
        return Clash(
            found: "\(open) is beyond loopback",
            expected: remedy.isEmpty ? "a loopback address or a Unix socket" : "\(remedy), or a loopback address")
    }

    private static let sameAddress = Contradiction(options: ["adminListen", "listen"]) {
        var seen: [ListenAddress] = []
        for address in $0.listen + $0.adminListen {
            if let other = seen.first(where: { $0.overlaps(address) }) {
                return Clash(
                    found: address == other ? "\(address) twice" : "\(other) and \(address), one part of the other",
                    expected: "an address of its own for each listener")
            }
            seen.append(address)
        }
        return nil
    }

    private static let lifetimes = Contradiction(options: ["freshness.minTTL", "freshness.maxTTL"]) {
        guard $0.freshness.minTTL > $0.freshness.maxTTL else { return nil }
        return Clash(
            found: "minTTL \(TimeSpan.text($0.freshness.minTTL)), maxTTL \(TimeSpan.text($0.freshness.maxTTL))",
            expected: "minTTL at most maxTTL")
    }

    /// A download of unknown length reserves the whole `maxDownloadSize`.
    private static let reservation = Contradiction(options: ["maxDownloadSize", "inFlightLimit"]) {
        guard $0.maxDownloadSize > $0.inFlightLimit else { return nil }
        return Clash(
            found: "maxDownloadSize \(ByteSize.text($0.maxDownloadSize)), "
                + "inFlightLimit \(ByteSize.text($0.inFlightLimit))",
            expected: "inFlightLimit at least maxDownloadSize, or no download could start")
    }

    /// A wider pattern on either side has its use; the same one on both cannot be meant.
    private static let allowedAndDenied = Contradiction(options: ["deniedHosts", "allowedHosts"]) {
        guard let host = $0.allowedHosts.first(where: Set($0.deniedHosts).contains) else { return nil }
        return Clash(found: "\(host) in both allowedHosts and deniedHosts", expected: "\(host) in one of them")
    }

    private static let onlyRefusedSVG = Contradiction(options: ["contentTypes", "allowSVG"]) {
        let isSVG = $0.contentTypes.allSatisfy { $0.description == "image/svg+xml" }
        guard isSVG, !$0.contentTypes.isEmpty, !$0.allowSVG else { return nil }
        return Clash(
            found: "contentTypes image/svg+xml alone, allowSVG false",
            expected: "another content type or allowSVG: true, or no image could be served")
    }

    /// Of two addresses for one host nobody can say which is meant.
    private static let overriddenTwice = Contradiction(options: ["hostOverrides"]) {
        var seen: Set<HostPattern> = []
        for override in $0.hostOverrides where !seen.insert(override.host).inserted {
            return Clash(found: "\(override.host) twice", expected: "one address for each host")
        }
        return nil
    }

    /// Fields that frame or describe an answer, or say what became of the request, are written for each answer.
    private static let addedByUs = Contradiction(options: ["addHeaders"]) {
        let own: Set<String> = [
            "accept-ranges", "age", "allow", "cache-control", "cache-status", "cdn-cache-control", "connection",
            "content-encoding", "content-length", "content-location", "content-range", "content-security-policy",
            "content-type", "date", "etag", "expires", "keep-alive", "last-modified", "location", "proxy-status",
            "retry-after", "set-cookie", "trailer", "transfer-encoding", "upgrade", "vary", "via", "warning",
            "x-content-type-options",
        ]
        guard let name = $0.addHeaders.keys.sorted().first(where: { own.contains($0.lowercased()) }) else { return nil }
        return Clash(found: name, expected: "fields that the service does not write itself")
    }

    /// The options among `names` that this version knows, as words.
    private static func inForce(_ names: [String]) -> String {
        names.filter { OptionTable.byName[$0]?.availability == .inForce }.joined(separator: ", ")
    }
}
