/// The versions of HTTP/1 that change how a message is read.
///
/// Source: RFC 9112 §2.3.
public enum HTTPVersion: UInt8, Sendable, BitwiseCopyable {
    /// HTTP/1.0: no chunked bodies, and a connection closes unless both sides ask otherwise.
    case http10
    /// HTTP/1.1, and every later minor version of 1, which a recipient treats as 1.1.
    case http11
}
