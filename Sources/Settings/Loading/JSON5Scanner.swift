/// Finds where things stand in a JSON5 file.
///
/// `JSONDecoder` reads the values, but says no line for what it read, keeps the first of duplicate keys, and describes
/// syntax errors loosely. The scanner walks the same text beside it and yields a map of positions, the duplicates, and
/// the first syntax error; it reads no values.
/// Source: the JSON5 specification 1.0.0.
/// Cost: one pass; a map entry for each key and element.
struct JSON5Scanner {
    /// What was found in a whole file.
    struct Map: Equatable {
        /// Where each key stands.
        var keys: [SettingPath: Position] = [:]
        /// Where each value begins.
        var values: [SettingPath: Position] = [:]
        /// Keys that stand a second time, with the place of the second.
        var duplicates: [Duplicate] = []
    }

    /// A key that stands twice in one object.
    struct Duplicate: Equatable {
        /// The key.
        let path: SettingPath
        /// The second place.
        let position: Position
    }

    /// Text that is no JSON5.
    struct SyntaxError: Error, Equatable {
        /// Where.
        let position: Position
        /// What stands there.
        let found: String
        /// What should.
        let expected: String
    }

    /// Nested deeper than any configuration, and than the stack should bear.
    private static let maxDepth = 32

    private let text: [Unicode.Scalar]
    private var index = 0
    private var line = 1
    private var lineStart = 0
    private var map = Map()

    /// Scans a whole file.
    static func scan(_ text: String) throws(SyntaxError) -> Map {
        var scanner = JSON5Scanner(text: Array(text.unicodeScalars))
        if scanner.current == "\u{FEFF}" { scanner.advance() }
        try scanner.skipSpace()
        guard scanner.current != nil else { throw scanner.unexpected("an object {…}") }
        try scanner.value(SettingPath(), depth: 0)
        try scanner.skipSpace()
        guard scanner.current == nil else { throw scanner.unexpected("the end of the file") }
        return scanner.map
    }

    private init(text: [Unicode.Scalar]) {
        self.text = text
    }

    // MARK: Grammar

    private mutating func value(_ path: SettingPath, depth: Int) throws(SyntaxError) {
        guard depth < Self.maxDepth else { throw unexpected("at most \(Self.maxDepth) levels") }
        map.values[path] = position
        switch current {
        case "{": try object(path, depth: depth)
        case "[": try array(path, depth: depth)
        case "\"", "'": _ = try string()
        default: try word()
        }
    }

    private mutating func object(_ path: SettingPath, depth: Int) throws(SyntaxError) {
        advance()
        try skipSpace()
        while current != "}" {
            let place = position
            let member = path.appending(.key(try key()))
            try skipSpace()
            guard current == ":" else { throw unexpected("\":\" after the key") }
            advance()
            try skipSpace()
            if map.keys[member] == nil {
                map.keys[member] = place
                try value(member, depth: depth + 1)
            } else {
                try duplicate(JSON5Scanner.Duplicate(path: member, position: place), depth: depth)
            }
            try skipSpace()
            guard current == "," || current == "}" else { throw unexpected("\",\" or \"}\"") }
            if current == "," { advance() }
            try skipSpace()
        }
        advance()
    }

    /// The decoder keeps the first of duplicates, so the map forgets what the second holds.
    private mutating func duplicate(_ duplicate: Duplicate, depth: Int) throws(SyntaxError) {
        let kept = map
        try value(duplicate.path, depth: depth + 1)
        map = kept
        map.duplicates.append(duplicate)
    }

    private mutating func array(_ path: SettingPath, depth: Int) throws(SyntaxError) {
        advance()
        var count = 0
        try skipSpace()
        while current != "]" {
            try value(path.appending(.index(count)), depth: depth + 1)
            count += 1
            try skipSpace()
            guard current == "," || current == "]" else { throw unexpected("\",\" or \"]\"") }
            if current == "," { advance() }
            try skipSpace()
        }
        advance()
    }

    private mutating func key() throws(SyntaxError) -> String {
        if current == "\"" || current == "'" { return try string() }
        var name = String.UnicodeScalarView()
        while let scalar = current, Self.isIdentifier(scalar) {
            name.append(scalar)
            advance()
        }
        guard !name.isEmpty else { throw unexpected("a key or \"}\"") }
        return String(name)
    }

