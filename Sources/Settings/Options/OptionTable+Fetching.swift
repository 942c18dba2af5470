extension OptionTable {
    static let downloads: [Option] = [
        Option("maxDownloads", \.maxDownloads, .integer(1...65_536), "Downloads at a time in the whole process."),
        Option(
            "maxDownloadsPerHost", \.maxDownloadsPerHost, .integer(1...65_536), "Downloads at a time from one host."),
        Option(
            "maxQueue", \.maxQueue, .integer(0...10_000_000), "Downloads that may wait for their turn; one more is 503."
        ),
        Option(
            "queueTimeout", \.queueTimeout, Bounds.wait, "How long a download may wait for its turn; longer is 503."),
        Option("dnsTimeout", \.dnsTimeout, Bounds.timeout, "How long a name lookup may take."),
        Option(
            "connectTimeout", \.connectTimeout, Bounds.timeout,
            "How long a connection to an origin may take, TLS handshake included."),
        Option(
            "firstByteTimeout", \.firstByteTimeout, Bounds.timeout,
            "How long an origin may take from the request to the head of its answer."),
        Option(
            "transferIdleTimeout", \.transferIdleTimeout, Bounds.timeout,
            "How long an origin may send nothing in mid-body."),
        Option(
            "totalTimeout", \.totalTimeout, Bounds.timeout, "How long a download may take in all, redirects included."),
        Option(
            "retries", \.retries, .integer(0...10), "Further attempts at a download that failed before its first byte.",
            availability: .notYet),
        Option(
            "breaker.failures", \.breaker.failures, Bounds.optionalCount,
            "Failures in a row after which a host is left alone; 0 is never.", availability: .notYet),
        Option(
            "breaker.openFor", \.breaker.openFor, Bounds.timeout, "How long a failing host is left alone.",
            availability: .notYet),
        Option(
            "abandonedDownloads", \.abandonedDownloads, .choice,
            "What becomes of a running download that nobody waits for any more.", availability: .notYet),
        Option(
            "suspendedConnectionLimit", \.suspendedConnectionLimit, Bounds.wait,
            "How long a suspended download keeps its connection.", availability: .notYet),
    ]

    static let freshness: [Option] = [
        Option(
            "freshness.mode", \.freshness.mode, .choice,
            "`standard` is RFC 9111; `forever` keeps what is stored fresh until it is evicted or purged."),
        Option(
            "freshness.defaultTTL", \.freshness.defaultTTL, Bounds.lifetime,
            "How long an image is fresh whose origin says nothing about it, not even when it last changed."),
        Option("freshness.minTTL", \.freshness.minTTL, Bounds.lifetime, "Lower bound of every lifetime."),
        Option("freshness.maxTTL", \.freshness.maxTTL, Bounds.lifetime, "Upper bound of every lifetime."),
        Option(
            "freshness.staleWhileRevalidate", \.freshness.staleWhileRevalidate, Bounds.lifetime,
            "How long a stale image is served while it is revalidated, where the origin says nothing."),
        Option(
            "freshness.staleIfError", \.freshness.staleIfError, Bounds.lifetime,
            "How long a stale image is served when its origin fails, where the origin says nothing."),
        Option(
            "freshness.keepStale", \.freshness.keepStale, Bounds.lifetime,
            "How long a stale image is kept, so that it can be revalidated."),
        Option(
            "freshness.redirectTTL", \.freshness.redirectTTL, Bounds.lifetime,
            "How long an image lives that a temporary redirect led to, where the redirect says nothing."),
        Option(
            "freshness.honorClientDirectives", \.freshness.honorClientDirectives, .flag,
            "Whether `Cache-Control` of requests counts."),
        Option(
            "freshness.maxVariants", \.freshness.maxVariants, .integer(1...1024), "Variants kept of one URL."),
        Option(
            "offline", \.offline, .flag, "Whether to answer from the cache alone, stale images included."),
        Option(
            "keyRules", \.keyRules, .list(.keyRule), "Query parameters that are no part of the key, per host.",
            availability: .notYet),
    ]

    static let negative: [Option] = [
        Option(
            "negativeTTL.notFound", \.negativeTTL.notFound, Bounds.lifetime,
            "How long a 404, 410 or other 4xx about the image is remembered."),
        Option("negativeTTL.serverError", \.negativeTTL.serverError, Bounds.lifetime, "How long a 5xx is remembered."),
        Option(
            "negativeTTL.refused", \.negativeTTL.refused, Bounds.lifetime,
            "How long a refused or lost connection is remembered."),
        Option("negativeTTL.timeout", \.negativeTTL.timeout, Bounds.lifetime, "How long a timeout is remembered."),
        Option("negativeTTL.dns", \.negativeTTL.dns, Bounds.lifetime, "How long a failed name lookup is remembered."),
        Option("negativeTTL.tls", \.negativeTTL.tls, Bounds.lifetime, "How long a failed TLS handshake is remembered."),
        Option(
            "negativeTTL.tooLarge", \.negativeTTL.tooLarge, Bounds.lifetime,
            "How long an image over `maxDownloadSize` is remembered."),
        Option(
            "negativeTTL.notAnImage", \.negativeTTL.notAnImage, Bounds.lifetime,
            "How long an answer that is no image, or of a type not allowed, is remembered."),
    ]

    static let targets: [Option] = [
        Option(
            "contentTypes", \.contentTypes, .list(.mediaRange, atLeastOne: true),
            "Content types that are served; `*/*` makes the service a plain caching proxy."),
        Option("allowSVG", \.allowSVG, .flag, "Whether SVG counts as an image."),
        Option(
            "maxPixels", \.maxPixels, .integer(0...1_000_000_000_000),
            "Pixels above which an image is refused; 0 is no limit.",
            availability: .notYet),
        Option("followRedirects", \.followRedirects, .flag, "Whether redirects of origins are followed."),
        Option("maxRedirects", \.maxRedirects, .integer(0...50), "Hops that are followed."),
        Option(
            "allowedNetworks", \.allowedNetworks, .list(.network),
            "Special-purpose networks (private, loopback, …) that images may be fetched from; all are closed otherwise."
        ),
        Option(
            "allowedPorts", \.allowedPorts, .list(.originPort),
            "Ports that images may be fetched from; empty is all but the Fetch standard's blocked ones."),
        Option(
            "allowedHosts", \.allowedHosts, .list(.host), "Hosts that images may be fetched from; empty is all."),
        Option(
            "deniedHosts", \.deniedHosts, .list(.host),
            "Hosts that images are not fetched from, whatever `allowedHosts` says."),
        Option(
            "openProxy", \.openProxy, .flag,
            "Whether a listener beyond loopback may fetch any URL for anyone who reaches it."),
        Option("allowDowngrade", \.allowDowngrade, .flag, "Whether an https URL may redirect to http."),
    ]

    static let origins: [Option] = [
        Option(
            "caFile", \.caFile, optional: .path,
            "Certificates that origins are verified with, a PEM file; null is the system's."),
        Option(
            "caPath", \.caPath, optional: .path,
            "Certificates that origins are verified with, a directory hashed by `openssl rehash`; null is the system's."
        ),
        Option(
            "originProxy", \.originProxy, optional: .text("URL", expected: "the URL of a proxy"),
            "A proxy that origins are reached through.", availability: .notYet),
        Option("originHTTP2", \.originHTTP2, .flag, "Whether HTTP/2 is spoken to origins that offer it."),
        Option(
            "userAgent", \.userAgent, .nullable(.fieldValue, null: Configuration().userAgent),
            "What origins are told we are; null is `imagestore/VERSION`.", documentedDefault: .null),
        Option(
            "originHeaders", \.originHeaders, .list(.originHeaders), "Fields added to requests, per host.",
            availability: .notYet, isSecret: true),
        Option(
            "hostOverrides", \.hostOverrides, .list(.hostOverride),
            "Addresses used instead of DNS; they are judged as DNS answers are."),
        Option("perHost", \.perHost, .list(.perHost), "Other limits for some hosts.", availability: .notYet),
        Option(
            "forwardHeaders", \.forwardHeaders, .list(.fieldName),
            "Request fields of clients that are passed to origins."),
    ]
}
