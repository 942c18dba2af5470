import CCurl
import EventLoops

/// The options that hold for every hop.
extension Transfer {
    /// Large enough for most images in two reads.
    ///
    /// libcurl allocates it anew for each transfer: it stays below the 32 KB from which on this process maps memory, since
    /// a map, its page faults and its removal cost more than a second read.
    private static let bufferBytes = 30 * 1024
    /// libcurl's copy of a request under TLS; the least that it takes, for the same reason.
    private static let uploadBufferBytes = 16 * 1024
    /// How long libcurl keeps a name's addresses, which are loaded anew for each hop.
    ///
    /// Long enough for its second try when a kept connection turned out dead.
    private static let nameCacheSeconds = 5
    /// Idle connections older than this are not used again; most origins close after 60 to 75 seconds.
    private static let maxIdleSeconds = 55

    func setFixedOptions(_ settings: OriginSettings) throws(OriginSetupError) {
        try setProtocolOptions(settings)
        try setNetworkOptions(settings)
        try setTrustOptions(settings)
        try setCallbacks()
    }

    private func setProtocolOptions(_ settings: OriginSettings) throws(OriginSetupError) {
        try setString(CURLOPT_PROTOCOLS_STR, Array("http,https".utf8))
        try setString(CURLOPT_REDIR_PROTOCOLS_STR, Array("http,https".utf8))
        try setLong(CURLOPT_FOLLOWLOCATION, 0)
        try setLong(CURLOPT_HTTPGET, 1)
        try setLong(CURLOPT_PATH_AS_IS, 1)
        try setLong(CURLOPT_HTTP09_ALLOWED, 0)
        try setLong(CURLOPT_HTTP_CONTENT_DECODING, 0)
        try setLong(CURLOPT_HTTP_VERSION, settings.http2 ? ccurl_version_http_2_over_tls() : ccurl_version_http_1_1())
        try setString(CURLOPT_USERAGENT, Array(settings.userAgent.utf8))
    }

    private func setNetworkOptions(_ settings: OriginSettings) throws(OriginSetupError) {
        // Neither the environment nor a .netrc has a say.
        try setString(CURLOPT_PROXY, [])
        try setString(CURLOPT_NOPROXY, Array("*".utf8))
        try setLong(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        try setLong(CURLOPT_NOSIGNAL, 1)
        try setLong(CURLOPT_QUICK_EXIT, 1)
        try setLong(CURLOPT_TCP_NODELAY, 1)
        try setLong(CURLOPT_BUFFERSIZE, Self.bufferBytes)
        try setLong(CURLOPT_UPLOAD_BUFFERSIZE, Self.uploadBufferBytes)
        try setLong(CURLOPT_DNS_CACHE_TIMEOUT, Self.nameCacheSeconds)
        try setLong(CURLOPT_MAXAGE_CONN, Self.maxIdleSeconds)
        try setLong(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Ours is the clock that counts; libcurl divides its own among the addresses of a name.
        let milliseconds = settings.connectTimeout.wholeNanoseconds / 1_000_000
        try setLong(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, min(milliseconds, Int64(Int32.max)))))
        try setLong(CURLOPT_TIMEOUT_MS, 0)
    }

    private func setTrustOptions(_ settings: OriginSettings) throws(OriginSetupError) {
        try setLong(CURLOPT_SSL_VERIFYPEER, 1)
        try setLong(CURLOPT_SSL_VERIFYHOST, 2)
        try setLong(CURLOPT_SSLVERSION, ccurl_tls_1_2())
        guard settings.caFile != nil || settings.caPath != nil else { return }
        // Both are set: a source that is not named must not go on trusting the system's certificates.
        try setString(CURLOPT_CAINFO, settings.caFile.map { Array($0.utf8) })
        try setString(CURLOPT_CAPATH, settings.caPath.map { Array($0.utf8) })
    }

    private func setCallbacks() throws(OriginSetupError) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        try unsafe setPointer(CURLOPT_ERRORBUFFER, errorText)
        try unsafe setPointer(CURLOPT_WRITEDATA, context)
        try unsafe setPointer(CURLOPT_HEADERDATA, context)
        try unsafe setPointer(CURLOPT_OPENSOCKETDATA, context)
        try unsafe setPointer(CURLOPT_PREREQDATA, context)
        try unsafe setPointer(CURLOPT_XFERINFODATA, context)
        try setLong(CURLOPT_NOPROGRESS, 0)
        try unsafe setPointer(CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(sockets).toOpaque())
        try unsafe setPointer(CURLOPT_RESOLVER_START_DATA, context)
        try check(unsafe ccurl_set_write_function(easy, CURLOPT_WRITEFUNCTION, transferBytesReceived))
        try check(unsafe ccurl_set_write_function(easy, CURLOPT_HEADERFUNCTION, transferLineReceived))
        try check(unsafe ccurl_set_open_socket_function(easy, transferOpensSocket))
        try check(unsafe ccurl_set_close_socket_function(easy, connectionClosesSocket))
        try check(unsafe ccurl_set_progress_function(easy, transferProgressed))
        try check(unsafe ccurl_set_prerequest_function(easy, transferWritesRequest))
        try check(unsafe ccurl_set_resolver_start_function(easy, transferResolves))
    }

    // MARK: One function per type of value

    func setLong(_ option: CURLoption, _ value: Int) throws(OriginSetupError) {
        try check(unsafe ccurl_set_long(easy, option, value), option)
    }

    func setString(_ option: CURLoption, _ text: [UInt8]?) throws(OriginSetupError) {
        guard let text else {
            try check(unsafe ccurl_set_string(easy, option, nil), option)
            return
        }
        try check(unsafe TerminatedText(text).withPointer { unsafe ccurl_set_string(easy, option, $0) }, option)
    }

    @unsafe
    func setList(_ option: CURLoption, _ list: UnsafeMutablePointer<curl_slist>?) throws(OriginSetupError) {
        try check(unsafe ccurl_set_list(easy, option, list), option)
    }

    @unsafe
    private func setPointer(_ option: CURLoption, _ pointer: UnsafeMutableRawPointer) throws(OriginSetupError) {
        try check(unsafe ccurl_set_pointer(easy, option, pointer), option)
    }

    private func check(_ code: CURLcode, _ option: CURLoption? = nil) throws(OriginSetupError) {
        // The text is for a failure alone: options are set for each hop.
        guard code != CURLE_OK else { return }
        try LibrarySetup.check(code, option.map { "curl_easy_setopt(\($0.rawValue))" } ?? "curl_easy_setopt")
    }
}
