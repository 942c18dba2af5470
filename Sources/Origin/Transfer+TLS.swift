import CCurl

/// What libssl knows of the connection that a hop has at the moment; to be asked from inside libcurl's callbacks only.
extension Transfer {
    /// Whether frames of HTTP/2 travel on the connection; without TLS they never do.
    var speaksHTTP2: Bool {
        guard let session = unsafe session else { return false }
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        unsafe SSL_get0_alpn_selected(session, &name, &length)
        let protocolName = unsafe UnsafeBufferPointer(start: name, count: Int(length))
        return unsafe protocolName.elementsEqual("h2".utf8)
    }

    /// Whether libssl has read bytes that libcurl has not taken yet.
    var hasUnreadTLSBytes: Bool {
        guard let session = unsafe session else { return false }
        return unsafe SSL_has_pending(session) != 0
    }

    /// Whether the other side has said that it has no more to say (`close_notify`).
    var hasTLSEnd: Bool {
        guard let session = unsafe session else { return false }
        return unsafe SSL_get_shutdown(session) & ccurl_tls_received_shutdown() != 0
    }

    /// Whether the connection is under TLS.
    var isUnderTLS: Bool { unsafe session != nil }

    /// The session; nil without TLS.
    @unsafe
    private var session: OpaquePointer? {
        var info: UnsafeMutablePointer<curl_tlssessioninfo>?
        guard unsafe ccurl_get_tls(easy, &info) == CURLE_OK, let info = unsafe info,
            unsafe info.pointee.backend == CURLSSLBACKEND_OPENSSL
        else { return nil }
        return unsafe OpaquePointer(info.pointee.internals)
    }
}
