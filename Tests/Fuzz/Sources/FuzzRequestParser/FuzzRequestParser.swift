import HTTPMessages

/// Feeds one input to the request parser, whole and in pieces.
///
/// The first two bytes choose limits and piece size, the rest is what a client sends. What must hold for any input:
/// the outcome does not depend on the pieces; offsets lie in the head; a head's fields can be read and written again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequestParser(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: data, count: count))
    guard input.count > 2 else { return 0 }
    let limits =
        input[0] < 128
        ? RequestLimits() : RequestLimits(maxHeaderSize: Int(input[0] - 100) * 2, maxTargetLength: Int(input[0]) / 4)
    let bytes = Array(input[2...])

    let whole = parse(bytes, limits: limits, pieceSize: bytes.count)
    let pieces = parse(bytes, limits: limits, pieceSize: Int(input[1]) % 16 + 1)
    precondition(whole == pieces, "the outcome depends on the split")
    if case .head(let head) = whole {
        check(head, bytes)
        check(head.body, Array(bytes[head.length...]), pieceSize: Int(input[1]) % 16 + 1)
    }
    return 0
}

private func parse(_ bytes: [UInt8], limits: RequestLimits, pieceSize: Int) -> ParseOutcome {
    var parser = RequestParser(limits: limits)
    var end = 0
    while end < bytes.count {
        end = min(end + pieceSize, bytes.count)
        let outcome = parser.parse(bytes.span.extracting(..<end))
        if outcome != .needMore { return outcome }
    }
    return .needMore
}

private func check(_ head: RequestHead, _ bytes: [UInt8]) {
    precondition(head.length <= bytes.count && !head.target.isEmpty)
    precondition(head.target.upperBound < head.length && head.host.upperBound < head.length)
    precondition(bytes[..<head.length].suffix(4) == [13, 10, 13, 10], "the head does not end with an empty line")
    let fields = head.fields(in: bytes.span)
    precondition(Fields(serialized: fields.serialized()) == fields, "the fields do not survive being written")
    precondition(fields.all(.host).count <= 1 && fields.all(.contentLength).count <= 1)
    precondition(fields.contains(.transferEncoding) == (head.body == .chunked))
    precondition(fields.first(.host) ?? [] == Array(bytes[head.host]))
}

private func check(_ framing: BodyFraming, _ bytes: [UInt8], pieceSize: Int) {
    let whole = decode(framing, bytes, pieceSize: max(bytes.count, 1))
    let pieces = decode(framing, bytes, pieceSize: pieceSize)
    precondition(whole == pieces, "the body depends on the split")
    precondition(whole.data.count <= 1000 && whole.consumed <= bytes.count)
}

/// What came out of a body.
private struct Decoded: Equatable {
    var data: [UInt8] = []
    var consumed = 0
    var isComplete = false
    var error: BodyError?
}

private func decode(_ framing: BodyFraming, _ bytes: [UInt8], pieceSize: Int) -> Decoded {
    var result = Decoded()
    do throws(BodyError) {
        var decoder = try BodyDecoder(framing, maxBytes: 1000)
        while result.consumed < bytes.count, !decoder.isComplete {
            let end = min(result.consumed + pieceSize, bytes.count)
            let piece = bytes.span.extracting(result.consumed..<end)
            let consumed = try decoder.decode(piece) { data in
                for index in data.indices { result.data.append(data[index]) }
            }
            precondition(consumed == piece.count || decoder.isComplete, "input is left over inside a body")
            result.consumed += consumed
        }
        result.isComplete = decoder.isComplete
    } catch {
        result = Decoded(error: error)
    }
    return result
}
