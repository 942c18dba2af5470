/// Which images the disk tier takes.
public enum DiskAdmission: String, Sendable, CaseIterable {
    /// Every one that may be stored.
    case always
    /// Those asked for twice.
    case secondRequest = "second-request"
}

/// What becomes of a download that nobody waits for any more.
public enum AbandonedDownloads: String, Sendable, CaseIterable {
    /// It goes on, and is stored.
    case finish
    /// It ends.
    case cancel
}

/// Whether the origin's word on freshness counts.
public enum FreshnessMode: String, Sendable, CaseIterable {
    /// RFC 9111.
    case standard
    /// What is stored stays fresh until it is evicted or purged.
    case forever
}

/// How much is logged.
public enum LogLevel: String, Sendable, CaseIterable {
    /// State changes.
    case trace
    /// Decisions on one request.
    case debug
    /// Start, stop, configuration.
    case info
    /// Something is degraded.
    case warning
    /// Someone must act.
    case error
}

/// The access log's format.
public enum AccessLogFormat: String, Sendable, CaseIterable {
    /// No access log.
    case off
    /// One JSON object a line.
    case json
    /// The combined format of Apache and nginx.
    case combined
}

extension Configuration {
    /// `freshness`: how long images are good for.
    public struct Freshness: Sendable, Equatable {
        /// Whether the origin's word counts.
        public var mode = FreshnessMode.standard
        /// Lifetime where the origin says nothing.
        public var defaultTTL: Duration = .seconds(3600)
        /// Lower bound of every lifetime.
        public var minTTL: Duration = .zero
        /// Upper bound of every lifetime.
        public var maxTTL: Duration = .seconds(365 * 86_400)
        /// RFC 5861 window where the origin says nothing.
        public var staleWhileRevalidate: Duration = .zero
        /// RFC 5861 window where the origin says nothing.
        public var staleIfError: Duration = .seconds(86_400)
        /// How long a stale image is kept for revalidation.
        public var keepStale: Duration = .seconds(86_400)
        /// Lifetime of a temporary redirect that says nothing.
        public var redirectTTL: Duration = .seconds(300)
        /// Whether clients may ask for fresher answers.
        public var honorClientDirectives = true
        /// Variants kept of one URL.
        public var maxVariants = 16

        /// The defaults.
        public init() {}
    }

    /// `negativeTTL`: how long each kind of failure is remembered.
    public struct NegativeTTL: Sendable, Equatable {
        /// 404, 410 and other 4xx about the image.
        public var notFound: Duration = .seconds(60)
        /// 5xx.
        public var serverError: Duration = .seconds(5)
        /// Connection refused or lost.
        public var refused: Duration = .seconds(5)
        /// Any timeout.
        public var timeout: Duration = .seconds(5)
        /// Name not found.
        public var dns: Duration = .seconds(10)
        /// Certificate or handshake.
        public var tls: Duration = .seconds(60)
        /// Larger than `maxDownloadSize`.
        public var tooLarge: Duration = .seconds(600)
        /// No image, or a type that is not allowed.
        public var notAnImage: Duration = .seconds(60)

        /// The defaults.
        public init() {}
    }

    /// `breaker`: when a failing host is left alone.
    public struct Breaker: Sendable, Equatable {
        /// Failures in a row that open it.
        public var failures = 10
        /// How long it stays open.
        public var openFor: Duration = .seconds(10)

        /// The defaults.
        public init() {}
    }

    /// `placeholder`: what is shown meanwhile.
    public struct Placeholder: Sendable, Equatable {
        /// An image file; nil is the built-in one.
        public var file: String?
        /// Whether it also stands in for failures.
        public var fallback = false

        /// The defaults.
        public init() {}
    }

    /// `signing`: who may ask for what.
    public struct Signing: Sendable, Equatable {
        /// Accepted keys; empty turns signing off.
        public var keys: [SigningKey] = []

        /// The defaults.
        public init() {}
    }

    /// `log`: what is logged, and where.
    public struct Log: Sendable, Equatable {
        /// The least level that is written.
        public var level = LogLevel.info
        /// The access log's format.
        public var access = AccessLogFormat.off
        /// The log file; nil is standard error.
        public var file: String?
        /// The share of requests in the access log.
        public var sample = 1.0
        /// Whether query strings are written.
        public var queries = false

        /// The defaults.
        public init() {}
    }
}