    /// A literal or number: anything up to the next delimiter.
    ///
    /// What it means is the decoder's business.
    private mutating func word() throws(SyntaxError) {
        let start = index
        let place = position
        while let scalar = current, Self.isIdentifier(scalar) || scalar == "." || scalar == "+" || scalar == "-" {
            advance()
        }
        guard index > start else { throw unexpected("a value") }
        let word = String(String.UnicodeScalarView(text[start..<index]))
        guard Self.isLiteral(word) else {
            throw SyntaxError(position: place, found: word, expected: "a value; text stands in quotes")
        }
    }

    private mutating func string() throws(SyntaxError) -> String {
        let place = position
        let quote = current
        advance()
        var content = String.UnicodeScalarView()
        while let scalar = current, scalar != quote {
            guard scalar != "\n", scalar != "\r" else { break }
            advance()
            guard scalar == "\\" else {
                content.append(scalar)
                continue
            }
            try escape(into: &content)
        }
        guard current == quote else {
            throw SyntaxError(
                position: place, found: "a text without end", expected: "a closing quote on the same line")
        }
        advance()
        return String(content)
    }

    private mutating func escape(into content: inout String.UnicodeScalarView) throws(SyntaxError) {
        guard let letter = current else { return }
        advance()
        switch letter {
        case "n": content.append("\n")
        case "t": content.append("\t")
        case "r": content.append("\r")
        case "\n", "\u{2028}", "\u{2029}": break
        case "\r":
            if current == "\n" { advance() }
        case "x": try hexadecimal(2, into: &content)
        case "u": try hexadecimal(4, into: &content)
        default: content.append(letter)
        }
    }

    private mutating func hexadecimal(
        _ count: Int, into content: inout String.UnicodeScalarView
    ) throws(SyntaxError) {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = current.flatMap({ Character($0).hexDigitValue }) else { throw unexpected("a hex digit") }
            value = value << 4 | UInt32(digit)
            advance()
        }
        // Half of a surrogate pair: the key is only compared, so any stand-in will do.
        content.append(Unicode.Scalar(value) ?? "\u{FFFD}")
    }
}

// MARK: Characters

extension JSON5Scanner {
    private var current: Unicode.Scalar? { index < text.count ? text[index] : nil }

    private var position: Position { Position(line: line, column: index - lineStart + 1) }

    private mutating func advance() {
        guard let scalar = current else { return }
        index += 1
        let isLineEnd = scalar == "\n" || (scalar == "\r" && current != "\n")
        guard isLineEnd else { return }
        line += 1
        lineStart = index
    }

    private mutating func skipSpace() throws(SyntaxError) {
        while let scalar = current {
            if Self.isSpace(scalar) {
                advance()
            } else if scalar == "/" {
                try skipComment()
            } else {
                return
            }
        }
    }

    private mutating func skipComment() throws(SyntaxError) {
        let place = position
        advance()
        switch current {
        case "/":
            while let scalar = current, scalar != "\n", scalar != "\r" { advance() }
        case "*":
            advance()
            while current != nil, !(current == "*" && index + 1 < text.count && text[index + 1] == "/") { advance() }
            guard current != nil else {
                throw SyntaxError(position: place, found: "a comment without end", expected: "*/")
            }
            advance()
            advance()
        default:
            throw SyntaxError(position: place, found: "/", expected: "a comment: // or /*")
        }
    }

    private func unexpected(_ expected: String) -> SyntaxError {
        let found = current.map { scalar in
            let isVisible = scalar.value > 0x20 && scalar.value != 0x7F && !scalar.properties.isWhitespace
            guard !isVisible else { return String(Character(scalar)) }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "U+" + String(repeating: "0", count: max(4 - digits.count, 0)) + digits
        }
        return SyntaxError(position: position, found: found ?? "the end of the file", expected: expected)
    }

    /// Fewer than JSON5 has: the decoder refuses a no-break space and its kin, and here they are found with a place.
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        [" ", "\t", "\n", "\r", "\u{B}", "\u{C}"].contains(scalar)
    }

    private static func isIdentifier(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar == "$" || scalar.properties.isXIDContinue
    }

    private static func isLiteral(_ word: String) -> Bool {
        ["true", "false", "null"].contains(word) || JSON5Number.isNumber(word)
    }
}
