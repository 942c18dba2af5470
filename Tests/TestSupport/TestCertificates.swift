/// A certificate authority for one test, and leaf certificates it signed; made by the `openssl` command.
public final class TestCertificates: Sendable {
    private let directory: TemporaryDirectory

    /// The authority's certificate, as a PEM file.
    public var authorityFile: String { directory.path + "/ca.pem" }

    /// Makes the authority.
    public init() throws {
        directory = try TemporaryDirectory()
        try makeKey("ca")
        try openssl([
            "req", "-x509", "-new", "-key", "ca.key", "-days", "30", "-subj", "/CN=Test CA", "-out", "ca.pem",
            "-addext", "keyUsage=critical,keyCertSign,cRLSign",
        ])
    }

    /// Makes a certificate for the names and addresses, signed by the authority; hands back the paths.
    public func leaf(
        _ name: String, names: [String] = ["localhost"], addresses: [String] = ["127.0.0.1"]
    ) throws -> (certificate: String, key: String) {
        let subjects = names.map { "DNS:\($0)" } + addresses.map { "IP:\($0)" }
        try directory.write(
            Array("subjectAltName=\(subjects.joined(separator: ","))\nextendedKeyUsage=serverAuth\n".utf8),
            to: "\(name).ext")
        try makeKey(name)
        try openssl(["req", "-new", "-key", "\(name).key", "-subj", "/CN=\(name)", "-out", "\(name).csr"])
        try openssl([
            "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "30",
            "-extfile", "\(name).ext", "-out", "\(name).pem",
        ])
        return ("\(directory.path)/\(name).pem", "\(directory.path)/\(name).key")
    }

    private func makeKey(_ name: String) throws {
        try openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "\(name).key"])
    }

    private func openssl(_ arguments: [String]) throws {
        try Command.run(["openssl"] + arguments, directory: directory.path)
    }
}
