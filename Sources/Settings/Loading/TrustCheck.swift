import FoundationEssentials

/// Whether the certificates that origins are verified with are there.
///
/// The TLS library looks for them when it first connects: a slip would show as failing downloads, not at the start.
struct TrustCheck: Sendable {
    /// What will not do.
    struct Fault: Equatable {
        /// What stands there.
        let found: String
        /// What would do.
        let expected: String
    }

    /// The option that names the file or directory.
    let option: String
    /// Looks at the disk.
    let judge: @Sendable (Configuration) -> Fault?

    /// All checks.
    static let all = [
        TrustCheck(option: "caFile") { $0.caFile.flatMap { fault(ofFile: $0) } },
        TrustCheck(option: "caPath") { $0.caPath.flatMap { fault(ofDirectory: $0) } },
    ]

    private static func fault(ofFile path: String) -> Fault? {
        func fault(_ what: String) -> Fault {
            Fault(found: "\(Setting.quoted(path)), \(what)", expected: "a readable PEM file of certificates")
        }
        var isDirectory = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            return fault("which is not there")
        }
        guard !isDirectory else { return fault("which is a directory; that would be caPath") }
        guard let data = FileManager.default.contents(atPath: path) else {
            return fault("which this account may not read")
        }
        guard !data.isEmpty else { return fault("which is empty") }
        let certificates = CertificateText.certificates(in: Array(data))
        guard !certificates.isEmpty else { return fault("which holds no PEM certificate") }
        // One that is damaged makes the TLS library refuse the whole file.
        return certificates.firstIndex(of: false).map { fault("whose certificate \($0 + 1) is damaged") }
    }

    private static func fault(ofDirectory path: String) -> Fault? {
        func fault(_ what: String) -> Fault {
            Fault(
                found: "\(Setting.quoted(path)), \(what)",
                expected: "a directory of certificates that `openssl rehash` was run on")
        }
        var isDirectory = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            return fault("which is not there")
        }
        guard isDirectory else { return fault("which is no directory; a file would be caFile") }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            return fault("which this account may not read")
        }
        return names.contains(where: CertificateText.isHashedName) ? nil : fault("which holds no hashed certificate")
    }
}

/// Just enough of PEM to tell a certificate from something else.
///
/// Source: RFC 7468 sections 2 and 5.
enum CertificateText {
    private static let labels = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]
    private static let openings = Set(labels.map { Array("-----BEGIN \($0)-----".utf8)[...] })
    private static let closing = Array("-----END ".utf8)

    /// Finds the certificates of a file.
    ///
    /// - Returns: for each, whether it is whole and decodes to what may be one.
    static func certificates(in bytes: [UInt8]) -> [Bool] {
        var found: [Bool] = []
        var body: [UInt8]?
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let text = trimmed(line)
            if openings.contains(text) {
                if body != nil { found.append(false) }
                body = []
            } else if let whole = body, text.starts(with: closing) {
                found.append(isSequence(whole))
                body = nil
            } else {
                body?.append(contentsOf: text)
            }
        }
        return body == nil ? found : found + [false]
    }

    /// Whether a file name is one that `openssl rehash` makes for a certificate: `5ed36f99.0`.
    static func isHashedName(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isDigit: (UInt8) -> Bool = { (48...57).contains($0) }
        guard parts.count == 2, parts[0].count == 8, !parts[1].isEmpty else { return false }
        return parts[0].allSatisfy { isDigit($0) || (97...102).contains($0) } && parts[1].allSatisfy(isDigit)
    }

    /// Whether base64 text is that of an ASN.1 SEQUENCE, which every certificate is.
    private static func isSequence(_ base64: [UInt8]) -> Bool {
        Data(base64Encoded: Data(base64))?.first == 0x30
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isText: (UInt8) -> Bool = { $0 > 0x20 }
        guard let first = line.firstIndex(where: isText), let last = line.lastIndex(where: isText) else { return [] }
        return line[first...last]
    }
}
