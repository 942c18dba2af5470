import TestSupport
import Testing

@testable import Settings

struct TrustCheckTests {
    private let directory: TemporaryDirectory
    /// A SEQUENCE that holds nothing: enough to be taken for a certificate.
    private static let certificate = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func fault(_ key: String, _ name: String) -> String {
        complaint(set: ["\(key)=\(directory.path)/\(name)"])
    }

    private func block(_ key: String, _ name: String, _ what: String, expected: String) -> String {
        """
        --set: \(key): bad value
            found:    "\(directory.path)/\(name)", \(what)
            expected: \(expected)
        """
    }

    @Test(arguments: [
        ("", "which is empty"), ("hello\n", "which holds no PEM certificate"),
        ("-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n", "which holds no PEM certificate"),
        ("-----BEGIN CERTIFICATE-----\nMAA=\n", "whose certificate 1 is damaged"),
        (certificate + "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----", "whose certificate 2 is damaged"),
        ("-----BEGIN CERTIFICATE-----\nhello world\n-----END CERTIFICATE-----", "whose certificate 1 is damaged"),
        ("-----BEGIN CERTIFICATE-----\nMAA=\n" + certificate, "whose certificate 1 is damaged"),
    ])
    func `a file without certificates is refused`(text: String, what: String) throws {
        try directory.write(Array(text.utf8), to: "ca.pem")
        #expect(
            fault("caFile", "ca.pem")
                == block("caFile", "ca.pem", what, expected: "a readable PEM file of certificates"))
    }

    @Test func `a file that is not there or a directory is refused`() throws {
        try directory.write([], to: "folder/x")
        let expected = "a readable PEM file of certificates"
        #expect(fault("caFile", "x") == block("caFile", "x", "which is not there", expected: expected))
        #expect(
            fault("caFile", "folder")
                == block("caFile", "folder", "which is a directory; that would be caPath", expected: expected))
    }

    @Test func `a directory that is not there, a file, or not hashed is refused`() throws {
        try directory.write(Array(Self.certificate.utf8), to: "folder/ca.pem")
        let expected = "a directory of certificates that `openssl rehash` was run on"
        #expect(fault("caPath", "x") == block("caPath", "x", "which is not there", expected: expected))
        #expect(
            fault("caPath", "folder/ca.pem")
                == block("caPath", "folder/ca.pem", "which is no directory; a file would be caFile", expected: expected)
        )
        #expect(
            fault("caPath", "folder")
                == block("caPath", "folder", "which holds no hashed certificate", expected: expected))
        try directory.write(Array(Self.certificate.utf8), to: "folder/0123abcd.0")
        #expect(fault("caPath", "folder").isEmpty)
    }

    @Test func `real certificates pass, with text around them and lines of any ending`() throws {
        let certificates = try TestCertificates()
        try withExtendedLifetime(certificates) {
            let leaf = try certificates.leaf("origin")
            #expect(complaint(set: ["caFile=\(certificates.authorityFile)"]).isEmpty)
            #expect(complaint(set: ["caFile=\(leaf.certificate)"]).isEmpty)
            #expect(complaint(set: ["caFile=\(leaf.key)"]).contains("which holds no PEM certificate"))
        }
        let text = "# ours\n" + Self.certificate + "\n" + Self.certificate
        try directory.write(Array(text.utf8), to: "unix.pem")
        #expect(fault("caFile", "unix.pem").isEmpty)
        try directory.write(Array(text.utf8.flatMap { $0 == 10 ? [13, 10] : [$0] }), to: "dos.pem")
        #expect(fault("caFile", "dos.pem").isEmpty)
    }
}
