/// What is wrong with the head of a response.
///
/// libcurl takes most of these; we do not, because a head that two parsers read differently is how responses are
/// smuggled and caches poisoned.
public enum ResponseHeadFault: String, Error, Hashable, Sendable, CaseIterable {
    /// The connection ended before the empty line.
    case cut
    /// All lines together are longer than the limit.
    case tooLarge = "too-large"
    /// The first line is no status line of HTTP/1.0 or 1.1, or on a connection that speaks HTTP/2 none of that.
    case badStatusLine = "bad-status-line"
    /// A line does not end with CRLF, or a CR or LF stands inside.
    case bareLineBreak = "bare-line-break"
    /// A control byte stands in a value.
    case controlByte = "control-byte"
    /// A line begins with white space: an obsolete folded value.
    case foldedLine = "folded-line"
    /// A line has no colon, or no token before it.
    case badFieldName = "bad-field-name"
    /// A `Content-Length` is not a number that fits.
    case badContentLength = "bad-content-length"
    /// Two `Content-Length`s differ.
    case conflictingContentLengths = "conflicting-content-lengths"
    /// A transfer coding comes with a `Content-Length`.
    case lengthAndTransferCoding = "length-and-transfer-coding"
    /// A transfer coding other than one `chunked`, or one where none may be.
    case badTransferCoding = "bad-transfer-coding"
}
