/// Says which addresses may be connected to.
///
/// Three rules, in this order: our own listeners are closed whatever else is said, the operator's exceptions are open,
/// special-purpose networks are closed. An IPv4 address inside an IPv6 one is judged as well, since a gateway on the
/// way would connect to it.
public struct AddressGuard: Sendable {
    /// Where this service listens.
    public struct Listener: Hashable, Sendable {
        /// The bound address; unspecified means every local one.
        public let address: IPAddress
        /// The bound port.
        public let port: UInt16

        /// A bound address and port.
        public init(address: IPAddress, port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    private let allowedNetworks: [NetworkRange]
    private let ownListeners: [Listener]
    private let localAddresses: Set<IPAddress>

    /// Makes a guard.
    /// - Parameters:
    ///   - allowedNetworks: special-purpose networks that this deployment needs.
    ///   - ownListeners: where this service listens, ports resolved.
    ///   - localAddresses: the addresses of this machine's interfaces, for listeners bound to all of them.
    public init(
        allowedNetworks: [NetworkRange] = [], ownListeners: [Listener] = [], localAddresses: [IPAddress] = []
    ) {
        self.allowedNetworks = allowedNetworks
        self.ownListeners = ownListeners
        self.localAddresses = Set(localAddresses.map(Self.unmapped))
    }

    /// Judges one address that a connection is about to be made to.
    public func judge(_ address: IPAddress, port: UInt16) -> AddressVerdict {
        let content = EmbeddedIPv4.content(of: address)
        let faces = [address] + (content?.addresses ?? [])
        if faces.contains(where: { isOwnListener($0, port: port) }) { return .refused(.ownListener) }
        if isException(address) { return .allowed }

        let judged = content.map { $0.replacesOuter ? $0.addresses : [address] + $0.addresses } ?? [address]
        for face in judged {
            if let rule = SpecialNetworks.rule(for: face), !isException(face) { return .refused(rule) }
        }
        return .allowed
    }

    /// True when the operator opened loopback, which makes the name `localhost` usable.
    public var allowsLoopback: Bool { isException(.loopbackV4) || isException(.loopbackV6) }

    private func isException(_ address: IPAddress) -> Bool {
        allowedNetworks.contains { $0.contains(address) }
    }

    private func isOwnListener(_ address: IPAddress, port: UInt16) -> Bool {
        guard ownListeners.contains(where: { $0.port == port }) else { return false }
        let target = Self.unmapped(address)
        return ownListeners.contains { listener in
            guard listener.port == port else { return false }
            let bound = Self.unmapped(listener.address)
            if bound.isUnspecified { return isLocal(target) }
            // Linux takes a connection to an unspecified address to loopback.
            return bound == target || (target.isUnspecified && Self.isLoopback(bound))
        }
    }

    private func isLocal(_ address: IPAddress) -> Bool {
        address.isUnspecified || Self.isLoopback(address) || localAddresses.contains(address)
    }

    private static func isLoopback(_ address: IPAddress) -> Bool {
        switch address {
        case .v4(let value): value >> 24 == 127
        case .v6: address == .loopbackV6
        }
    }

    /// An IPv4-mapped address as the IPv4 address that the kernel makes of it.
    private static func unmapped(_ address: IPAddress) -> IPAddress {
        guard case .v6(high: 0, let low) = address, low >> 32 == 0xFFFF else { return address }
        return .v4(UInt32(truncatingIfNeeded: low))
    }
}
