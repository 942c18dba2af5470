/// An ordered list of header fields, kept in one buffer.
///
/// Names are in lower case and values free of control octets and surrounding white space, whatever was appended: a list
/// can always be written to a connection without splitting the message.
///
/// Shape: `bytes` holds name and value of each field back to back, in order; `entries` holds the two lengths. Equal
/// lists therefore have equal storage.
/// Cost: lookups scan the list; `set` and `remove` rebuild it.
public struct Fields: Hashable, Sendable {
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []

    /// Where one field lies in the buffer.
    private struct Entry: Hashable, Sendable {
        var start: UInt32
        var nameCount: UInt32
        var valueCount: UInt32

        var name: Range<Int> { Int(start)..<Int(start + nameCount) }
        var value: Range<Int> { Int(start + nameCount)..<Int(start + nameCount + valueCount) }
    }

    /// Makes an empty list.
    public init() {}

    /// The number of field lines.
    public var count: Int { entries.count }

    /// Tells whether there is no field at all.
    public var isEmpty: Bool { entries.isEmpty }

    /// The size of the list when serialized, in bytes.
    public var byteCount: Int { bytes.count + 4 * entries.count }

    /// Makes room ahead of a known number of appends.
    public mutating func reserveCapacity(fields: Int, byteCount: Int) {
        bytes.reserveCapacity(byteCount)
        entries.reserveCapacity(fields)
    }
}

/// Adding and taking away.
extension Fields {
    /// Adds a field line at the end.
    ///
    /// White space around the value is dropped, and control octets become spaces (RFC 9110 §5.5).
    public mutating func append(_ name: FieldName, _ value: Span<UInt8>) {
        let start = bytes.count
        bytes.append(contentsOf: name.bytes)
        appendEntry(start: start, value: value)
    }

    /// Adds a field line at the end, cleaned as `append(_:_:)` with a span does.
    public mutating func append(_ name: FieldName, _ value: [UInt8]) {
        append(name, value.span)
    }

    /// Adds a field line at the end, cleaned as `append(_:_:)` with a span does.
    public mutating func append(_ name: FieldName, _ value: String) {
        append(name, Array(value.utf8))
    }

    /// Adds a field line as received, without making a `FieldName` first.
    ///
    /// - Returns: False, and the list unchanged, when the name is empty or not a token.
    @discardableResult
    public mutating func append(received name: Span<UInt8>, _ value: Span<UInt8>) -> Bool {
        let start = bytes.count
        for index in name.indices {
            guard Octet.isToken(name[index]) else {
                bytes.removeLast(bytes.count - start)
                return false
            }
            bytes.append(Octet.lowercased(name[index]))
        }
        guard bytes.count > start else { return false }
        appendEntry(start: start, value: value)
        return true
    }

    /// Adds every line of another list at the end.
    public mutating func append(contentsOf other: Fields) {
        let shift = UInt32(bytes.count)
        bytes.append(contentsOf: other.bytes)
        for var entry in other.entries {
            entry.start += shift
            entries.append(entry)
        }
    }

    /// Replaces every line of that name by one, at the end of the list.
    public mutating func set(_ name: FieldName, to value: [UInt8]) {
        remove(name)
        append(name, value)
    }

    /// Replaces every line of that name by one, at the end of the list.
    public mutating func set(_ name: FieldName, to value: String) {
        set(name, to: Array(value.utf8))
    }

    /// Takes away every line of that name.
    public mutating func remove(_ name: FieldName) {
        if let rest = without({ matches($0, name) }) { self = rest }
    }

    /// Takes away the lines whose name the predicate picks, keeping the order of the rest.
    public mutating func removeAll(where predicate: (FieldName) throws -> Bool) rethrows {
        if let rest = try without({ try predicate(FieldName(lowercase: bytes[$0.name])) }) { self = rest }
    }

    /// The list without the entries that the predicate picks; nil when it picks none.
    private func without(_ isLeaving: (Entry) throws -> Bool) rethrows -> Fields? {
        let staying = try entries.filter { try !isLeaving($0) }
        guard staying.count < entries.count else { return nil }
        var rest = Fields()
        rest.reserveCapacity(fields: staying.count, byteCount: bytes.count)
        for var entry in staying {
            let line = entry.name.lowerBound..<entry.value.upperBound
            entry.start = UInt32(rest.bytes.count)
            rest.bytes.append(contentsOf: bytes[line])
            rest.entries.append(entry)
        }
        return rest
    }

