import EventLoops
import HTTPCaching
import HTTPMessages
import ObjectStore
import Origin
import Settings

/// The configuration in force, narrowed for each layer; immutable, replaced as a whole by a reload.
///
/// Work keeps the snapshot that it began with.
final class Snapshot: Sendable {
    /// What the operator set.
    let configuration: Configuration
    /// Grows with each reload; aliases of an older epoch are not trusted.
    let epoch: UInt64
    /// What the caching rules depend on.
    let caching: CachePolicySettings
    /// How long failures are remembered.
    let negative: HTTPCaching.NegativeTTL
    /// Which fields are kept, dropped, forwarded and sent.
    let rules: HeaderRules
    /// What every answer of the data listener carries besides (`addHeaders`).
    let addedFields: Fields
    /// Which URLs and addresses may be fetched.
    let policy: TargetPolicy
    /// How origins are talked to.
    let origin: OriginSettings
    /// How large a request head may be.
    let requestLimits: RequestLimits
    /// Whether every type and status is relayed (`contentTypes: ["*/*"]`).
    let relaysEverything: Bool
    /// `idleTimeout`, for the hit path.
    let idleNanoseconds: Int64

    /// Narrows `configuration`.
    ///
    /// - Parameter listeners: where this process listens, which no image URL may lead to.
    init(_ configuration: Configuration, epoch: UInt64, listeners: [SocketAddress], resolverServers: [String]? = nil) {
        self.configuration = configuration
        self.epoch = epoch
        caching = CachePolicySettings(configuration)
        negative = HTTPCaching.NegativeTTL(configuration.negativeTTL)
        relaysEverything = configuration.contentTypes.contains { $0.isAnything }
        idleNanoseconds = min(configuration.idleTimeout.wholeNanoseconds, .max / 4)
        rules = HeaderRules(
            scope: relaysEverything ? .everything : .images,
            keep: configuration.keepHeaders.compactMap { FieldName($0) },
            drop: configuration.dropHeaders.compactMap { FieldName($0) },
            forward: configuration.forwardHeaders)
        addedFields = Self.addedFields(configuration)
        policy = TargetPolicy(configuration, listeners: listeners)
        origin = OriginSettings(configuration, resolverServers: resolverServers)
        requestLimits = RequestLimits(
            maxHeaderSize: configuration.maxHeaderSize,
            // The target holds the URL percent-encoded, at most three bytes for one, and other parameters.
            maxTargetLength: configuration.maxURLLength * 3 + 256)
    }

    private static func addedFields(_ configuration: Configuration) -> Fields {
        var fields = Fields()
        for (name, value) in configuration.addHeaders.sorted(by: { $0.key < $1.key }) {
            if let name = FieldName(name) { fields.set(name, to: value) }
        }
        return fields
    }

    /// Whether a media type may be served.
    func admits(mediaType: [UInt8]) -> Bool {
        if !configuration.allowSVG, mediaType.elementsEqual("image/svg+xml".utf8) { return false }
        let parts = String(decoding: mediaType, as: UTF8.self).split(separator: "/", maxSplits: 1)
        guard parts.count == 2 else { return false }
        return configuration.contentTypes.contains { $0.contains(type: String(parts[0]), subtype: String(parts[1])) }
    }
}

extension CachePolicySettings {
    /// Takes the caching rules out of the configuration, in whole seconds.
    init(_ configuration: Configuration) {
        self.init()
        let freshness = configuration.freshness
        mode = freshness.mode == .forever ? .forever : .standard
        defaultTTL = freshness.defaultTTL.wholeSeconds
        minTTL = freshness.minTTL.wholeSeconds
        maxTTL = freshness.maxTTL.wholeSeconds
        staleWhileRevalidate = freshness.staleWhileRevalidate.wholeSeconds
        staleIfError = freshness.staleIfError.wholeSeconds
        keepStale = freshness.keepStale.wholeSeconds
        redirectTTL = freshness.redirectTTL.wholeSeconds
        honorsClientDirectives = freshness.honorClientDirectives
        isOffline = configuration.offline
    }
}

extension HTTPCaching.NegativeTTL {
    /// Takes the times over, in whole seconds.
    init(_ settings: Configuration.NegativeTTL) {
        self.init()
        notFound = settings.notFound.wholeSeconds
        serverError = settings.serverError.wholeSeconds
        refused = settings.refused.wholeSeconds
        timeout = settings.timeout.wholeSeconds
        dns = settings.dns.wholeSeconds
        tls = settings.tls.wholeSeconds
        tooLarge = settings.tooLarge.wholeSeconds
        notAnImage = settings.notAnImage.wholeSeconds
    }
}

extension TargetPolicy {
    /// Takes the rules on targets out of the configuration; our own listeners are never a target.
    ///
    /// Cost: asks the kernel for this machine's addresses.
    init(_ configuration: Configuration, listeners: [SocketAddress]) {
        let own = listeners.compactMap { listener -> AddressGuard.Listener? in
            guard let bytes = listener.addressBytes, let port = listener.port else { return nil }
            return IPAddress(networkBytes: bytes.span).map { AddressGuard.Listener(address: $0, port: port) }
        }
        self.init(
            allowedHosts: configuration.allowedHosts.compactMap { Origin.HostPattern("\($0)") },
            deniedHosts: configuration.deniedHosts.compactMap { Origin.HostPattern("\($0)") },
            allowedPorts: configuration.allowedPorts,
            addressGuard: AddressGuard(
                allowedNetworks: configuration.allowedNetworks.compactMap { NetworkRange("\($0)") },
                ownListeners: own,
                localAddresses: AddressGuard.addressesOfThisMachine()))
    }
}

extension OriginSettings {
    /// Takes over what concerns the way to origins.
    init(_ configuration: Configuration, resolverServers: [String]?) {
        self.init()
        dnsTimeout = configuration.dnsTimeout
        connectTimeout = configuration.connectTimeout
        firstByteTimeout = configuration.firstByteTimeout
        transferIdleTimeout = configuration.transferIdleTimeout
        totalTimeout = configuration.totalTimeout
        userAgent = configuration.userAgent
        caFile = configuration.caFile
        caPath = configuration.caPath
        followRedirects = configuration.followRedirects
        maxRedirects = configuration.maxRedirects
        allowDowngrade = configuration.allowDowngrade
        http2 = configuration.originHTTP2
        hostOverrides = configuration.hostOverrides.compactMap { override in
            IPAddress("\(override.address)").map { Origin.HostOverride(host: "\(override.host)", address: $0) }
        }
        self.resolverServers = resolverServers
    }
}
