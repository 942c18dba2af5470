/// The sizes that a request head must stay within.
public struct RequestLimits: Hashable, Sendable {
    /// The longest head, not counting its target, in bytes.
    ///
    /// The target has its own limit, so that a long one is told apart (414) from too many fields (431).
    public var maxHeaderSize: Int
    /// The longest request target, in bytes.
    public var maxTargetLength: Int

    /// Makes limits; the defaults are those of the configuration.
    public init(maxHeaderSize: Int = 8192, maxTargetLength: Int = 8192) {
        self.maxHeaderSize = maxHeaderSize
        self.maxTargetLength = maxTargetLength
    }
}

/// What the bytes so far amount to.
public enum ParseOutcome: Hashable, Sendable {
    /// The head is not complete: call again with more bytes behind the same ones.
    case needMore
    /// A complete, checked head. The parser is ready for the next one.
    case head(RequestHead)
    /// The bytes are no request; nothing after them can be trusted.
    case failed(RequestParseError)
}

/// Parses request heads of HTTP/1.0 and 1.1 in place.
///
/// It is stricter than RFC 9112 demands: no bare LF, no fold, no repeated length. Each of those leniencies has let two
/// servers on one path disagree about where a request ends.
///
/// The outcome depends on the bytes alone, not on how they were split: every byte is looked at once, in order, and the
/// first offending one decides. Between calls the parser keeps offsets, so a head that drips in costs no more than one
/// that comes whole.
///
/// Source: RFC 9112 §2 to §6.
/// Cost: does not allocate.
public struct RequestParser: Sendable {
    /// The limits, read anew at each call.
    public var limits: RequestLimits

    private var phase = Phase.leadingLine
    /// The first byte that was not looked at yet.
    private var position = 0
    /// Where the element that is being read began: method, target, version or field line.
    private var elementStart = 0
    /// Where the colon of the unfinished field line is, 0 before it was seen.
    private var colon = 0
    private var draft = RequestHeadDraft()
    /// Why the last call failed; nothing is accepted from then on.
    private var failure: RequestParseError?

    /// The element that is being read.
    private enum Phase: UInt8 {
        case leadingLine, method, target, version, fields
    }

    /// Makes a parser for the first request of a connection.
    public init(limits: RequestLimits = RequestLimits()) {
        self.limits = limits
    }

    /// Forgets the unfinished head, or the failure.
    public mutating func reset() {
        self = RequestParser(limits: limits)
    }

    /// Reads on from where the last call stopped.
    ///
    /// - Parameter bytes: All bytes from the start of the head: those of the last call and what came since. They may
    ///   go on past the head, with its body or the next request.
    public mutating func parse(_ bytes: Span<UInt8>) -> ParseOutcome {
        if let failure { return .failed(failure) }
        do throws(RequestParseError) {
            guard let length = try advance(bytes) else { return .needMore }
            let head = try draft.finish(length: length)
            reset()
            return .head(head)
        } catch {
            failure = error
            return .failed(error)
        }
    }

    /// Reads as many elements as there are; gives the length of the head once it is whole.
    private mutating func advance(_ bytes: Span<UInt8>) throws(RequestParseError) -> Int? {
        switch phase {
        case .leadingLine:
            guard try skipLeadingLine(bytes) else { return nil }
            fallthrough
        case .method:
            guard try readMethod(bytes) else { return nil }
            fallthrough
        case .target:
            guard try readTarget(bytes) else { return nil }
            fallthrough
        case .version:
            guard try readVersion(bytes) else { return nil }
            fallthrough
        case .fields:
            return try readFields(bytes)
        }
    }

    /// Notes that an element is complete and the next one begins at an offset.
    private mutating func begin(_ next: Phase, at offset: Int) {
        phase = next
        position = offset
        elementStart = offset
    }
}

/// The request line.
///
/// Source: RFC 9112 §3.
extension RequestParser {
    /// The longest method that is looked at; the longest registered one has 17 letters.
    static let maxMethodLength = 24

    /// Skips one empty line, which old clients send behind a body (RFC 9112 §2.2).
    private mutating func skipLeadingLine(_ bytes: Span<UInt8>) throws(RequestParseError) -> Bool {
        guard let first = bytes.count > 0 ? bytes[0] : nil else { return false }
        guard first == Octet.carriageReturn else {
            begin(.method, at: 0)
            return true
        }
        guard bytes.count > 1 else { return false }
        guard bytes[1] == Octet.lineFeed else { throw .bareCarriageReturn(offset: 0) }
        begin(.method, at: 2)
        return true
    }

    private mutating func readMethod(_ bytes: Span<UInt8>) throws(RequestParseError) -> Bool {
        let end = min(bytes.count, elementStart + Self.maxMethodLength + 1)
        let index = bytes.extracting(..<end).endOfToken(from: position)
        guard index < end else {
            guard index - elementStart <= Self.maxMethodLength else {
                throw .methodTooLong(limit: Self.maxMethodLength)
            }
            position = index
            return false
        }
        guard bytes[index] == Octet.space, index > elementStart else { throw .badMethod(offset: index) }
        draft.head.method = Method(bytes.extracting(elementStart..<index))
        begin(.target, at: index + 1)
        return true
    }

