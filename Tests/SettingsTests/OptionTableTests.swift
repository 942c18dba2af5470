import FoundationEssentials
import Testing

@testable import Settings

struct OptionTableTests {
    private static let root = String(#filePath.dropLast("Tests/SettingsTests/OptionTableTests.swift".count))

    @Test func `every key of the contract is there once`() {
        let names = OptionTable.options.map { $0.name }
        #expect(Set(names).count == names.count)
        let contract =
            """
            listen adminListen socketMode loops maxDownloadSize cacheLimit diskCacheLimit diskCachePath diskAdmission \
            inFlightLimit partialLimit maxURLLength maxHeaderSize maxConnections maxConnectionsPerAddress headerTimeout \
            idleTimeout minClientRate rateLimit maxDownloads maxDownloadsPerHost maxQueue queueTimeout dnsTimeout \
            connectTimeout firstByteTimeout transferIdleTimeout totalTimeout retries breaker.failures breaker.openFor \
            abandonedDownloads suspendedConnectionLimit freshness.mode freshness.defaultTTL freshness.minTTL \
            freshness.maxTTL freshness.staleWhileRevalidate freshness.staleIfError freshness.keepStale \
            freshness.redirectTTL freshness.maxVariants freshness.honorClientDirectives contentTypes allowSVG maxPixels \
            followRedirects maxRedirects allowedNetworks allowedPorts allowedHosts deniedHosts openProxy allowDowngrade \
            caFile caPath originProxy originHTTP2 userAgent originHeaders hostOverrides perHost forwardHeaders \
            keepHeaders dropHeaders addHeaders keyRules signing.keys adminToken adminHosts placeholder.file \
            placeholder.fallback memoryPressure log.level log.access log.file log.sample log.queries serverTiming \
            drainTimeout user negativeTTL.notFound negativeTTL.serverError negativeTTL.refused negativeTTL.timeout \
            negativeTTL.dns negativeTTL.tls negativeTTL.tooLarge negativeTTL.notAnImage offline
            """
        #expect(Set(names) == Set(contract.split(separator: " ").map(String.init)))
    }

    @Test func `neighbours in a group share one object in the sample file`() throws {
        let map = try JSON5Scanner.scan(Reference.sampleFile)
        #expect(map.duplicates.isEmpty)
    }

    @Test(arguments: OptionTable.options.map { $0.name })
    func `a default is one that the option accepts`(name: String) throws {
        let option = try #require(OptionTable.byName[name])
        var configuration = Configuration()
        try option.apply(option.value(configuration), &configuration)
        try option.apply(option.documentedDefault, &configuration)
        #expect(configuration == Configuration())
    }

    @Test func `the sample file means the defaults`() throws {
        #expect(try load(Reference.sampleFile) == Configuration())
    }

    @Test(arguments: [
        ("config/imagestore.json5", GeneratedFile.sample), ("Docs/CONFIGURATION.md", GeneratedFile.page),
    ])
    func `files made from the table are up to date; else run make docs`(path: String, file: GeneratedFile) throws {
        let data = try #require(FileManager.default.contents(atPath: Self.root + path))
        #expect(String(decoding: data, as: UTF8.self) == file.content)
    }

    @Test func `a meaning is a sentence on one line`() {
        for option in OptionTable.options {
            #expect(option.meaning.hasSuffix("."), "\(option.name)")
            #expect(!option.meaning.contains("\n"), "\(option.name)")
        }
    }

    @Test func `records are read and written alike`() throws {
        try checkRoundTrip(
            OptionKind.perHost,
            "{host: '*.a.com', maxDownloadSize: '5MB', freshness: {maxTTL: '1d'}, connectTimeout: '1s'}")
        try checkRoundTrip(OptionKind.originHeaders, "{host: 'a.com', headers: {'X-Key': 'v'}}")
        try checkRoundTrip(OptionKind.keyRule, "{host: 'a.com', dropParameters: ['utm_source']}")
        try checkRoundTrip(OptionKind.signingKey, "{id: 'k-1', secret: 's3cret'}")
        #expect(throws: ReadProblem.self) {
            try OptionKind.signingKey.read(try Setting(json5: "{id: 'a.b', secret: 'x'}"))
        }
        #expect(throws: ReadProblem.self) {
            try OptionKind.originHeaders.read(try Setting(json5: "{host: 'a', headers: {'X Y': 'v'}}"))
        }
        #expect(throws: ReadProblem.self) {
            try OptionKind.originHeaders.read(try Setting(json5: "{host: 'a', headers: {X: 'v\\r\\nZ: 1'}}"))
        }
    }

    private func checkRoundTrip<Value>(_ kind: OptionKind<Value>, _ text: String) throws {
        let value = try kind.read(try Setting(json5: text))
        #expect(try kind.read(kind.write(value)) == value)
        #expect(kind.write(value) == (try Setting(json5: text)))
    }
}
