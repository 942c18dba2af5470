import HTTPMessages

/// Parses a whole text in one call.
func parse(_ text: String, limits: RequestLimits = RequestLimits()) -> ParseOutcome {
    parse(Array(text.utf8), limits: limits)
}

/// Parses all bytes in one call.
func parse(_ bytes: [UInt8], limits: RequestLimits = RequestLimits()) -> ParseOutcome {
    var parser = RequestParser(limits: limits)
    return parser.parse(bytes.span)
}

/// Parses bytes that arrive in two parts.
func parse(_ bytes: [UInt8], splitAt offset: Int, limits: RequestLimits = RequestLimits()) -> ParseOutcome {
    var parser = RequestParser(limits: limits)
    let early = parser.parse(bytes.span.extracting(..<offset))
    return early == .needMore ? parser.parse(bytes.span) : early
}

/// Parses bytes that arrive one by one.
func parseDripped(_ bytes: [UInt8], limits: RequestLimits = RequestLimits()) -> ParseOutcome {
    var parser = RequestParser(limits: limits)
    for count in bytes.indices {
        let outcome = parser.parse(bytes.span.extracting(..<count))
        guard outcome == .needMore else { return outcome }
    }
    return parser.parse(bytes.span)
}

extension RequestParser {
    /// Parses the bytes from an offset on.
    mutating func parse(_ bytes: [UInt8], from offset: Int = 0) -> ParseOutcome {
        parse(bytes.span.extracting(offset...))
    }
}

/// The bytes of a range as text.
func text(_ range: Range<Int>, of source: String) -> String {
    String(decoding: Array(source.utf8)[range], as: UTF8.self)
}

extension ParseOutcome {
    /// The head, nil for the other outcomes.
    var head: RequestHead? {
        if case .head(let head) = self { head } else { nil }
    }

    /// The error, nil for the other outcomes.
    var error: RequestParseError? {
        if case .failed(let error) = self { error } else { nil }
    }
}
