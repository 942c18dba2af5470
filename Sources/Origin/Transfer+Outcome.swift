import CCurl

/// What libcurl's verdict on a hop means to us.
extension Transfer {
    /// Maps the code of a transfer that has ended; nil is success.
    func failure(for code: CURLcode) -> TransferFailure? {
        if progress.isDropped { return .dropped }
        if let fault = progress.fault { return .failed(.broken("head: \(fault.rawValue)")) }
        switch code {
        case CURLE_OK:
            return headOrLengthFailure()
        case CURLE_COULDNT_CONNECT, CURLE_ABORTED_BY_CALLBACK, CURLE_INTERFACE_FAILED:
            return .failed(connectFailure())
        case CURLE_OPERATION_TIMEDOUT:
            return .failed(.connectTimeout)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return .failed(.tls(OriginError.certificatePrefix + text(code)))
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT,
            CURLE_SSL_CRL_BADFILE, CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED:
            return .failed(.tls("handshake: " + text(code)))
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_COULDNT_RESOLVE_HOST:
            // COULDNT_RESOLVE_HOST: a kept connection died so late that libcurl had forgotten the address.
            return .failed(progress.hasLine ? brokenConnection(code) : .closedEarly(errno: systemErrno))
        case CURLE_PARTIAL_FILE:
            return .failed(.broken(OriginError.cutBody))
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_NOT_BUILT_IN,
            CURLE_UNKNOWN_OPTION:
            return .failed(.internalFailure(function: "libcurl: " + text(code), code: Int32(bitPattern: code.rawValue)))
        default:
            return .failed(.broken(text(code)))
        }
    }

    /// libcurl takes some heads for whole that are not; lengths are counted twice.
    ///
    /// And it takes the end of the connection for the end of TLS, though anyone on the way can bring that about.
    ///
    /// Source: RFC 9112, section 9.8.
    private func headOrLengthFailure() -> TransferFailure? {
        guard let head = progress.head else {
            let fault = headCheck.end() ?? .cut
            return .failed(.broken("head: \(fault.rawValue)"))
        }
        if case .length(let length) = head.framing, progress.bodyBytes != length {
            return .failed(.broken(OriginError.cutBody))
        }
        return progress.awaitsTLSEnd ? .failed(.broken(OriginError.cutBody)) : nil
    }

    /// A name whose allowed addresses all failed is unreachable; one with nothing but refused addresses is not allowed.
    private func connectFailure() -> OriginError {
        if let refusal = progress.refusal, progress.openedSockets == 0 { return .notAllowed(refusal) }
        return .unreachable(errno: progress.openedSockets == 0 ? progress.socketErrno : systemErrno)
    }

    private func brokenConnection(_ code: CURLcode) -> OriginError {
        .broken(progress.head == nil ? "head: \(ResponseHeadFault.cut.rawValue)" : OriginError.cutBody)
    }

    /// The last `errno` that libcurl saw on this hop.
    private var systemErrno: Int32 {
        var value = 0
        let code = unsafe ccurl_get_long(easy, CURLINFO_OS_ERRNO, &value)
        return code == CURLE_OK ? Int32(clamping: value) : 0
    }

    /// How many connections libcurl opened for this hop; 0 when it used a kept one.
    var connectionsOpened: Int {
        var value = 0
        let code = unsafe ccurl_get_long(easy, CURLINFO_NUM_CONNECTS, &value)
        return code == CURLE_OK ? value : 0
    }

    /// libcurl's words, for the log: what it wrote about this hop, else the name of the code.
    private func text(_ code: CURLcode) -> String {
        let detail = unsafe String(cString: errorText)
        guard detail.isEmpty, let name = unsafe curl_easy_strerror(code) else { return detail }
        return unsafe String(cString: name)
    }
}
