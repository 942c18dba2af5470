/// Why a request body was not accepted; the connection cannot be read further.
public enum BodyError: Error, Hashable, Sendable {
    /// The body is, or declares to be, longer than the limit.
    case tooLarge(limitBytes: UInt64)
    /// A chunk size is missing, not hexadecimal, or absurdly long.
    case badChunkSize
    /// Chunk data, a chunk line or a trailer line does not end with CRLF, or holds a control octet.
    case badChunkLine
    /// Chunk extensions and trailers exceed what a client could need.
    case tooMuchOverhead(limitBytes: Int)

    /// The status to answer with, before the connection is closed.
    public var status: Status {
        switch self {
        case .tooLarge: .contentTooLarge
        case .badChunkSize, .badChunkLine, .tooMuchOverhead: .badRequest
        }
    }
}

/// Takes the framing off a request body as it arrives.
///
/// It keeps no bytes: data is handed on in place, extensions and trailers are read and dropped. Whatever the input is,
/// a call consumes all of it, or fails, or stops behind the body's last byte.
///
/// Source: RFC 9112 §6.2 (length), §7.1 (chunks).
/// Cost: does not allocate.
public struct BodyDecoder: Sendable {
    /// The bytes of extensions and trailers that a body may have in all.
    ///
    /// Nothing in them is used here; real ones are a few dozen bytes.
    public static let maxOverheadBytes = 4096

    /// The longest chunk size; a 64-bit number has 16 hexadecimal digits.
    private static let maxSizeDigits = 16

    private let maxBytes: UInt64
    private var state: State
    /// Data bytes left in the body or the chunk.
    private var remaining: UInt64 = 0
    private var received: UInt64 = 0
    private var digits = 0
    private var overhead = 0

    /// What the next byte belongs to.
    private enum State: UInt8 {
        case lengthData
        case size, sizeBlank, sizeExtension, sizeLineFeed, data, dataReturn, dataLineFeed
        case trailerStart, trailer, trailerLineFeed, lastLineFeed
        case complete
    }

    /// Makes a decoder for the body of a head.
    ///
    /// - Parameter maxBytes: The most data bytes that are let through.
    /// - Throws: `tooLarge` when the declared length exceeds that.
    public init(_ framing: BodyFraming, maxBytes: UInt64) throws(BodyError) {
        self.maxBytes = maxBytes
        switch framing {
        case .none:
            state = .complete
        case .length(let length):
            guard length <= maxBytes else { throw .tooLarge(limitBytes: maxBytes) }
            remaining = length
            state = length == 0 ? .complete : .lengthData
        case .chunked:
            state = .size
        }
    }

    /// Whether the whole body was read.
    public var isComplete: Bool { state == .complete }

    /// The data bytes handed on so far.
    public var receivedBytes: UInt64 { received }

    /// Reads on.
    ///
    /// - Parameters:
    ///   - input: The bytes that follow those consumed before.
    ///   - handleData: Gets each piece of data, in order and in place; pieces handed on before a failure stand.
    /// - Returns: How many bytes were consumed: all, or up to the end of the body.
    public mutating func decode(
        _ input: Span<UInt8>, _ handleData: (Span<UInt8>) -> Void
    ) throws(BodyError) -> Int {
        var index = 0
        while index < input.count, state != .complete {
            if state == .data || state == .lengthData {
                let piece = input.extracting(index...).extracting(first: Int(clamping: remaining))
                handleData(piece)
                take(piece.count)
                index += piece.count
            } else {
                try step(input[index])
                index += 1
            }
        }
        return index
    }

    /// Counts data bytes and leaves the data state behind the last.
    private mutating func take(_ count: Int) {
        received += UInt64(count)
        remaining -= UInt64(count)
        if remaining == 0 { state = state == .data ? .dataReturn : .complete }
    }

    /// Reads one byte of framing.
    private mutating func step(_ octet: UInt8) throws(BodyError) {
        switch state {
        case .size: try readSize(octet)
        case .sizeBlank: try readSizeBlank(octet)
        case .sizeExtension: try readText(octet, lineFeed: .sizeLineFeed)
        case .sizeLineFeed: try expectLineFeed(octet, then: remaining == 0 ? .trailerStart : .data)
        case .dataReturn: try expectReturn(octet)
        case .dataLineFeed: try expectLineFeed(octet, then: .size)
        case .trailerStart: try readText(octet, lineFeed: .lastLineFeed, text: .trailer)
        case .trailer: try readText(octet, lineFeed: .trailerLineFeed)
        case .trailerLineFeed: try expectLineFeed(octet, then: .trailerStart)
        case .lastLineFeed: try expectLineFeed(octet, then: .complete)
        case .data, .lengthData, .complete: break
        }
    }

    private mutating func readSize(_ octet: UInt8) throws(BodyError) {
        if let value = Octet.hexValue(octet) {
            digits += 1
            guard digits <= Self.maxSizeDigits else { throw .badChunkSize }
            // Sixteen digits cannot lose bits: the limit below stops earlier, and 16 digits are 64 bits.
            remaining = remaining &<< 4 | UInt64(value)
            guard remaining <= maxBytes - received else { throw .tooLarge(limitBytes: maxBytes) }
            return
        }
        guard digits > 0 else { throw .badChunkSize }
        switch octet {
        case Octet.carriageReturn: state = .sizeLineFeed
        default: try readSizeBlank(octet)
        }
    }

    /// Reads what may stand between a size and an extension: white space, which must lead to a semicolon.
    private mutating func readSizeBlank(_ octet: UInt8) throws(BodyError) {
        guard octet == Octet.semicolon || Octet.isBlank(octet) else { throw .badChunkSize }
        try readText(octet, lineFeed: .sizeLineFeed, text: octet == Octet.semicolon ? .sizeExtension : .sizeBlank)
    }

    /// Drops one byte of an extension or a trailer, or sees the CR that ends it.
    private mutating func readText(
        _ octet: UInt8, lineFeed: State, text: State? = nil
    ) throws(BodyError) {
        guard octet != Octet.carriageReturn else {
            state = lineFeed
            return
        }
        guard Octet.isFieldContent(octet) else { throw .badChunkLine }
        overhead += 1
        guard overhead <= Self.maxOverheadBytes else { throw .tooMuchOverhead(limitBytes: Self.maxOverheadBytes) }
        if let text { state = text }
    }

    private mutating func expectReturn(_ octet: UInt8) throws(BodyError) {
        guard octet == Octet.carriageReturn else { throw .badChunkLine }
        state = .dataLineFeed
    }

    private mutating func expectLineFeed(_ octet: UInt8, then next: State) throws(BodyError) {
        guard octet == Octet.lineFeed else { throw .badChunkLine }
        state = next
        if next == .size { digits = 0 }
    }
}
