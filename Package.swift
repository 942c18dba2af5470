// swift-tools-version: 6.2
import PackageDescription

/// Every target: warnings are errors, and explicit existentials.
let common: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
]

/// Library targets also say `unsafe` wherever a line leaves memory safety.
let strict: [SwiftSetting] =
    common + [
        .strictMemorySafety(),
        .enableExperimentalFeature("Lifetimes"),
    ]

/// Targets without C also name the module of every member they use.
///
/// With C it cannot be asked for: `timespec` and its kin belong to whichever module map the compiler happens to load
/// first, so a fresh build and a warm one disagree.
let pure: [SwiftSetting] = strict + [.enableUpcomingFeature("MemberImportVisibility")]

let package = Package(
    name: "imagestore",
    products: [
        .library(name: "ImageService", targets: ["ImageService"]),
        .executable(name: "imagestore", targets: ["imagestore"]),
    ],
    targets: [
        // C libraries, from the distribution's -dev packages.
        .systemLibrary(name: "CLibevent", pkgConfig: "libevent", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSystem"),

        // Pure values and decisions.
        .target(name: "HTTPMessages", swiftSettings: pure),
        .target(name: "HTTPCaching", dependencies: ["HTTPMessages"], swiftSettings: pure),
        .target(name: "Images", dependencies: ["HTTPMessages"], swiftSettings: pure),

        // C in Swift clothes.
        .target(name: "Digests", dependencies: ["CXXHash", "CCrypto"], swiftSettings: strict),
        .target(name: "EventLoops", dependencies: ["CLibevent", "CSystem"], swiftSettings: strict),
        .target(
            name: "ObjectStore",
            dependencies: ["HTTPMessages", "HTTPCaching", "Digests", "EventLoops", "CSystem"],
            swiftSettings: strict),
        .target(
            name: "Origin",
            dependencies: ["HTTPMessages", "EventLoops", "CCurl", "CAres", "CSystem"],
            swiftSettings: strict),

        // The product.
        .target(name: "Settings", swiftSettings: pure),
        .target(
            name: "ImageService",
            dependencies: [
                "HTTPMessages", "HTTPCaching", "Digests", "EventLoops", "ObjectStore", "Origin", "Images", "Settings",
            ],
            swiftSettings: pure),
        .executableTarget(
            name: "imagestore", dependencies: ["ImageService", "Settings", "EventLoops", "ObjectStore", "CSystem"],
            swiftSettings: strict),

        // Tests.
        .target(name: "CallCounts", path: "Tests/CallCounts"),
        .target(
            name: "TestSupport", dependencies: ["CSystem"], path: "Tests/TestSupport", swiftSettings: common),
        .target(
            name: "ServiceHarness", dependencies: ["EventLoops", "ImageService", "Settings", "TestSupport"],
            path: "Tests/ServiceHarness", swiftSettings: common),
        .testTarget(name: "HTTPMessagesTests", dependencies: ["HTTPMessages"], swiftSettings: common),
        .testTarget(name: "HTTPCachingTests", dependencies: ["HTTPCaching", "HTTPMessages"], swiftSettings: common),
        .testTarget(name: "DigestsTests", dependencies: ["Digests"], swiftSettings: common),
        .testTarget(name: "EventLoopsTests", dependencies: ["EventLoops", "TestSupport"], swiftSettings: common),
        .testTarget(
            name: "ObjectStoreTests",
            dependencies: ["ObjectStore", "HTTPMessages", "HTTPCaching", "Digests", "EventLoops", "TestSupport"],
            swiftSettings: common),
        .testTarget(name: "OriginTests", dependencies: ["Origin", "TestSupport"], swiftSettings: common),
        .testTarget(name: "ImagesTests", dependencies: ["Images"], swiftSettings: common),
        .testTarget(
            name: "SettingsTests", dependencies: ["Settings", "Origin", "TestSupport"], swiftSettings: common),
        .testTarget(
            name: "ImageServiceTests", dependencies: ["ImageService", "TestSupport"], swiftSettings: common),
        .testTarget(
            name: "ScenarioTests",
            dependencies: ["ServiceHarness", "ImageService", "Settings", "EventLoops", "TestSupport"],
            swiftSettings: common),
        .testTarget(
            name: "CountTests",
            dependencies: [
                "CallCounts", "ServiceHarness", "ObjectStore", "HTTPMessages", "HTTPCaching", "EventLoops",
                "TestSupport",
            ],
            swiftSettings: common),
        .testTarget(
            name: "FaultTests", dependencies: ["ServiceHarness", "ImageService", "Settings", "TestSupport"],
            swiftSettings: common),
    ],
    swiftLanguageModes: [.v6]
)
