import CSystem
import Glibc

/// The socket calls of this target: each retries on EINTR, and "not now" is a value, not an error.
enum SystemCalls {
    /// What a call on a non-blocking descriptor came to.
    enum Outcome: Equatable {
        /// It succeeded: bytes moved or, for `accept`, the new descriptor.
        case done(Int)
        /// Nothing can be done now; readiness will tell.
        case wouldBlock
        /// It failed for good; the `errno`.
        case failed(Int32)
    }

    @inline(__always)
    private static func retrying(_ call: () -> Int) -> Outcome {
        while true {
            let result = call()
            if result >= 0 { return .done(result) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            case EBADF: preconditionFailure("a closed descriptor was used: look for its owner")
            case let code: return .failed(code)
            }
        }
    }

    /// Reads what is there, as far as it fits; `done(0)` is the peer's end.
    ///
    /// Source: recv(2).
    @inline(__always)
    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        retrying { unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }

    /// Sends several pieces by one call, maybe not all of them; a peer that has gone raises no SIGPIPE.
    ///
    /// - Parameter hasMore: whether more follows at once, so that the kernel need not send a packet that is not full.
    ///
    /// Source: sendmsg(2).
    @inline(__always)
    static func send(
        _ descriptor: Int32, _ vectors: UnsafeMutablePointer<iovec>, count: Int, hasMore: Bool = false
    ) -> Outcome {
        var message = unsafe msghdr()
        unsafe message.msg_iov = vectors
        unsafe message.msg_iovlen = count
        let flags = Int32(MSG_NOSIGNAL) | (hasMore ? Int32(MSG_MORE) : 0)
        return retrying { unsafe sendmsg(descriptor, &message, flags) }
    }

    /// Sends bytes of a file, maybe not all of them; `done(0)` says that the file has none there.
    ///
    /// A peer that has gone would raise SIGPIPE where that is not ignored.
    ///
    /// Source: sendfile(2).
    static func sendFile(_ descriptor: Int32, _ file: Int32, at offset: Int, count: Int) -> Outcome {
        var position = off_t(offset)
        return retrying { unsafe sendfile(descriptor, file, &position, count) }
    }

    /// Accepts one connection; its descriptor does not block and is closed on exec.
    ///
    /// Source: accept4(2).
    static func accept(_ descriptor: Int32) -> Outcome {
        retrying { Int(csystem_accept(descriptor)) }
    }

    /// Sets an integer option, by default to "on".
    ///
    /// Source: setsockopt(2).
    static func setOption(_ descriptor: Int32, level: Int32, name: Int32, value: Int32 = 1) {
        var value = value
        // An option that cannot be set costs speed or comfort, never correctness.
        _ = unsafe setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Makes the close that follows send a reset, so that the peer cannot take what it got for the whole.
    static func resetOnClose(_ descriptor: Int32) {
        var value = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }
}
