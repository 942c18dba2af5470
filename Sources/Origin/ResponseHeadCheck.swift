import HTTPMessages

/// How the end of a response's body is found.
public enum ResponseFraming: Hashable, Sendable {
    /// No body, whatever the fields say.
    case none
    /// That many bytes.
    case length(UInt64)
    /// Until the last chunk.
    case chunked
    /// Until the connection closes, or in HTTP/2 the stream ends.
    case close
}

/// A head that every parser reads alike.
public struct CheckedHead: Hashable, Sendable {
    /// The final status, or 101, which nobody asked for.
    public let status: Status
    /// All fields; `Content-Length`, when there is one, stands there once and in decimal.
    public let fields: Fields
    /// How the body ends.
    public let framing: ResponseFraming
}

/// What one more line of a head means.
public enum ResponseHeadEvent: Hashable, Sendable {
    /// The head goes on.
    case needMore
    /// The empty line of an interim response (1xx); another head follows.
    case interim(Status)
    /// The empty line: the head is complete and sound.
    case head(CheckedHead)
    /// A trailer, after the body; ignored.
    case trailer
    /// The head is broken; so is whatever follows on this connection.
    case broken(ResponseHeadFault)
}

/// Checks the head of a response line by line, as libcurl's header callback delivers it, line ends included.
///
/// States: *status line* (nothing yet, or an interim head has ended) → *fields* → *complete* (only trailers come) ;
/// from the first two also → *broken*, which stays. `end()` says what a closed connection means in each.
///
/// Source: RFC 9112, sections 2.2, 4, 5 and 6; RFC 9110, sections 5.5 and 8.6.
public struct ResponseHeadCheck: Sendable {
    private enum State: Sendable {
        case statusLine
        case fields
        case complete
        case broken(ResponseHeadFault)
    }

    private let maxHeadBytes: Int
    private let isHTTP2: Bool
    private var state = State.statusLine
    private var bytesSeen = 0
    private var statusLine: ResponseStatusLine?
    private var fields = Fields()

    /// Makes a check for one response; interim heads count towards the same limit.
    ///
    /// - Parameter isHTTP2: whether the connection speaks HTTP/2; the status line must say so, and only then.
    public init(maxHeadBytes: Int = 65536, isHTTP2: Bool = false) {
        self.maxHeadBytes = maxHeadBytes
        self.isHTTP2 = isHTTP2
    }

    /// Takes the next raw line.
    public mutating func line(_ raw: Span<UInt8>) -> ResponseHeadEvent {
        do {
            return try take(raw)
        } catch {
            state = .broken(error)
            return .broken(error)
        }
    }

    /// Says what is wrong when no more lines will come; nil when the head was complete.
    public func end() -> ResponseHeadFault? {
        switch state {
        case .statusLine, .fields: .cut
        case .complete: nil
        case .broken(let fault): fault
        }
    }

    private mutating func take(_ raw: Span<UInt8>) throws(ResponseHeadFault) -> ResponseHeadEvent {
        switch state {
        case .complete: return .trailer
        case .broken(let fault): throw fault
        case .statusLine, .fields: break
        }
        bytesSeen += raw.count
        guard bytesSeen <= maxHeadBytes else { throw .tooLarge }
        let content = try contentRange(of: raw)
        guard let current = statusLine else {
            let line = try ResponseStatusLine(raw.extracting(content))
            guard line.isFramed == isHTTP2 else { throw .badStatusLine }
            statusLine = line
            state = .fields
            return .needMore
        }
        if content.isEmpty { return try finishHead(current) }
        try takeField(raw.extracting(content))
        return .needMore
    }

    /// The line without its CRLF, free of control bytes.
    private func contentRange(of raw: Span<UInt8>) throws(ResponseHeadFault) -> Range<Int> {
        let end = raw.count - 2
        guard end >= 0, raw[end] == UInt8(ascii: "\r"), raw[end + 1] == UInt8(ascii: "\n") else {
            throw raw.count > 0 && raw[raw.count - 1] == UInt8(ascii: "\n") ? .bareLineBreak : .cut
        }
        for index in 0..<end {
            switch raw[index] {
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"): throw .bareLineBreak
            case UInt8(ascii: "\t"): continue
            case 0..<0x20, 0x7F: throw .controlByte
            default: continue
            }
        }
        return 0..<end
    }

    private mutating func takeField(_ line: Span<UInt8>) throws(ResponseHeadFault) {
        guard line[0] != UInt8(ascii: " "), line[0] != UInt8(ascii: "\t") else { throw .foldedLine }
        var colon = 0
        while colon < line.count, line[colon] != UInt8(ascii: ":") { colon += 1 }
        guard colon < line.count,
            fields.append(received: line.extracting(0..<colon), line.extracting((colon + 1)..<line.count))
        else { throw .badFieldName }
    }

    private mutating func finishHead(_ line: ResponseStatusLine) throws(ResponseHeadFault) -> ResponseHeadEvent {
        let framing = try ResponseFraming(statusLine: line, fields: &fields)
        let head = CheckedHead(status: line.status, fields: fields, framing: framing)
        fields = Fields()
        statusLine = nil
        // 101 hands the connection to a protocol that nobody asked for: final, and for the caller to refuse.
        if line.status.isInformational, line.status.code != 101 {
            state = .statusLine
            return .interim(line.status)
        }
        state = .complete
        return .head(head)
    }
}
