import HTTPMessages

/// The name by which this process knows itself on the way of a request.
enum Instance {
    /// Random, so that two services in a row are no loop.
    private static let identifier = String(UInt64.random(in: .min ... .max), radix: 36)

    /// What `Via` says of us to clients.
    static let via = "1.1 imagestore"
    /// What `Via` says of us to origins; seen in a request, it means a loop.
    static let viaToOrigin = "1.1 imagestore-\(identifier)"

    /// Whether a request has passed here before.
    static func isLoop(_ via: [UInt8]) -> Bool {
        String(decoding: via, as: UTF8.self).contains("imagestore-\(identifier)")
    }
}
