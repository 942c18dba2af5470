import Testing

@testable import Origin
@testable import Settings

struct BlockedPortsTests {
    @Test func `the ports refused in the configuration are those that no URL may name`() {
        #expect(Settings.BlockedPorts.ports == Origin.BlockedPorts.ports)
    }
}
