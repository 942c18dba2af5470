import Settings
import Testing

@testable import ImageService

/// How open files are shared out.
@Suite struct OpenFilesTests {
    private static let clients: Configuration = {
        var configuration = Configuration()
        configuration.maxConnections = 10_000
        return configuration
    }()

    @Test(arguments: [
        (UInt64(1024), 64), (10_256, 64), (10_384, 96), (12_256, 1500), (1 << 20, 10_240), (.max, 10_240),
    ])
    func `the disk tier gets most of what is left, within bounds`(limit: UInt64, expected: Int) {
        #expect(OpenFiles.ofDiskTier(Self.clients, limit: limit) == expected)
    }

    @Test func `what is needed leaves the disk tier its least`() {
        let needed = OpenFiles.needed(Self.clients)
        #expect(needed == 10_320)
        #expect(OpenFiles.ofDiskTier(Self.clients, limit: UInt64(needed)) <= needed - 10_000 - 256)
    }
}
