import HTTPMessages

/// Writes one JSON text from front to back; it sets the commas, the caller closes what it opens.
struct JSONWriter {
    /// The text so far.
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Starts an empty text.
    init() {}

    /// Opens an object.
    mutating func beginObject() { open(UInt8(ascii: "{")) }
    /// Closes an object.
    mutating func endObject() { close(UInt8(ascii: "}")) }
    /// Opens an array.
    mutating func beginArray() { open(UInt8(ascii: "[")) }
    /// Closes an array.
    mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes the name of the member whose value comes next.
    mutating func key(_ name: String) {
        separate()
        JSONText.appendString(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string.
    mutating func string(_ text: String) {
        value { JSONText.appendString(text, to: &$0) }
    }

    /// Writes a string of bytes that may be anything.
    mutating func string(_ text: [UInt8]) {
        value { JSONText.appendString(text, to: &$0) }
    }

    /// Writes a whole number.
    mutating func number(_ number: Int) {
        value { JSONText.appendNumber(number, to: &$0) }
    }

    /// Writes a whole number that has no sign.
    mutating func number(_ number: UInt64) {
        value { DecimalText.append(number, to: &$0) }
    }

    /// Writes a number.
    mutating func number(_ number: Double) {
        value { JSONText.appendNumber(number, to: &$0) }
    }

    /// Writes true or false.
    mutating func boolean(_ isTrue: Bool) {
        value { $0.append(contentsOf: isTrue ? "true".utf8 : "false".utf8) }
    }

    /// Writes null.
    mutating func null() {
        value { $0.append(contentsOf: "null".utf8) }
    }

    /// Writes a value that is JSON already.
    mutating func raw(_ json: [UInt8]) {
        value { $0.append(contentsOf: json) }
    }

    private mutating func value(_ write: (inout [UInt8]) -> Void) {
        separate()
        write(&bytes)
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }
}
