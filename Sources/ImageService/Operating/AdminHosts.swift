import Settings

/// Which `Host` the admin listener answers to: a page in a browser must not reach it under a name of its own (DNS
/// rebinding).
enum AdminHosts {
    /// Judges a `Host` value: `localhost`, a name of `adminHosts`, or the literal address of a listener.
    ///
    /// A wildcard listener, and a Unix socket, admit every literal: a literal cannot be rebound.
    static func admits(_ host: Span<UInt8>, _ snapshot: Snapshot) -> Bool {
        var bytes = host.copied()
        if bytes.last != UInt8(ascii: "]"), let colon = bytes.lastIndex(of: UInt8(ascii: ":")) {
            bytes.removeSubrange(colon...)
        }
        var name = String(decoding: bytes, as: UTF8.self).lowercased()
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        if name.hasSuffix(".") { name.removeLast() }
        if name == "localhost" || snapshot.configuration.adminHosts.contains(where: { $0.matches(name) }) {
            return true
        }
        return IPLiteral(name).map { literal in isListener(literal, snapshot) } ?? false
    }

    private static func isListener(_ literal: IPLiteral, _ snapshot: Snapshot) -> Bool {
        snapshot.configuration.adminListen.contains { listener in
            switch listener {
            case .tcp(let address, _): address == literal || address.bytes.allSatisfy { $0 == 0 }
            case .unix: true
            }
        }
    }
}