    /// Reads up to the space behind the target.
    ///
    /// Octets beyond ASCII pass: people type such URLs by hand.
    private mutating func readTarget(_ bytes: Span<UInt8>) throws(RequestParseError) -> Bool {
        let limit = elementStart + limits.maxTargetLength
        let end = min(bytes.count, limit)
        let index = bytes.extracting(..<end).endOfTarget(from: position)
        guard index < bytes.count else {
            position = index
            return false
        }
        guard bytes[index] == Octet.space, index > elementStart else {
            guard bytes[index] > Octet.space, bytes[index] != Octet.delete else { throw .badTarget(offset: index) }
            throw .targetTooLong(limit: limits.maxTargetLength)
        }
        draft.head.target = elementStart..<index
        begin(.version, at: index + 1)
        return true
    }

    /// Reads `HTTP/1.1` and CRLF.
    private mutating func readVersion(_ bytes: Span<UInt8>) throws(RequestParseError) -> Bool {
        let length = 10
        let end = min(bytes.count, elementStart + length)
        let commonVersion: UInt64 = 0x4854_5450_2F31_2E31  // HTTP/1.1
        if end == position + length, bytes.word(at: position).bigEndian == commonVersion { position += 8 }
        while position < end {
            guard Self.isVersion(bytes[position], at: position - elementStart) else {
                throw .badVersion(offset: position)
            }
            position += 1
        }
        guard position == elementStart + length else { return false }
        let major = bytes[elementStart + 5] - 0x30
        guard major == 1 else { throw .versionNotSupported(major: major) }
        draft.head.version = bytes[elementStart + 7] == 0x30 ? .http10 : .http11
        draft.head.fieldsStart = position
        begin(.fields, at: position)
        return true
    }

    /// Says whether an octet fits at a place of `HTTP/d.d` CRLF (RFC 9112 §2.3).
    @inline(__always)
    private static func isVersion(_ octet: UInt8, at place: Int) -> Bool {
        let pattern: InlineArray<10, UInt8> = [0x48, 0x54, 0x54, 0x50, 0x2F, 0x30, 0x2E, 0x30, 0x0D, 0x0A]
        return place == 5 || place == 7 ? Octet.isDigit(octet) : octet == pattern[place]
    }
}

/// The field lines.
///
/// Source: RFC 9112 §5.
extension RequestParser {
    /// Reads field lines up to the empty one; gives the offset behind it.
    private mutating func readFields(_ bytes: Span<UInt8>) throws(RequestParseError) -> Int? {
        let limit = limits.maxHeaderSize + draft.head.target.count
        let window = bytes.extracting(first: limit)
        while try readFieldLine(window) {
            guard phase == .fields else { return position }
        }
        guard bytes.count < limit else { throw .headTooLarge(limit: limits.maxHeaderSize) }
        return nil
    }

    /// Reads one line; false when it is not complete.
    ///
    /// At the empty line the phase changes.
    private mutating func readFieldLine(_ bytes: Span<UInt8>) throws(RequestParseError) -> Bool {
        var index = position
        if colon == 0 {
            index = bytes.endOfToken(from: index)
            guard index < bytes.count else { return pause(at: index) }
            guard bytes[index] == Octet.colon, index > elementStart else {
                return try readEmptyLine(bytes, at: index)
            }
            colon = index
            index += 1
        }
        index = bytes.endOfFieldContent(from: index)
        guard index + 1 < bytes.count else {
            guard index >= bytes.count || bytes[index] == Octet.carriageReturn else {
                throw Self.badValue(bytes[index], at: index)
            }
            return pause(at: index)
        }
        guard bytes[index] == Octet.carriageReturn, bytes[index + 1] == Octet.lineFeed else {
            throw Self.badValue(bytes[index], at: index)
        }
        try draft.note(
            name: bytes.extracting(elementStart..<colon), value: bytes.extracting(colon + 1..<index),
            valueStart: colon + 1)
        colon = 0
        begin(.fields, at: index + 2)
        return true
    }

    /// Remembers how far an unfinished line was looked at.
    private mutating func pause(at offset: Int) -> Bool {
        position = offset
        return false
    }

    /// Ends the head at an empty line; anything else that is not a name and a colon fails.
    private mutating func readEmptyLine(_ bytes: Span<UInt8>, at index: Int) throws(RequestParseError) -> Bool {
        switch bytes[index] {
        case Octet.carriageReturn where index == elementStart:
            guard index + 1 < bytes.count else { return pause(at: index) }
            guard bytes[index + 1] == Octet.lineFeed else { throw .bareCarriageReturn(offset: index) }
            begin(.leadingLine, at: index + 2)
            return true
        case Octet.space where index == elementStart, Octet.tab where index == elementStart:
            throw .foldedLine(offset: index)
        case Octet.lineFeed:
            throw .bareLineFeed(offset: index)
        default:
            throw .badFieldName(offset: index)
        }
    }

    /// Tells why a value does not go on at an octet that is no field content.
    private static func badValue(_ octet: UInt8, at offset: Int) -> RequestParseError {
        switch octet {
        case Octet.carriageReturn: .bareCarriageReturn(offset: offset)
        case Octet.lineFeed: .bareLineFeed(offset: offset)
        default: .badFieldValue(offset: offset)
        }
    }
}
