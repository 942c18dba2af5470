import HTTPMessages
import Testing

@testable import ImageService

@Suite struct RouteTests {
    private func route(_ target: String, _ method: HTTPMessages.Method = .get) -> Route {
        Route(Array(target.utf8).span, method: method)
    }

    @Test(
        arguments: [
            ("/image", .image(query: 6..<6)), ("/image?", .image(query: 7..<7)),
            ("/image?url=x", .image(query: 7..<12)),
            ("/image??", .image(query: 7..<8)), ("/image?url=http://o.test/a?b", .image(query: 7..<28)),
            ("/", .welcome), ("/?", .welcome), ("/?a=b", .welcome), ("/healthz", .health), ("/healthz?x", .health),
            ("/image/", .other(path: 0..<7, query: 7..<7)), ("/Image", .other(path: 0..<6, query: 6..<6)),
            ("/images?url=x", .other(path: 0..<7, query: 8..<13)), ("/imag", .other(path: 0..<5, query: 5..<5)),
            ("//image", .other(path: 0..<7, query: 7..<7)), ("/%69mage", .other(path: 0..<8, query: 8..<8)),
            ("/healthz/", .other(path: 0..<9, query: 9..<9)), ("/metrics", .other(path: 0..<8, query: 8..<8)),
            ("http://o.test/a.png", .proxied), ("HTTPS://o.test/image?url=x", .proxied), ("*", .proxied),
            ("image", .proxied),
        ] as [(String, Route)])
    func `a target leads to one place`(target: String, expected: Route) {
        #expect(route(target) == expected)
    }

    @Test func `the method does not matter for the place, but for CONNECT`() {
        for method in [HTTPMessages.Method.get, .head, .post, .put, .delete, .options] {
            #expect(route("/image?url=x", method) == .image(query: 7..<12))
        }
        #expect(route("o.test:443", .connect) == .tunnel)
        #expect(route("/image", .connect) == .tunnel)
    }
}
