/// Why a request head was not accepted; after any of these the connection cannot be read further.
public enum RequestParseError: Error, Hashable, Sendable {
    /// The method is empty, holds an octet that is no token, or is not followed by one space.
    case badMethod(offset: Int)
    /// The method is longer than any we know (RFC 9112 §3: 501).
    case methodTooLong(limit: Int)
    /// The target is empty, or holds a control octet or a stray space.
    case badTarget(offset: Int)
    /// The target is longer than the limit.
    case targetTooLong(limit: Int)
    /// The third part of the request line is not `HTTP/` digit `.` digit and CRLF.
    case badVersion(offset: Int)
    /// The version is well-formed, but its major version is not 1.
    case versionNotSupported(major: UInt8)
    /// The head without its target is longer than the limit.
    case headTooLarge(limit: Int)
    /// A CR without an LF behind it (RFC 9112 §2.2).
    case bareCarriageReturn(offset: Int)
    /// An LF without a CR before it; we do not use the leniency of RFC 9112 §2.2.
    case bareLineFeed(offset: Int)
    /// A line begins with white space: an obsolete fold, or white space after the request line (RFC 9112 §5.2, §2.2).
    case foldedLine(offset: Int)
    /// A field name is empty, not a token, or followed by white space (RFC 9112 §5.1).
    case badFieldName(offset: Int)
    /// A field value holds a control octet (RFC 9110 §5.5).
    case badFieldValue(offset: Int)
    /// An HTTP/1.1 request without `Host` (RFC 9112 §3.2).
    case missingHost
    /// More than one `Host` (RFC 9112 §3.2).
    case repeatedHost
    /// A `Host` that is not a host with an optional port (RFC 9112 §3.2).
    case badHost
    /// A `Content-Length` that is not a number, or does not fit 64 bits (RFC 9112 §6.3).
    case badContentLength
    /// More than one `Content-Length` line.
    case repeatedContentLength
    /// `Content-Length` together with `Transfer-Encoding` (RFC 9112 §6.3).
    case lengthAndTransferCoding
    /// `Transfer-Encoding` is empty, repeated, or `chunked` is not its last coding (RFC 9112 §6.3).
    case badTransferCoding
    /// A transfer coding other than `chunked` (RFC 9112 §6.1: 501).
    case transferCodingNotSupported
    /// `Transfer-Encoding` in HTTP/1.0, whose framing is faulty by definition (RFC 9112 §6.1).
    case transferCodingInHTTP10

    /// The classes of failure that a client can tell apart.
    public enum Kind: Hashable, Sendable {
        /// The head breaks the grammar or frames its body ambiguously: 400.
        case badRequest
        /// The target is too long: 414.
        case targetTooLong
        /// The head is too long: 431.
        case headTooLarge
        /// The head asks for a method or coding that we lack: 501.
        case notImplemented
        /// The head is of another version of HTTP: 505.
        case versionNotSupported
    }

    /// The class of the failure.
    public var kind: Kind {
        switch self {
        case .targetTooLong: .targetTooLong
        case .headTooLarge: .headTooLarge
        case .methodTooLong, .transferCodingNotSupported: .notImplemented
        case .versionNotSupported: .versionNotSupported
        case .badMethod, .badTarget, .badVersion, .bareCarriageReturn, .bareLineFeed, .foldedLine, .badFieldName,
            .badFieldValue, .missingHost, .repeatedHost, .badHost, .badContentLength, .repeatedContentLength,
            .lengthAndTransferCoding, .badTransferCoding, .transferCodingInHTTP10:
            .badRequest
        }
    }

    /// The status to answer with, before the connection is closed.
    public var status: Status {
        switch kind {
        case .badRequest: .badRequest
        case .targetTooLong: .uriTooLong
        case .headTooLarge: .headerFieldsTooLarge
        case .notImplemented: .notImplemented
        case .versionNotSupported: .versionNotSupported
        }
    }
}

extension RequestParseError: CustomStringConvertible {
    /// One sentence for the client; it repeats nothing of what was received.
    public var description: String {
        switch self {
        case .badMethod: "The request line does not begin with a method and one space."
        case .methodTooLong(let limit): "The method is longer than \(limit) bytes."
        case .badTarget: "The request target is empty or holds a space or control byte; percent-encode it."
        case .targetTooLong(let limit): "The request target is longer than \(limit) bytes."
        case .badVersion: "The request line does not end with HTTP/1.1 and CRLF."
        case .versionNotSupported: "Only HTTP/1.1 and HTTP/1.0 are spoken here."
        case .headTooLarge(let limit): "The request head is longer than \(limit) bytes."
        case .bareCarriageReturn: "A carriage return stands without a line feed."
        case .bareLineFeed: "A line ends without a carriage return."
        case .foldedLine: "A header line begins with white space."
        case .badFieldName: "A header field name is empty, malformed or followed by white space."
        case .badFieldValue: "A header field value holds a control byte."
        case .missingHost: "An HTTP/1.1 request needs a Host field."
        case .repeatedHost: "The Host field is repeated."
        case .badHost: "The Host field is not a host with an optional port."
        case .badContentLength: "Content-Length is not one decimal number."
        case .repeatedContentLength: "Content-Length is repeated."
        case .lengthAndTransferCoding: "Content-Length and Transfer-Encoding exclude each other."
        case .badTransferCoding: "Transfer-Encoding must be chunked, once."
        case .transferCodingNotSupported: "The only transfer coding spoken here is chunked."
        case .transferCodingInHTTP10: "HTTP/1.0 has no Transfer-Encoding."
        }
    }
}
