import Testing

@testable import Origin
@testable import TestSupport

@Suite(.blocking) struct TLSTests {
    let certificates: TestCertificates
    let picture = OriginReply.image(.png, bytes: 40_000)

    init() throws {
        certificates = try TestCertificates()
    }

    private func origin(_ name: String, names: [String] = ["localhost"], addresses: [String] = ["127.0.0.1"]) throws
        -> TLSOrigin
    {
        let leaf = try certificates.leaf(name, names: names, addresses: addresses)
        return try TLSOrigin(certificate: leaf, pictures: ["/a.png": picture])
    }

    private func rig(trusting file: String?) throws -> OriginRig {
        try OriginRig {
            $0.caFile = file
            $0.hostOverrides = [HostOverride(host: "good.test", address: .loopbackV4)]
        }
    }

    @Test func `a certificate of a trusted authority is good`() throws {
        let origin = try origin("good", names: ["good.test"])
        defer { origin.close() }
        let rig = try rig(trusting: certificates.authorityFile)
        #expect(try rig.result(origin.url("/a.png")).body == picture.body)
        #expect(try rig.result(origin.url("/a.png", host: "good.test")).body == picture.body)
    }

    @Test func `an unknown authority is refused`() throws {
        let origin = try origin("unknown")
        defer { origin.close() }
        let error = try rig(trusting: nil).result(origin.url("/a.png")).error
        guard case .tls(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.hasPrefix("certificate: "))
        #expect(error?.proxyStatusType == "tls_certificate_error" && error?.mayPass == false)
    }

    @Test func `a certificate for another name is refused`() throws {
        let origin = try origin("other", names: ["other.test"], addresses: ["127.0.0.2"])
        defer { origin.close() }
        let rig = try rig(trusting: certificates.authorityFile)
        for url in [origin.url("/a.png"), origin.url("/a.png", host: "good.test")] {
            guard case .tls = try rig.result(url).error else {
                Issue.record("not refused: \(url)")
                return
            }
        }
    }

    @Test func `an origin that does not speak TLS`() throws {
        let listener = try Socket.listening(at: .loopback(0))
        let port = listener.localPort
        let thread = ScriptThread {
            guard let connection = listener.accepted() else { return }
            try? connection.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), upTo: .seconds(5))
            connection.close()
            listener.close()
        }
        let error = try rig(trusting: nil).result("https://127.0.0.1:\(port)/a.png").error
        thread.join()
        guard case .tls(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.hasPrefix("handshake: "))
        #expect(error?.proxyStatusType == "tls_protocol_error")
    }
}
