import HTTPMessages

/// One hop, ready to be sent: nothing is left to be looked up or judged, though libcurl's sockets are judged once more.
struct TransferRequest {
    /// What to ask.
    let url: TargetURL
    /// Fields to send.
    let fields: Fields
    /// The addresses that may be connected to, in order of preference; not empty.
    let addresses: [IPAddress]

    /// Fields that belong to the connection or to libcurl; nobody may set them.
    private static let reserved: Set<FieldName> = [
        .host, .connection, .contentLength, .transferEncoding, .te, .trailer, .upgrade, .expect, .keepAlive,
        .proxyConnection, .proxyAuthorization,
    ]

    /// The lines for `CURLOPT_HTTPHEADER`.
    ///
    /// Identity is asked for by name: without the field, RFC 9110, section 12.5.3, lets an origin send any coding.
    func headerLines() throws(OriginSetupError) -> CurlList {
        var lines: [[UInt8]] = []
        if !fields.contains(.acceptEncoding) { lines.append(Array("Accept-Encoding: identity".utf8)) }
        fields.forEach { name, value in
            guard !Self.reserved.contains(name) else { return }
            // libcurl takes `name:` for "leave this field out" and `name;` for an empty one.
            lines.append(name.bytes + (value.isEmpty ? Array(";".utf8) : Array(": ".utf8) + value))
        }
        return try Self.list(lines)
    }

    /// The line for `CURLOPT_RESOLVE`; none when the host is an address.
    ///
    /// `+` gives the entry an age, so that libcurl drops it soon. Loading it replaces what an earlier transfer left
    /// under the name, and libcurl connects in the same step in which it loads.
    ///
    /// Source: `CURLOPT_RESOLVE(3)`.
    func resolveLines() throws(OriginSetupError) -> CurlList {
        guard !url.isIPLiteral else { return try Self.list([]) }
        let texts = addresses.map { address in
            if case .v6 = address { "[\(address)]" } else { "\(address)" }
        }
        return try Self.list([Array("+\(url.hostName):\(url.port):\(texts.joined(separator: ","))".utf8)])
    }

    private static func list(_ lines: [[UInt8]]) throws(OriginSetupError) -> CurlList {
        var list = CurlList()
        for line in lines { try list.append(line) }
        return list
    }
}
