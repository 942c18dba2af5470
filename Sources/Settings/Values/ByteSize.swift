/// Sizes as the configuration writes them: bytes, or `"200MB"` (10^6) and `"200MiB"` (2^20).
enum ByteSize {
    /// Units from large to small.
    ///
    /// The letters' case is part of the unit, but for `kB`, which SI spells so.
    private static let units: [(suffix: String, bytes: Int)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10),
        ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1000), ("kB", 1000), ("B", 1),
    ]

    /// Reads a size.
    ///
    /// - Returns: The bytes; nil when the text is not a whole number with a known unit, or is too large for `Int`.
    static func parse(_ text: String) -> Int? {
        let unit = units.first { text.hasSuffix($0.suffix) }
        let digits = text.dropLast(unit?.suffix.count ?? 0)
        guard let count = Decimal.parse(digits) else { return nil }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: unit?.bytes ?? 1)
        return overflow ? nil : bytes
    }

    /// Writes a size in the largest unit that divides it, decimal before binary.
    static func render(_ bytes: Int) -> Setting {
        guard bytes > 0 else { return .integer(bytes) }
        let order = units.filter { !$0.suffix.contains("i") } + units.filter { $0.suffix.contains("i") }
        guard let unit = order.first(where: { $0.bytes > 1 && bytes.isMultiple(of: $0.bytes) }) else {
            return .integer(bytes)
        }
        return .string("\(bytes / unit.bytes)\(unit.suffix)")
    }

    /// The size as a message says it.
    static func text(_ bytes: Int) -> String {
        switch render(bytes) {
        case .string(let text): text
        default: String(bytes)
        }
    }
}

/// Whole numbers in plain digits.
enum Decimal {
    /// Reads digits and nothing else: no sign, no space, no separator.
    static func parse(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}
