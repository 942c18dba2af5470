import CCurl
import Glibc
import HTTPMessages

/// What libcurl asks and tells while a hop runs.
extension Transfer {
    /// Takes raw lines of a head, or of the trailers, and returns whether to go on.
    ///
    /// It is one line at a time, but for a transfer that was paused before its head: what came meanwhile is handed over
    /// in one piece.
    fileprivate func linesReceived(_ lines: Span<UInt8>) -> Bool {
        var start = 0
        for index in lines.indices where lines[index] == UInt8(ascii: "\n") {
            guard lineReceived(lines.extracting(start..<(index + 1))) else { return false }
            start = index + 1
        }
        return start == lines.count || lineReceived(lines.extracting(start..<lines.count))
    }

    /// Takes one raw line.
    private func lineReceived(_ line: Span<UInt8>) -> Bool {
        guard let owner else { return false }
        progress.hasLine = true
        switch headCheck.line(line) {
        case .needMore, .interim, .trailer:
            return true
        case .broken(let fault):
            progress.fault = fault
            return false
        case .head(let head):
            // Nobody asked for another protocol.
            guard head.status.code != 101 else {
                progress.fault = .badStatusLine
                return false
            }
            progress.head = head
            if case .close = head.framing { progress.awaitsTLSEnd = isUnderTLS && !speaksHTTP2 }
            return goesOn(owner.transfer(self, received: head))
        }
    }

    /// Takes bytes of the body and returns how many were taken, or libcurl's word for a pause.
    fileprivate func bytesReceived(_ bytes: Span<UInt8>) -> Int {
        guard let owner, progress.head != nil else { return 0 }
        // libcurl may read on for a while before it is paused from outside; it keeps these bytes and offers them again.
        guard !isPaused else { return ccurl_write_pause() }
        progress.bodyBytes += UInt64(bytes.count)
        return goesOn(owner.transfer(self, received: bytes)) ? bytes.count : 0
    }

    /// Notes the end of TLS; the last chance is libcurl's last report, when the connection is still there.
    fileprivate func progressed() {
        if progress.awaitsTLSEnd, hasTLSEnd { progress.awaitsTLSEnd = false }
    }

    private func goesOn(_ verdict: TransferVerdict) -> Bool {
        switch verdict {
        case .more: return true
        case .enough:
            progress.isDropped = true
            return false
        }
    }

    /// Judges the connection, which may be a kept one, and returns whether to go on.
    ///
    /// Whatever can be read from a kept connection now was sent before we asked, and would be taken for our answer.
    /// HTTP/2 numbers its answers.
    ///
    /// Source: RFC 9112, section 9.2.
    fileprivate func connected(peer: IPAddress?, port: UInt16, local: IPAddress?, localPort: UInt16) -> Bool {
        guard let peer, let owner, isAllowed(peer, port: port) else { return false }
        let isHTTP2 = speaksHTTP2
        if connectionsOpened == 0, !isHTTP2, !isQuiet(peer: peer, port: port, local: local, localPort: localPort) {
            progress.isSpoilt = true
            return false
        }
        headCheck = ResponseHeadCheck(maxHeadBytes: maxHeadBytes, isHTTP2: isHTTP2)
        owner.transferConnected(self)
        return true
    }

    private func isQuiet(peer: IPAddress, port: UInt16, local: IPAddress?, localPort: UInt16) -> Bool {
        guard let local, !hasUnreadTLSBytes else { return false }
        return sockets.isQuiet(
            KeptSockets.Ends(local: local, localPort: localPort, peer: peer, peerPort: port))
    }

    /// Judges the address that libcurl is about to connect to, and opens the socket.
    fileprivate func openSocket(_ address: IPAddress?, port: UInt16, _ family: Int32, _ type: Int32, _ number: Int32)
        -> Int32
    {
        guard let address, isAllowed(address, port: port) else { return -1 }
        let descriptor = socket(family, type | Int32(SOCK_CLOEXEC.rawValue), number)
        if descriptor < 0 {
            progress.socketErrno = errno
        } else {
            progress.openedSockets += 1
            sockets.opened(descriptor)
        }
        return descriptor
    }

    private func isAllowed(_ address: IPAddress, port: UInt16) -> Bool {
        switch policy.judge(address, port: port) {
        case .allowed: return true
        case .refused(let rule):
            progress.refusal = rule
            return false
        }
    }

    /// The transfer whose callback runs.
    fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }
}

/// `CURLOPT_WRITEFUNCTION`.
func transferBytesReceived(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let transfer = unsafe Transfer.from(context), let bytes = unsafe bytes else { return 0 }
    let raw = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe transfer.bytesReceived(Span(_unsafeBytes: raw))
}

/// `CURLOPT_HEADERFUNCTION`.
func transferLineReceived(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let transfer = unsafe Transfer.from(context), let bytes = unsafe bytes else { return 0 }
    let raw = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe transfer.linesReceived(Span(_unsafeBytes: raw)) ? size * count : 0
}

/// `CURLOPT_XFERINFOFUNCTION`.
func transferProgressed(
    _ context: UnsafeMutableRawPointer?, _ toReceive: curl_off_t, _ received: curl_off_t, _ toSend: curl_off_t,
    _ sent: curl_off_t
) -> Int32 {
    unsafe Transfer.from(context)?.progressed()
    return 0
}

/// `CURLOPT_OPENSOCKETFUNCTION`.
func transferOpensSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ socket: UnsafeMutablePointer<curl_sockaddr>?
) -> Int32 {
    guard let transfer = unsafe Transfer.from(context), let socket = unsafe socket,
        let address = unsafe ccurl_address(socket)
    else { return -1 }
    return unsafe transfer.openSocket(
        IPAddress(address), port: IPAddress.port(of: address),
        socket.pointee.family, socket.pointee.socktype, socket.pointee.protocol)
}

/// `CURLOPT_CLOSESOCKETFUNCTION`, whose context is that of the connection and not of a transfer.
func connectionClosesSocket(_ context: UnsafeMutableRawPointer?, _ descriptor: Int32) -> Int32 {
    guard let context = unsafe context else { return 1 }
    return unsafe Unmanaged<KeptSockets>.fromOpaque(context).takeUnretainedValue().close(descriptor)
}

/// `CURLOPT_PREREQFUNCTION`.
func transferWritesRequest(
    _ context: UnsafeMutableRawPointer?, _ peer: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
    _ peerPort: Int32, _ localPort: Int32
) -> Int32 {
    guard let transfer = unsafe Transfer.from(context), let peer = unsafe peer, let local = unsafe local
    else { return CURL_PREREQFUNC_ABORT }
    let goesOn = unsafe transfer.connected(
        peer: IPAddress(String(cString: peer)), port: UInt16(clamping: peerPort),
        local: IPAddress(String(cString: local)), localPort: UInt16(clamping: localPort))
    return goesOn ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// `CURLOPT_RESOLVER_START_FUNCTION`: libcurl never looks a name up itself, it would do so in a thread and block.
func transferResolves(
    _ state: UnsafeMutableRawPointer?, _ reserved: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let transfer = unsafe Transfer.from(context) else { return 1 }
    return transfer.progress.isLiteral ? 0 : 1
}
