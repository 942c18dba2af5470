import ServiceHarness
import Settings
import TestSupport
import Testing

/// https: verified against the authority of the configuration.
@Suite(.blocking) struct `An https origin` {
    private let picture = OriginReply.image(.png, bytes: 5000, headers: ["Cache-Control": "max-age=60"])

    /// C165.
    @Test func `of a known authority is fetched from, also through a redirect`() throws {
        let certificates = try TestCertificates()
        let secure = try TLSOrigin(
            certificate: try certificates.leaf("good", names: ["origin.test"]), pictures: ["/a.png": picture])
        let plain = try ScriptedOrigin()
        plain.on("/a", .redirect(to: secure.url("/a.png", host: "origin.test")))
        let service = try TestService {
            $0.caFile = certificates.authorityFile
            try $0.resolve("origin.test")
        }
        #expect(try service.get(url: secure.url("/a.png")).isImage(picture.body))
        #expect(try service.get(url: secure.url("/a.png", host: "origin.test")).isImage(picture.body))
        #expect(try service.get("/a", of: plain).isImage(picture.body))
        #expect(try service.get(url: secure.url("/a.png")).isHit)
    }

    /// C165.
    @Test func `with a wrong certificate is refused`() throws {
        let certificates = try TestCertificates()
        let foreign = try TestCertificates()
        let wrongName = try TLSOrigin(
            certificate: try certificates.leaf("name", names: ["other.test"], addresses: ["127.0.0.9"]),
            pictures: ["/a.png": picture])
        let wrongAuthority = try TLSOrigin(certificate: try foreign.leaf("good"), pictures: ["/a.png": picture])
        let service = try TestService { $0.caFile = certificates.authorityFile }
        for url in [wrongName.url("/a.png"), wrongAuthority.url("/a.png")] {
            let answer = try service.get(url: url)
            #expect(answer.status == 502 && answer.problem == "origin-tls", "\(answer)")
            #expect(answer["proxy-status"] != nil)
        }
    }
}
