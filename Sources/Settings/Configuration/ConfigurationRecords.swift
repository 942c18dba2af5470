/// One element of `hostOverrides`: an address used instead of DNS.
public struct HostOverride: Sendable, Equatable {
    /// The host, without wildcard.
    public var host: HostPattern
    /// Its address.
    public var address: IPLiteral

    /// Makes an override.
    public init(host: HostPattern, address: IPLiteral) {
        self.host = host
        self.address = address
    }
}

/// One element of `originHeaders`: fields added to requests to a host.
public struct OriginHeaders: Sendable, Equatable {
    /// The hosts.
    public var host: HostPattern
    /// Field names and values.
    public var headers: [String: String]

    /// Makes a rule.
    public init(host: HostPattern, headers: [String: String]) {
        self.host = host
        self.headers = headers
    }
}

/// One element of `keyRules`: query parameters that are no part of the key.
public struct KeyRule: Sendable, Equatable {
    /// The hosts.
    public var host: HostPattern
    /// Parameter names.
    public var dropParameters: [String]

    /// Makes a rule.
    public init(host: HostPattern, dropParameters: [String]) {
        self.host = host
        self.dropParameters = dropParameters
    }
}

/// One element of `signing.keys`.
public struct SigningKey: Sendable, Equatable {
    /// The name that `sig` may carry.
    public var id: String
    /// The HMAC key.
    public var secret: String

    /// Makes a key.
    public init(id: String, secret: String) {
        self.id = id
        self.secret = secret
    }
}

/// One element of `perHost`: other limits for some hosts; nil leaves the general one.
public struct PerHost: Sendable, Equatable {
    /// The hosts.
    public var host: HostPattern
    /// As `maxDownloadSize`.
    public var maxDownloadSize: Int?
    /// As `freshness`, by the same key names.
    public var freshness: [String: Duration] = [:]
    /// As the timeouts, by the same key names.
    public var timeouts: [String: Duration] = [:]

    /// Makes a rule that changes nothing.
    public init(host: HostPattern) {
        self.host = host
    }
}
