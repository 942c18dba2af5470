import Settings
import TestSupport

extension Configuration {
    /// Opens only these special-purpose networks for fetching.
    public mutating func open(networks: String...) throws {
        allowedNetworks = try networks.map { try known($0, AddressRange.init) }
    }

    /// Fetches only from these hosts.
    public mutating func allow(hosts: String...) throws {
        allowedHosts = try hosts.map { try known($0, HostPattern.init) }
    }

    /// Never fetches from these hosts.
    public mutating func deny(hosts: String...) throws {
        deniedHosts = try hosts.map { try known($0, HostPattern.init) }
    }

    /// Takes this address for the host instead of asking a name server.
    public mutating func resolve(_ host: String, to address: String = "127.0.0.1") throws {
        hostOverrides.append(
            HostOverride(
                host: try known(host, HostPattern.init), address: try known(address, { IPLiteral($0) })))
    }

    /// Remembers no failure of any kind longer than this.
    public mutating func forgetFailures(after duration: Duration) {
        negativeTTL.notFound = duration
        negativeTTL.serverError = duration
        negativeTTL.refused = duration
        negativeTTL.timeout = duration
        negativeTTL.dns = duration
        negativeTTL.tls = duration
        negativeTTL.tooLarge = duration
        negativeTTL.notAnImage = duration
    }

    private func known<Value>(_ text: String, _ read: (String) -> Value?) throws -> Value {
        guard let value = read(text) else { throw ScriptFailure.malformed(text) }
        return value
    }
}
