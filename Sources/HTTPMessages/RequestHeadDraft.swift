/// A request head while its fields are being read, and the rules that hold across fields.
///
/// Source: RFC 9112 §3.2 (Host), §6 (framing), §9.3 (persistence).
struct RequestHeadDraft: Sendable {
    /// What is known so far.
    var head = RequestHead()
    private var seen: Seen = []
    private var contentLength: UInt64 = 0

    /// The fields that count once, and the connection options that decide about persistence.
    private struct Seen: OptionSet {
        let rawValue: UInt8
        static let host = Seen(rawValue: 1)
        static let contentLength = Seen(rawValue: 2)
        static let transferEncoding = Seen(rawValue: 4)
        static let close = Seen(rawValue: 8)
        static let keepAlive = Seen(rawValue: 16)
    }

    /// Takes notice of one field line.
    ///
    /// - Parameters:
    ///   - name: A token.
    ///   - value: All between the colon and the line's end.
    ///   - valueStart: The offset of the value in the buffer.
    @inline(__always)
    mutating func note(name: Span<UInt8>, value: Span<UInt8>, valueStart: Int) throws(RequestParseError) {
        let field = RequestField(name)
        let feature = field.feature
        guard feature.isEmpty else {
            if RequestFeatures.validation.contains(feature) {
                noteValidator(feature, value.contentRange, valueStart: valueStart)
            }
            head.features.insert(feature)
            return
        }
        let content = value.contentRange
        if field == .host {
            try noteHost(value.extracting(content))
            head.host = valueStart + content.lowerBound..<valueStart + content.upperBound
        } else {
            try noteRare(field, value.extracting(content))
        }
    }

    /// Judges the head as a whole.
    func finish(length: Int) throws(RequestParseError) -> RequestHead {
        guard head.version == .http10 || seen.contains(.host) else { throw .missingHost }
        var result = head
        result.length = length
        result.keepAlive = !seen.contains(.close) && (head.version == .http11 || seen.contains(.keepAlive))
        if seen.contains(.transferEncoding) {
            guard !seen.contains(.contentLength) else { throw .lengthAndTransferCoding }
            guard head.version == .http11 else { throw .transferCodingInHTTP10 }
            result.body = .chunked
        } else if contentLength > 0 {
            result.body = .length(contentLength)
        }
        return result
    }

    /// Notes where the value of a condition lies that a cache evaluates.
    ///
    /// The value of a repeated field is not in one place; whoever needs it reads all fields.
    private mutating func noteValidator(_ feature: RequestFeatures, _ content: Range<Int>, valueStart: Int) {
        let isRepeated = head.features.contains(feature)
        let place = isRepeated ? 0..<0 : valueStart + content.lowerBound..<valueStart + content.upperBound
        if feature == .ifNoneMatch { head.ifNoneMatch = place } else { head.ifModifiedSince = place }
    }

    private mutating func noteHost(_ value: Span<UInt8>) throws(RequestParseError) {
        guard !seen.contains(.host) else { throw .repeatedHost }
        guard HostValue.isValid(value) else { throw .badHost }
        seen.insert(.host)
    }

    /// Notes a field whose value decides, other than `Host`.
    private mutating func noteRare(_ field: RequestField, _ value: Span<UInt8>) throws(RequestParseError) {
        switch field {
        case .contentLength: try noteContentLength(value)
        case .transferEncoding: try noteTransferEncoding(value)
        case .connection: noteConnection(value)
        case .expect:
            head.features.insert(value.isWord("100-continue") ? .expectContinue : .expectOther)
        default: break
        }
    }

    /// Takes the one length.
    ///
    /// RFC 9112 §6.3 would let equal lengths be merged. No client of ours sends them; a proxy in front of us that picks
    /// another line than we do is how requests get smuggled.
    private mutating func noteContentLength(_ value: Span<UInt8>) throws(RequestParseError) {
        guard !seen.contains(.contentLength) else { throw .repeatedContentLength }
        guard let length = DecimalText.parse(value) else { throw .badContentLength }
        contentLength = length
        seen.insert(.contentLength)
    }

    private mutating func noteTransferEncoding(_ value: Span<UInt8>) throws(RequestParseError) {
        guard !seen.contains(.transferEncoding), !value.isEmpty else { throw .badTransferCoding }
        seen.insert(.transferEncoding)
        guard !value.isWord("chunked") else { return }
        var members = ListMembers(value)
        while let member = members.next() {
            let isLast = member.upperBound == value.count
            guard isLast || !value.extracting(member).isWord("chunked") else { throw .badTransferCoding }
        }
        throw .transferCodingNotSupported
    }

    private mutating func noteConnection(_ value: Span<UInt8>) {
        var members = ListMembers(value)
        while let member = members.next() {
            let option = value.extracting(member)
            if FieldName.keepAlive.matches(option) {
                seen.insert(.keepAlive)
            } else if option.isWord("close") {
                seen.insert(.close)
            } else {
                head.features.insert(.connectionOptions)
            }
        }
    }
}
