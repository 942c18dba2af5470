import ServiceHarness
import TestSupport
import Testing

/// Requests that two servers could read in two ways are refused, and the connection ends (RFC 9112 section 11.2).
@Suite(.blocking) struct `An ambiguous request` {
    private static let line = "GET /healthz HTTP/1.1\r\n"

    @Test(arguments: [
        line + "Host: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        line + "Host: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd",
        line + "Host: a\r\nContent-Length: +4\r\n\r\nabcd",
        line + "Host: a\r\nContent-Length: 4, 5\r\n\r\nabcd",
        line + "Host: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
        line + "Host: a\nX: y\r\n\r\n",
        line + "Host: a\rX: y\r\n\r\n",
        line + "Host: a\r\nX: a\0b\r\n\r\n",
        line + "Host: a\r\nX: a\r\n b\r\n\r\n",
        line + "Host : a\r\n\r\n",
        line + "Host: a\r\nB(d: x\r\n\r\n",
        line + "Host: a\r\n: x\r\n\r\n",
        line + "Host: a\r\nno colon\r\n\r\n",
        line + "\r\n",
        line + "Host: a\r\nHost: b\r\n\r\n",
        line + "Host: a b\r\n\r\n",
        "GET  /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /healthz\r\nHost: a\r\n\r\n",
        "GET /a\u{7F}b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /healthz http/1.1\r\nHost: a\r\n\r\n",
        "G(T /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
        "nonsense\r\n\r\n",
    ])
    func `is refused and the connection closed`(request: String) throws {
        let client = try TestService().connect()
        try client.send(request + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        let answer = try client.readAnswer()
        #expect(answer.status == 400 && answer.problem == "bad-request", "\(answer)")
        #expect(try client.readToEnd().isEmpty)
    }

    @Test(arguments: [
        (line + "Host: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501, "not-implemented"),
        (line + "Host: a\r\nTransfer-Encoding: xchunked\r\n\r\n", 501, "not-implemented"),
        ("GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n", 505, "version-not-supported"),
        ("GET /\(String(repeating: "x", count: 30_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414, "url-too-long"),
        (line + "Host: a\r\nX: \(String(repeating: "x", count: 9000))\r\n\r\n", 431, "head-too-large"),
    ])
    func `of another kind is refused by its own status`(request: String, status: Int, problem: String) throws {
        let client = try TestService().connect()
        try client.send(request)
        let answer = try client.readAnswer()
        #expect(answer.status == status && answer.problem == problem, "\(answer)")
        #expect(client.isClosedByPeer())
    }

    /// C113.
    @Test func `body is never taken for a request`() throws {
        let hidden = "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n"
        let chunk = "\(String(hidden.utf8.count, radix: 16))\r\n\(hidden)\r\n0\r\n\r\n"
        for body in [
            "Content-Length: \(hidden.utf8.count)\r\n\r\n" + hidden, "Transfer-Encoding: chunked\r\n\r\n" + chunk,
        ] {
            let client = try TestService().connect()
            try client.send(Self.line + "Host: a\r\n" + body)
            let answer = try client.readAnswer()
            #expect(answer.status == 200, "\(answer)")
            guard answer["connection"] != "close" else {
                #expect(try client.readToEnd().isEmpty)
                continue
            }
            #expect(try client.exchange("GET", "/").status == 200)
        }
    }
}
