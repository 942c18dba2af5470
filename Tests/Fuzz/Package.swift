// swift-tools-version: 6.2
//
// Fuzz targets, in a package of their own: libFuzzer brings the `main`, and its instrumentation is for nobody else.
// The sources under test are symbolic links into the main package.
//
// Build, then run for N seconds, from this folder (new inputs are kept in .build/found, a crash in .build/):
//
//     swift build -c release --product FuzzRequestParser
//     mkdir -p .build/found/RequestParser
//     .build/release/FuzzRequestParser -max_total_time=N -max_len=4096 -timeout=5 \
//         -artifact_prefix=.build/ .build/found/RequestParser Corpus/RequestParser
//
// An input that crashed is run again by giving its file alone; it then becomes a test.
import PackageDescription

/// Coverage for libFuzzer, and traps left in although optimised.
let fuzzed: [SwiftSetting] = [
    .enableExperimentalFeature("Lifetimes"),
    .enableExperimentalFeature("Extern"),
    .unsafeFlags(["-sanitize=fuzzer", "-parse-as-library"]),
]

let package = Package(
    name: "imagestore-fuzz",
    products: [
        .executable(name: "FuzzRequestParser", targets: ["FuzzRequestParser"])
    ],
    targets: [
        .target(name: "HTTPMessages", swiftSettings: fuzzed),
        .executableTarget(
            name: "FuzzRequestParser", dependencies: ["HTTPMessages"], swiftSettings: fuzzed,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),
    ],
    swiftLanguageModes: [.v6]
)
