// swift-tools-version: 6.2

import PackageDescription

/// The settings of the main package's targets. run.sh adds Embedded mode.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let link: [LinkerSetting] = [
    // Without it the compiler asks for crt1.o and clang's built-in functions, which the toolchain lacks for wasm.
    .unsafeFlags(["-Xclang-linker", "-nostdlib"]),
    // A library that JavaScript calls has no main function.
    .unsafeFlags(["-Xlinker", "--no-entry"]),
    // The linker's default is 64 KiB lying behind the data, where an overflow overwrites it unnoticed. Put first, an
    // overflow traps.
    .unsafeFlags(["-Xlinker", "--stack-first", "-Xlinker", "-z", "-Xlinker", "stack-size=1048576"]),
    .unsafeFlags(["-Xlinker", "--strip-all"]),
    // malloc, free, posix_memalign, memcpy and the like; Debian's package wasi-libc.
    .unsafeFlags(["-L/usr/lib/wasm32-wasi"]),
    .linkedLibrary("c"),
    // Normalisation and grapheme breaking of String; run.sh names its folder, which lies in the toolchain.
    .linkedLibrary("swiftUnicodeDataTables"),
]

/// A target of the main package: the folder below Sources is a symbolic link to it.
func pure(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
    name: "easel-wasm",
    targets: [
        pure("EaselCore"),
        pure("EaselProtocol", ["EaselCore"]),
        pure("EaselWebSocket"),
        pure("EaselServerEngine", ["EaselCore", "EaselProtocol"]),
        pure("EaselClientEngine", ["EaselCore", "EaselProtocol"]),

        .target(name: "CWasmRuntime"),
        .executableTarget(
            name: "EaselWasm",
            dependencies: [
                "EaselCore", "EaselProtocol", "EaselWebSocket", "EaselServerEngine", "EaselClientEngine",
                "CWasmRuntime",
            ],
            swiftSettings: strict, linkerSettings: link),
        // Writes recorded.cbor; built for the host.
        .executableTarget(
            name: "RecordLog", dependencies: ["EaselCore", "EaselProtocol"], swiftSettings: strict),
    ]
)
