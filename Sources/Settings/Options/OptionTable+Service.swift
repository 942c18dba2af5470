extension OptionTable {
    static let listening: [Option] = [
        Option(
            "listen", \.listen, .list(.address, orOne: true),
            "Where applications ask. Beyond loopback it needs `allowedHosts` or `openProxy`.", needsRestart: true),
        Option(
            "adminListen", \.adminListen, .list(.address, orOne: true), "Where operators ask.", needsRestart: true),
        Option("socketMode", \.socketMode, .fileMode, "File mode of Unix sockets.", needsRestart: true),
        Option(
            "loops", \.loops, .integer(0...256), "Event loops, each a thread; 0 is one per core.", needsRestart: true),
        Option(
            "user", \.user, optional: .text("account", expected: "the name of an account"),
            "The account to become once the listeners are bound; null keeps the one that started the program.",
            needsRestart: true, availability: .notYet),
        Option(
            "drainTimeout", \.drainTimeout, Bounds.wait, "How long a drain waits for what still runs before it exits."),
    ]

    static let budgets: [Option] = [
        Option(
            "maxDownloadSize", \.maxDownloadSize, Bounds.downloadSize,
            "The largest image taken from an origin; a longer transfer is cut at once."),
        Option(
            "cacheLimit", \.cacheLimit, Bounds.budget, "Budget of the memory tier, overhead included; 0 turns it off."),
        Option("diskCacheLimit", \.diskCacheLimit, Bounds.budget, "Budget of the disk tier; 0 turns it off."),
        Option(
            "diskCachePath", \.diskCachePath, .nullable(.path, null: DefaultPaths.diskCache),
            "Directory of the disk tier; null is `/var/cache/imagestore` for root, else `imagestore` in the XDG cache "
                + "directory.",
            needsRestart: true, documentedDefault: .null),
        Option(
            "diskAdmission", \.diskAdmission, .choice,
            "Which images the disk tier takes: all, or those asked for twice.",
            availability: .notYet),
        Option(
            "inFlightLimit", \.inFlightLimit, .size(1...Bounds.petabyte),
            "Budget of bytes in running downloads, reserved before each starts."),
        Option(
            "partialLimit", \.partialLimit, Bounds.budget, "Budget of interrupted downloads kept for resumption.",
            availability: .notYet),
        Option(
            "memoryPressure", \.memoryPressure, .flag,
            "Whether the memory tier gives way when the machine runs short of memory.", availability: .notYet),
    ]

    static let clients: [Option] = [
        Option(
            "maxURLLength", \.maxURLLength, .integer(16...32_768, unit: "bytes"),
            "The longest request target and image URL; longer is 414."),
        Option(
            "maxHeaderSize", \.maxHeaderSize, .integer(256...65_536, unit: "bytes"),
            "The largest request head; larger is 431."),
        Option("maxConnections", \.maxConnections, Bounds.count, "Client connections at a time; one more is 503."),
        Option(
            "maxConnectionsPerAddress", \.maxConnectionsPerAddress, Bounds.optionalCount,
            "Client connections at a time from one address; 0 is no limit.", availability: .notYet),
        Option("headerTimeout", \.headerTimeout, Bounds.timeout, "How long a request head may take; longer is 408."),
        Option("idleTimeout", \.idleTimeout, Bounds.timeout, "How long a connection may stay open without a request."),
        Option(
            "minClientRate", \.minClientRate, Bounds.budget,
            "Bytes a second below which a client that has bytes to read is dropped; 0 is no limit.",
            availability: .notYet),
        Option(
            "rateLimit", \.rateLimit, Bounds.optionalCount, "Requests a second from one address; 0 is no limit.",
            availability: .notYet),
    ]

    static let answers: [Option] = [
        Option(
            "keepHeaders", \.keepHeaders, .list(.fieldName), "Further response fields of origins that are kept."),
        Option(
            "dropHeaders", \.dropHeaders, .list(.fieldName), "Response fields of origins that are dropped."),
        Option(
            "addHeaders", \.addHeaders, .fields, "Fields added to every answer, for CORS and the like."),
        Option(
            "placeholder.file", \.placeholder.file, optional: .path,
            "The image that `placeholder=1` answers with; null is a built-in one.", availability: .notYet),
        Option(
            "placeholder.fallback", \.placeholder.fallback, .flag,
            "Whether the placeholder also stands in for failures.",
            availability: .notYet),
        Option(
            "serverTiming", \.serverTiming, .flag, "Whether answers carry `Server-Timing`.", availability: .notYet),
    ]

    static let access: [Option] = [
        Option(
            "signing.keys", \.signing.keys, .list(.signingKey),
            "Keys that signed URLs are checked with; empty turns signing off.", availability: .notYet, isSecret: true),
        Option(
            "adminToken", \.adminToken, optional: .text("token", expected: "a text of printable characters"),
            "Bearer token of the admin listener, needed beyond loopback.", needsRestart: true, availability: .notYet,
            isSecret: true),
        Option(
            "adminHosts", \.adminHosts, .list(.host),
            "`Host` values that the admin listener answers to, besides its addresses and `localhost`.",
            needsRestart: true, availability: .notYet),
    ]

    static let logs: [Option] = [
        Option("log.level", \.log.level, .choice, "The least level that is logged."),
        Option("log.access", \.log.access, .choice, "The access log's format.", availability: .notYet),
        Option("log.file", \.log.file, optional: .path, "The log file; null is standard error.", availability: .notYet),
        Option(
            "log.sample", \.log.sample, .fraction(0...1), "The share of requests that the access log holds.",
            availability: .notYet),
        Option(
            "log.queries", \.log.queries, .flag, "Whether logs hold the query strings of image URLs.",
            availability: .notYet),
    ]
}
