import Testing

@testable import Settings

struct LoadingTests {
    @Test func `without sources the defaults hold`() throws {
        #expect(try load() == Configuration())
        #expect(try load("{}", environment: ["PATH": "/bin"]) == Configuration())
    }

    @Test func `a file sets every kind of value`() throws {
        let configuration = try load(
            """
            {
                listen: ["127.0.0.1:0", "[::1]:8080", "unix:/run/i.sock"],
                socketMode: "0600",
                loops: 4,
                maxDownloadSize: 5000000,
                cacheLimit: "1GiB",
                diskCachePath: "/tmp/x",
                freshness: {defaultTTL: "2h"},
                contentTypes: ["*/*"],
                allowSVG: false,
                allowedNetworks: ["10.0.0.0/8"],
                allowedPorts: [80, 443],
                allowedHosts: ["*.example.com"],
                hostOverrides: [{host: "cdn.example.com", address: "10.0.0.1"}],
                log: {level: "debug"},
            }
            """)
        #expect(configuration.listen.map { $0.description } == ["127.0.0.1:0", "[::1]:8080", "unix:/run/i.sock"])
        #expect(configuration.socketMode == 0o600)
        #expect(configuration.loops == 4)
        #expect(configuration.maxDownloadSize == 5_000_000)
        #expect(configuration.cacheLimit == 1 << 30)
        #expect(configuration.diskCachePath == "/tmp/x")
        #expect(configuration.freshness.defaultTTL == .seconds(7200))
        #expect(configuration.contentTypes.map { $0.isAnything } == [true])
        #expect(!configuration.allowSVG)
        #expect(configuration.allowedNetworks.map { $0.description } == ["10.0.0.0/8"])
        #expect(configuration.allowedPorts == [80, 443])
        #expect(configuration.allowedHosts.map { $0.description } == ["*.example.com"])
        #expect(configuration.hostOverrides.map { "\($0.host) \($0.address)" } == ["cdn.example.com 10.0.0.1"])
        #expect(configuration.log.level == .debug)
    }

    @Test func `each source overrides the one before it`() throws {
        let file = "{loops: 1, maxRedirects: 1, maxDownloads: 1}"
        let environment = ["IMAGESTORE_LOOPS": "2", "IMAGESTORE_MAX_REDIRECTS": "2"]
        let configuration = try load(file, environment: environment, set: ["loops=3", "loops=4"])
        #expect(configuration.loops == 4)
        #expect(configuration.maxRedirects == 2)
        #expect(configuration.maxDownloads == 1)
        #expect(configuration.maxQueue == 100_000)
    }

    @Test(arguments: [
        ("allowedNetworks=10.0.0.0/8, fd00::/8", "allowedNetworks", #"["10.0.0.0/8", "fd00::/8"]"#),
        ("allowedNetworks=", "allowedNetworks", "[]"), ("allowedPorts=80,443", "allowedPorts", "[80, 443]"),
        ("allowedHosts=[\"a.b\"]", "allowedHosts", #"["a.b"]"#), ("listen=[::1]:80", "listen", #""[::1]:80""#),
        ("listen=[::1]:80,127.0.0.1:1", "listen", #"["[::1]:80", "127.0.0.1:1"]"#),
        ("cacheLimit=5", "cacheLimit", "5"), ("cacheLimit=2MB", "cacheLimit", #""2MB""#),
        ("allowSVG=false", "allowSVG", "false"), ("caFile=null", "caFile", "null"),
        ("diskCachePath=/a=b", "diskCachePath", #""/a=b""#),
        ("userAgent=bot/1", "userAgent", #""bot/1""#), ("socketMode=0600", "socketMode", #""0600""#),
        (#"hostOverrides=[{host: "a.b", address: "::1"}]"#, "hostOverrides", #"[{address: "::1", host: "a.b"}]"#),
        ("freshness.minTTL=1s", "freshness.minTTL", #""1s""#),
    ])
    func `text on the command line means what it would in the file`(argument: String, key: String, shown: String) throws
    {
        let option = try #require(OptionTable.byName[key])
        #expect(option.value(try load(set: [argument])).rendered() == shown)
        let text = String(argument.drop { $0 != "=" }.dropFirst())
        #expect(option.value(try load(environment: [option.environmentName: text])).rendered() == shown)
    }

    @Test(arguments: [
        ("listen", "IMAGESTORE_LISTEN"), ("maxDownloadSize", "IMAGESTORE_MAX_DOWNLOAD_SIZE"),
        ("maxURLLength", "IMAGESTORE_MAX_URL_LENGTH"), ("allowSVG", "IMAGESTORE_ALLOW_SVG"),
        ("originHTTP2", "IMAGESTORE_ORIGIN_HTTP2"), ("freshness.defaultTTL", "IMAGESTORE_FRESHNESS__DEFAULT_TTL"),
        ("negativeTTL.notAnImage", "IMAGESTORE_NEGATIVE_TTL__NOT_AN_IMAGE"), ("caFile", "IMAGESTORE_CA_FILE"),
    ])
    func `an option has an environment variable`(key: String, variable: String) {
        #expect(OptionTable.byName[key]?.environmentName == variable)
    }

    @Test(arguments: OptionTable.options.filter { $0.availability == .notYet }.map { $0.name })
    func `an option that is not yet in force accepts its default alone`(key: String) throws {
        let option = try #require(OptionTable.byName[key])
        let inner = option.documentedDefault.rendered()
        let steps = key.split(separator: ".")
        let nested = steps.dropLast().reversed().reduce("\(steps[steps.count - 1]): \(inner)") { "\($1): {\($0)}" }
        #expect(try load("{\(nested)}") == Configuration())
        #expect(
            complaint(set: ["\(key)=something else"])
                == "--set: \(key): `\(key)` is not available in this version; remove it")
    }

    @Test func `the printed configuration brings itself about`() throws {
        let configuration = try load(
            set: [
                "listen=0.0.0.0:80,unix:/s", "allowedHosts=*.a.com,b.com", "cacheLimit=3MiB", "queueTimeout=0s",
                #"hostOverrides=[{host: "a.b", address: "::1"}]"#, #"userAgent=a"b\c"#, "allowedNetworks=::1",
                "socketMode=0777", "freshness.keepStale=90m",
            ])
        #expect(try load(configuration.rendered(.json5)) == configuration)
        #expect(try load(configuration.rendered(.json)) == configuration)
    }

    @Test func `a secret is not printed`() throws {
        var configuration = Configuration()
        configuration.adminToken = "hunter2"
        configuration.signing.keys = [SigningKey(id: "a", secret: "hunter2")]
        #expect(!configuration.rendered().contains("hunter2"))
        #expect(
            !complaint("{adminToken: 'hunter2', signing: {keys: [{id: 'a', secret: 'hunter2'}]}}").contains("hunter2"))
    }
}
