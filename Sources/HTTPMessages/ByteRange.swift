/// The one byte range that a `Range` field asks for.
///
/// Several ranges, other units and malformed values have no `ByteRange`: the field is then ignored, as a server may
/// do (RFC 9110 §14.2).
///
/// Source: RFC 9110 §14.1.2.
public enum ByteRange: Hashable, Sendable {
    /// `first-last`, both included; `last` is nil in `first-`.
    case fromFirst(Int64, last: Int64?)
    /// `-length`: the last bytes.
    case suffix(length: Int64)

    /// What a range means for a body of known length.
    public enum Resolution: Hashable, Sendable {
        /// These bytes.
        case satisfiable(Range<Int64>)
        /// No byte of the body is in the range: 416.
        case unsatisfiable
    }

    /// Reads the value of a `Range` field; nil when it is to be ignored.
    public init?(parsing value: Span<UInt8>) {
        let whole = FieldList.trimmed(0..<value.count, in: value)
        guard whole.count > Self.unit.count else { return nil }
        for (offset, byte) in Self.unit.enumerated() {
            guard FieldList.lowercased(value[whole.lowerBound + offset]) == byte else { return nil }
        }
        let set = whole.lowerBound + Self.unit.count..<whole.upperBound
        var members: [Range<Int>] = []
        FieldList.forEachMember(in: value.extracting(set)) { members.append($0) }
        guard members.count == 1, let member = members.first else { return nil }
        self.init(spec: value.extracting(set).extracting(member))
    }

    /// Resolves the range against a body of `length` bytes.
    ///
    /// Source: RFC 9110 §14.1.2: a last position beyond the end means the end; an empty suffix is unsatisfiable.
    public func resolved(length: Int64) -> Resolution {
        switch self {
        case .fromFirst(let first, let last):
            guard first < length else { return .unsatisfiable }
            let end = last.map { min($0, length - 1) + 1 } ?? length
            return .satisfiable(first..<end)
        case .suffix(let count):
            guard count > 0, length > 0 else { return .unsatisfiable }
            return .satisfiable(max(0, length - count)..<length)
        }
    }

    private static let unit = Array("bytes=".utf8)

    private init?(spec: Span<UInt8>) {
        var dash = 0
        while dash < spec.count, spec[dash] != UInt8(ascii: "-") { dash += 1 }
        guard dash < spec.count else { return nil }
        let last = Self.position(spec.extracting(dash + 1..<spec.count))
        if dash == 0 {
            guard let last else { return nil }
            self = .suffix(length: last)
            return
        }
        guard let first = Self.position(spec.extracting(0..<dash)) else { return nil }
        if dash + 1 == spec.count {
            self = .fromFirst(first, last: nil)
            return
        }
        guard let last, last >= first else { return nil }
        self = .fromFirst(first, last: last)
    }

    /// A decimal number; one that does not fit is taken as the greatest that does, less one so that it can be added to.
    private static func position(_ digits: Span<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var result: Int64 = 0
        for index in digits.indices {
            let digit = digits[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            let (product, overflow) = result.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflow) = product.addingReportingOverflow(Int64(digit))
            result = overflow || sumOverflow ? Int64.max - 1 : min(sum, Int64.max - 1)
        }
        return result
    }
}
