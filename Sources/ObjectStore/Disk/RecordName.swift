/// The names of files in the cache directory: `ab/<32 hex digits>` for records, `<32 hex digits>.<number>` for files
/// being written.
///
/// Anything else is foreign, and neither counted nor touched.
enum RecordName {
    /// The 256 directories, by the first two digits of the names in them.
    static let directories: [String] = (0..<256).map { number in
        String(decoding: [digits[number >> 4], digits[number & 15]], as: UTF8.self)
    }

    /// Lower-case hexadecimal.
    private static let digits = Array("0123456789abcdef".utf8)

    /// The name of a record, without its directory.
    static func file(of hash: KeyHash) -> String {
        var name: [UInt8] = []
        name.reserveCapacity(32)
        for word in [hash.high, hash.low] {
            for shift in stride(from: UInt64(60), through: 0, by: -4) {
                name.append(digits[Int(word >> shift & 15)])
            }
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// The directory of a record.
    static func directory(of hash: KeyHash) -> String {
        directories[Int(hash.high >> 56)]
    }

    /// The hash that a name stands for; nil if the name is not one of ours.
    static func hash(ofFile name: String) -> KeyHash? {
        let bytes = Array(name.utf8)
        guard bytes.count == 32 else { return nil }
        var words: [UInt64] = [0, 0]
        for (index, byte) in bytes.enumerated() {
            guard let digit = value(of: byte) else { return nil }
            words[index / 16] = words[index / 16] << 4 | digit
        }
        return KeyHash(high: words[0], low: words[1])
    }

    /// Whether a name in the directory for files being written is one of ours.
    static func isTemporary(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return false
        }
        return hash(ofFile: String(parts[0])) != nil
    }

    private static func value(of digit: UInt8) -> UInt64? {
        switch digit {
        case 0x30...0x39: UInt64(digit - 0x30)
        case 0x61...0x66: UInt64(digit - 0x61 + 10)
        default: nil
        }
    }
}
