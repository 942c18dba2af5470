/// Which rule refuses a target; for log, counter and explanation, never for the client.
public enum TargetRule: Hashable, Sendable {
    /// The host is on the deny list.
    case deniedHost
    /// There is an allow list and the host is not on it.
    case hostNotAllowed
    /// The port belongs to another protocol.
    case blockedPort
    /// There is a list of ports and this one is not on it.
    case portNotAllowed
    /// The name means this machine.
    case localName
    /// The address is closed.
    case address(AddressRule)

    /// A fixed word for counters and logs.
    public var label: String {
        switch self {
        case .deniedHost: "denied-host"
        case .hostNotAllowed: "host-not-allowed"
        case .blockedPort: "blocked-port"
        case .portNotAllowed: "port-not-allowed"
        case .localName: "local-name"
        case .address(let rule): rule.rawValue
        }
    }
}

/// What the policy says about a URL or an address.
public enum TargetVerdict: Hashable, Sendable {
    /// May be fetched.
    case allowed
    /// Must not be fetched.
    case refused(TargetRule)
}

/// Says which URLs may be fetched, and which of a name's addresses may be connected to.
///
/// A URL is judged before anything is resolved, on each hop of a redirect and again for what is cached; each address
/// is judged when a name is resolved and once more when the socket is opened.
public struct TargetPolicy: Sendable {
    private let allowedHosts: [HostPattern]
    private let deniedHosts: [HostPattern]
    private let allowedPorts: Set<UInt16>
    private let addressGuard: AddressGuard

    /// Makes a policy; empty lists of allowed hosts or ports allow all.
    public init(
        allowedHosts: [HostPattern] = [], deniedHosts: [HostPattern] = [], allowedPorts: [UInt16] = [],
        addressGuard: AddressGuard = AddressGuard()
    ) {
        self.allowedHosts = allowedHosts
        self.deniedHosts = deniedHosts
        self.allowedPorts = Set(allowedPorts)
        self.addressGuard = addressGuard
    }

    /// Judges a URL by host, port and, when the host is an address, by that.
    public func judge(_ url: TargetURL) -> TargetVerdict {
        let host = url.host
        if isDenied(host, url.address) { return .refused(.deniedHost) }
        if !allowedHosts.isEmpty, !allowedHosts.contains(where: { $0.matches(host: host) }) {
            return .refused(.hostNotAllowed)
        }
        if BlockedPorts.contains(url.port) { return .refused(.blockedPort) }
        if !allowedPorts.isEmpty, !allowedPorts.contains(url.port) { return .refused(.portNotAllowed) }
        if let address = url.address { return judge(address, port: url.port) }
        if Self.isLocalName(host), !addressGuard.allowsLoopback { return .refused(.localName) }
        return .allowed
    }

    /// Judges an address that a name resolved to, or that a socket is about to be connected to.
    public func judge(_ address: IPAddress, port: UInt16) -> TargetVerdict {
        switch addressGuard.judge(address, port: port) {
        case .allowed: .allowed
        case .refused(let rule): .refused(.address(rule))
        }
    }

    /// A denied IPv4 address is denied inside an IPv6 one too; an allow list wants the spelling that it names.
    private func isDenied(_ host: [UInt8], _ address: IPAddress?) -> Bool {
        guard !deniedHosts.isEmpty else { return false }
        let inner = address.flatMap(EmbeddedIPv4.content)?.addresses ?? []
        let faces = [host] + inner.map { Array($0.description.utf8) }
        return faces.contains { face in deniedHosts.contains { $0.matches(host: face) } }
    }

    /// Source: RFC 6761, section 6.3: `localhost` and every name below it mean loopback.
    private static func isLocalName(_ host: [UInt8]) -> Bool {
        let name = Array("localhost".utf8)
        guard host.count > name.count else { return host == name }
        return host.suffix(name.count).elementsEqual(name) && host[host.count - name.count - 1] == UInt8(ascii: ".")
    }
}
