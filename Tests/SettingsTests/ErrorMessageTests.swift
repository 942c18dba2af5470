import Testing

@testable import Settings

/// The blocks that an operator reads, word by word.
struct ErrorMessageTests {
    @Test func `an unknown key names the nearest`() {
        #expect(
            complaint("{\n    maxDownloadsize: \"5MB\",\n    freshness: {defaultTLL: \"1h\"},\n    xyzzy: 1,\n}") == """
                test.json5:2:5: maxDownloadsize: unknown key
                    found:    maxDownloadsize
                    expected: a key of the configuration
                    nearest:  maxDownloadSize
                test.json5:3:17: freshness.defaultTLL: unknown key
                    found:    defaultTLL
                    expected: a key of `freshness`
                    nearest:  freshness.defaultTTL
                test.json5:4:5: xyzzy: unknown key
                    found:    xyzzy
                    expected: a key of the configuration
                """)
    }

    @Test func `a dotted key in a file is one key, and unknown`() {
        #expect(
            complaint("{'freshness.defaultTTL': '1h'}") == """
                test.json5:1:2: "freshness.defaultTTL": unknown key
                    found:    "freshness.defaultTTL"
                    expected: a key of the configuration
                    nearest:  freshness.defaultTTL
                """)
    }

    @Test func `a duplicate key points at the second and names the first`() {
        #expect(
            complaint("{\n  loops: 1,\n  loops: 2,\n}") == """
                test.json5:3:3: loops: duplicate key
                    found:    the first is at 2:3
                    expected: each key once
                """)
    }

    @Test func `a wrong type, a bad value and one out of bounds are told apart`() {
        #expect(
            complaint("{\n  loops: \"four\",\n  queueTimeout: \"30 s\",\n  maxRedirects: 51,\n  log: \"debug\",\n}")
                == """
                test.json5:2:10: loops: wrong type
                    found:    "four"
                    expected: a whole number from 0 to 256
                test.json5:3:17: queueTimeout: bad value
                    found:    "30 s"
                    expected: a duration from 0s to 1d, such as "500ms", "30s", "5m", "1h", "7d"
                test.json5:4:17: maxRedirects: out of bounds
                    found:    51
                    expected: a whole number from 0 to 50
                test.json5:5:8: log: wrong type
                    found:    "debug"
                    expected: an object {level, access, file, sample, queries}
                """)
    }

    @Test func `a word that is none of the choices names the nearest`() {
        #expect(
            complaint("{log: {level: 'warn'}}") == """
                test.json5:1:15: log.level: bad value
                    found:    "warn"
                    expected: "trace", "debug", "info", "warning" or "error"
                """)
        #expect(complaint("{log: {level: 'inof'}}").hasSuffix("nearest:  \"info\""))
    }

    @Test func `an element of a list has its own place`() {
        #expect(
            complaint("{\n  allowedPorts: [80, 0],\n  hostOverrides: [{host: 'a.b', adress: '::1'}, {host: 'c.d'}],\n}")
                == """
                test.json5:2:22: allowedPorts[1]: out of bounds
                    found:    0
                    expected: a whole number from 1 to 65535
                test.json5:3:33: hostOverrides[0].adress: unknown key
                    found:    adress
                    expected: one of host, address
                    nearest:  address
                """)
        #expect(
            complaint("{hostOverrides: [{host: 'c.d'}]}") == """
                test.json5:1:18: hostOverrides[0]: missing key
                    found:    no address
                    expected: address: an IP address
                """)
    }

    @Test func `a syntax error is reported alone`() {
        #expect(
            complaint("{\n  loops: 1\n  xyzzy: 2\n}") == """
                test.json5:3:3: syntax error
                    found:    x
                    expected: "," or "}"
                """)
    }

    @Test func `a file that is no object or no text is refused`() {
        #expect(
            complaint("[1]") == """
                test.json5:1:1: wrong type
                    found:    a list
                    expected: an object {…}
                """)
        let file = ConfigurationFile(name: "test.json5", bytes: [0x7B, 0xFF, 0x7D])
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration.load(ConfigurationSources(file: file))
        }
        #expect(error?.problems.map { $0.summary } == ["not UTF-8"])
    }

    @Test func `the environment and the command line name themselves`() {
        #expect(
            complaint(
                environment: ["IMAGESTORE_LISTENN": "x", "IMAGESTORE_CACHE_LIMIT": "huge"],
                set: ["loops", "lops=1", "allowSVG=yes"]) == """
                    environment IMAGESTORE_CACHE_LIMIT: cacheLimit: bad value
                        found:    "huge"
                        expected: a size from 0 to 1000TB: bytes, or "200MB" (10^6), "200MiB" (2^20)
                    environment IMAGESTORE_LISTENN: unknown variable
                        expected: a variable that an option is named by
                        nearest:  IMAGESTORE_LISTEN
                    --set: bad argument
                        found:    "loops"
                        expected: key=value
                    --set: lops: unknown key
                        found:    lops
                        expected: a key of the configuration
                        nearest:  loops
                    --set: allowSVG: wrong type
                        found:    "yes"
                        expected: true or false
                    """)
    }

    @Test func `a key not yet in force points at itself`() {
        #expect(
            complaint("{\n  rateLimit: 5,\n  retries: 1,\n}")
                == "test.json5:2:3: rateLimit: `rateLimit` is not available in this version; remove it")
    }

    @Test func `a group that is set as one names its keys`() {
        #expect(
            complaint(environment: ["IMAGESTORE_LOG": "debug"], set: ["freshness=5", "signing=s3cret"]) == """
                environment IMAGESTORE_LOG: log: wrong type
                    found:    "debug"
                    expected: an object {level, access, file, sample, queries}; its keys are set one by one: \
                IMAGESTORE_LOG__LEVEL=…
                --set: freshness: wrong type
                    found:    "5"
                    expected: an object {mode, defaultTTL, minTTL, maxTTL, staleWhileRevalidate, staleIfError, \
                keepStale, redirectTTL, honorClientDirectives, maxVariants}; its keys are set one by one: \
                freshness.mode=…
                --set: signing: `signing` is not available in this version; remove it
                """)
    }

    @Test func `a host beyond ASCII is told its other form`() {
        #expect(
            complaint("{allowedHosts: ['a.com', '♥.localhost']}") == """
                test.json5:1:26: allowedHosts[1]: bad value
                    found:    "♥.localhost"
                    expected: the host in ASCII, each part of it that is beyond ASCII in its xn-- form: \
                "xn--bcher-kva.example" for "bücher.example"
                """)
        #expect(complaint("{allowedHosts: ['xn--g6h.localhost']}").isEmpty)
    }

    @Test func `a port that no URL may name is refused`() {
        #expect(
            complaint("{allowedPorts: [80, 25]}") == """
                test.json5:1:21: allowedPorts[1]: bad value
                    found:    25, which the Fetch standard blocks in every URL
                    expected: a port that it does not block
                """)
    }

    @Test func `a list of content types is not empty`() {
        let block = "contentTypes: bad value\n    found:    an empty list\n    expected: at least one"
        #expect(complaint("{contentTypes: []}") == "test.json5:1:16: \(block)")
        #expect(complaint(set: ["contentTypes="]) == "--set: \(block)")
    }

    @Test func `an open proxy is refused`() {
        let expected = """
            test.json5:1:10: listen: contradiction
                found:    0.0.0.0:80 is beyond loopback: an open proxy for all who reach it
                expected: allowedHosts or openProxy: true; or a loopback address
            """
        #expect(complaint("{listen: '0.0.0.0:80'}") == expected)
        #expect(complaint("{listen: ['127.0.0.1:81', '0.0.0.0:80']}") == expected)
        #expect(complaint("{listen: '0.0.0.0:80', openProxy: true}").isEmpty)
        #expect(complaint("{listen: '0.0.0.0:80', allowedHosts: ['a.com']}").isEmpty)
        #expect(complaint("{listen: ['[::1]:80', 'unix:/s']}").isEmpty)
    }

    @Test(arguments: [
        ("{adminListen: '0.0.0.0:81'}", "adminListen", "0.0.0.0:81 is beyond loopback"),
        ("{listen: '127.0.0.1:8081'}", "listen", "127.0.0.1:8081 twice"),
        ("{adminListen: '127.0.0.1:8080'}", "adminListen", "127.0.0.1:8080 twice"),
        ("{listen: ['127.0.0.1:1', '127.0.0.1:1']}", "listen", "127.0.0.1:1 twice"),
        (
            "{listen: ['127.0.0.1:1', '0.0.0.0:1'], openProxy: true}", "listen",
            "127.0.0.1:1 and 0.0.0.0:1, one part of the other"
        ),
        (
            "{allowedHosts: ['*.A.b'], deniedHosts: ['x', '*.a.b.']}", "deniedHosts",
            "*.a.b in both allowedHosts and deniedHosts"
        ),
        (
            "{contentTypes: ['image/svg+xml'], allowSVG: false}", "contentTypes",
            "contentTypes image/svg+xml alone, allowSVG false"
        ),
        ("{freshness: {minTTL: '2s', maxTTL: '1s'}}", "freshness.minTTL", "minTTL 2s, maxTTL 1s"),
        ("{freshness: {minTTL: '400d'}}", "freshness.minTTL", "minTTL 400d, maxTTL 365d"),
        ("{maxDownloadSize: '1GB'}", "maxDownloadSize", "maxDownloadSize 1GB, inFlightLimit 128MB"),
        ("{inFlightLimit: 5}", "inFlightLimit", "maxDownloadSize 2MB, inFlightLimit 5"),
        ("{addHeaders: {'Content-Length': '1'}}", "addHeaders", "Content-Length"),
        (
            "{hostOverrides: [{host: 'a.b', address: '::1'}, {host: 'A.b.', address: '::2'}]}", "hostOverrides",
            "a.b twice"
        ),
    ])
    func `options that clash are a contradiction`(text: String, key: String, found: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try load(text) }
        let problem = try #require(error?.problems.first)
        #expect(error?.problems.count == 1)
        #expect(problem.summary == "contradiction")
        #expect(problem.key == key)
        #expect(problem.found == found)
    }

    @Test func `listeners on port 0, and those of IPv4 and IPv6, do not clash`() {
        #expect(complaint("{listen: '127.0.0.1:0', adminListen: '127.0.0.1:0'}").isEmpty)
        #expect(complaint("{listen: ['0.0.0.0:1', '[::]:1'], adminListen: '127.0.0.1:2', openProxy: true}").isEmpty)
    }

    @Test func `a wider pattern in the other list of hosts has its use`() {
        #expect(complaint("{allowedHosts: ['*.a.b'], deniedHosts: ['x.a.b', 'a.b']}").isEmpty)
        #expect(complaint("{allowedHosts: ['x.a.b'], deniedHosts: ['*.a.b']}").isEmpty)
    }

    @Test func `a bad value is not judged against others`() {
        #expect(complaint("{maxDownloadSize: '1GB', inFlightLimit: 'x'}").split(separator: "\n").count == 3)
    }
}
