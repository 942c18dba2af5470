// swift-tools-version: 6.2
//
// Hit ratios of the real tiers over the reference trace, at full size. In a package of its own, since it needs an
// optimised build that lets it see the store's inner parts, which is for nobody else. The sources under test, and those
// parts of the tests that replay the trace, are symbolic links into the main package.
import PackageDescription

/// As the main package builds them, with the inner parts in sight.
let open: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .strictMemorySafety(),
    .enableExperimentalFeature("Lifetimes"),
    .unsafeFlags(["-enable-testing"]),
]

let package = Package(
    name: "imagestore-hit-ratio",
    targets: [
        .systemLibrary(name: "CLibevent", pkgConfig: "libevent"),
        .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash"),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CSystem"),
        .target(name: "HTTPMessages", swiftSettings: open),
        .target(name: "HTTPCaching", dependencies: ["HTTPMessages"], swiftSettings: open),
        .target(name: "Digests", dependencies: ["CXXHash", "CCrypto"], swiftSettings: open),
        .target(name: "EventLoops", dependencies: ["CLibevent", "CSystem"], swiftSettings: open),
        .target(
            name: "ObjectStore", dependencies: ["HTTPMessages", "HTTPCaching", "Digests", "EventLoops", "CSystem"],
            swiftSettings: open),
        .executableTarget(
            name: "HitRatio", dependencies: ["ObjectStore", "EventLoops", "HTTPCaching", "HTTPMessages"],
            swiftSettings: [.enableUpcomingFeature("ExistentialAny")]),
    ],
    swiftLanguageModes: [.v6]
)
