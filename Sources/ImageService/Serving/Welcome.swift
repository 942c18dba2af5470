import Settings

/// What `GET /` says.
enum Welcome {
    /// For applications; the examples name the service as the client did.
    static func data(host: String) -> String {
        let host = host.isEmpty ? "127.0.0.1:8080" : host
        return """
            imagestore \(Version.current): a caching proxy for images.

            Ask for an image, its URL percent-encoded:

                curl 'http://\(host)/image?url=https%3A%2F%2Fexample.com%2Fa.png'

            or through the proxy form:

                curl -x http://\(host) http://example.com/a.png

            """
    }

    /// For operators.
    static let admin = """
        imagestore \(Version.current), admin listener.

        GET /healthz   alive
        GET /readyz    takes clients
        GET /metrics   Prometheus text
        GET /stats     the same as JSON

        """
}