    private mutating func appendEntry(start: Int, value: Span<UInt8>) {
        let nameCount = bytes.count - start
        let valueStart = bytes.count
        for index in value.indices {
            let octet = value[index]
            if Octet.isBlank(octet) || !Octet.isFieldContent(octet) {
                if bytes.count > valueStart { bytes.append(octet == Octet.tab ? octet : Octet.space) }
            } else {
                bytes.append(octet)
            }
        }
        while bytes.count > valueStart, let last = bytes.last, Octet.isBlank(last) { bytes.removeLast() }
        entries.append(
            Entry(
                start: UInt32(start), nameCount: UInt32(nameCount),
                valueCount: UInt32(bytes.count - start - nameCount)))
    }
}

/// Looking up.
extension Fields {
    /// Gives the value of the first line of that name.
    public func first(_ name: FieldName) -> [UInt8]? {
        guard let entry = firstEntry(name) else { return nil }
        return Array(bytes[entry.value])
    }

    /// Gives the value of the first line of that name as text, malformed UTF-8 repaired.
    public func firstString(_ name: FieldName) -> String? {
        guard let entry = firstEntry(name) else { return nil }
        return String(decoding: bytes[entry.value], as: UTF8.self)
    }

    /// Lends the value of the first line of that name, without copying it.
    public func withFirst<Result>(
        _ name: FieldName, _ body: (Span<UInt8>) throws -> Result
    ) rethrows -> Result? {
        guard let entry = firstEntry(name) else { return nil }
        return try body(bytes.span.extracting(entry.value))
    }

    /// Gives the values of all lines of that name, in order.
    public func all(_ name: FieldName) -> [[UInt8]] {
        var values: [[UInt8]] = []
        for entry in entries where matches(entry, name) {
            values.append(Array(bytes[entry.value]))
        }
        return values
    }

    /// Gives the lines of that name as one value, joined by commas.
    ///
    /// Source: RFC 9110 §5.2 and §5.3.
    public func combined(_ name: FieldName) -> [UInt8]? {
        var value: [UInt8]?
        for entry in entries where matches(entry, name) {
            if value == nil {
                value = Array(bytes[entry.value])
            } else {
                value?.append(contentsOf: [Octet.comma, Octet.space])
                value?.append(contentsOf: bytes[entry.value])
            }
        }
        return value
    }

    /// Tells whether there is a line of that name.
    public func contains(_ name: FieldName) -> Bool {
        firstEntry(name) != nil
    }

    /// Visits every line in order.
    public func forEach(_ body: (FieldName, [UInt8]) throws -> Void) rethrows {
        for entry in entries {
            try body(FieldName(lowercase: bytes[entry.name]), Array(bytes[entry.value]))
        }
    }

    private func firstEntry(_ name: FieldName) -> Entry? {
        for entry in entries where matches(entry, name) {
            return entry
        }
        return nil
    }

    private func matches(_ entry: Entry, _ name: FieldName) -> Bool {
        guard Int(entry.nameCount) == name.bytes.count else { return false }
        let start = Int(entry.start)
        for index in name.bytes.indices where bytes[start + index] != name.bytes[index] {
            return false
        }
        return true
    }
}

/// Writing and reading back.
extension Fields {
    /// Appends every line as `Name: value` and CRLF, names in the case that people expect to read.
    public func serialize(into output: inout [UInt8]) {
        output.reserveCapacity(output.count + byteCount)
        for entry in entries {
            FieldName.appendWireForm(of: bytes[entry.name], to: &output)
            output.append(Octet.colon)
            output.append(Octet.space)
            output.append(contentsOf: bytes[entry.value])
            output.append(Octet.carriageReturn)
            output.append(Octet.lineFeed)
        }
    }

    /// Gives every line as `Name: value` and CRLF, without the empty line that ends a head.
    public func serialized() -> [UInt8] {
        var output: [UInt8] = []
        serialize(into: &output)
        return output
    }

    /// Reads what `serialized()` wrote, nil when a line is not a field line (as after damage on disk).
    public init?(serialized input: [UInt8]) {
        self.init(serialized: input.span)
    }

    /// Reads what `serialized()` wrote, nil when a line is not a field line (as after damage on disk).
    public init?(serialized input: Span<UInt8>) {
        var position = 0
        bytes.reserveCapacity(input.count)
        while position < input.count {
            guard let line = FieldLine(in: input, from: position) else { return nil }
            append(received: input.extracting(line.name), input.extracting(line.value))
            position = line.end
        }
    }
}

extension Fields: ExpressibleByDictionaryLiteral {
    /// Makes a list from source text, in order, repeated names included.
    public init(dictionaryLiteral elements: (FieldName, String)...) {
        for (name, value) in elements {
            append(name, value)
        }
    }
}

extension Fields: CustomStringConvertible {
    /// The list as it is serialized, for tests and traces.
    public var description: String { String(decoding: serialized(), as: UTF8.self) }
}
