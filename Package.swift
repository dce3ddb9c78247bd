// swift-tools-version: 6.2

import PackageDescription

/// Settings of every Swift target: language mode 6, every warning an error, imports and existentials spelled out.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A target that imports only other pure targets and the standard library; it also builds for wasm (`make wasm`).
func pure(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A target that may use the operating system.
func shell(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A suite of tests beside the target it is named for.
func suite(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

let package = Package(
    name: "easel",
    products: [
        .executable(name: "easel", targets: ["easel"]),
        .library(name: "EaselCore", targets: ["EaselCore"]),
        .library(name: "EaselClient", targets: ["EaselClient", "EaselClientEngine", "EaselProtocol"]),
    ],
    targets: [
        .systemLibrary(name: "CWebSockets", pkgConfig: "libwebsockets", providers: [.apt(["libwebsockets-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CTickit", pkgConfig: "tickit", providers: [.apt(["libtickit-dev"])]),

        pure("EaselCore"),
        pure("EaselProtocol", ["EaselCore"]),
        pure("EaselWebSocket"),
        pure("EaselServerEngine", ["EaselCore", "EaselProtocol"]),
        pure("EaselClientEngine", ["EaselCore", "EaselProtocol"]),

        shell("EaselSupport", []),
        shell("EaselTransport", ["CWebSockets", "COpenSSL", "EaselSupport"]),
        shell("EaselStorage", ["CSQLite", "EaselCore", "EaselProtocol", "EaselSupport"]),
        shell(
            "EaselServer",
            [
                "EaselCore", "EaselProtocol", "EaselWebSocket", "EaselServerEngine", "EaselTransport", "EaselStorage",
                "EaselSupport",
            ]),
        shell(
            "EaselClient",
            ["EaselCore", "EaselProtocol", "EaselWebSocket", "EaselClientEngine", "EaselTransport", "EaselSupport"]),
        shell(
            "EaselTerminal",
            ["CTickit", "EaselCore", "EaselProtocol", "EaselClientEngine", "EaselClient", "EaselSupport"]),
        shell(
            "EaselPlay",
            ["EaselCore", "EaselProtocol", "EaselServerEngine", "EaselClientEngine", "EaselClient", "EaselSupport"]),
        shell(
            "EaselLoad",
            [
                "EaselCore", "EaselProtocol", "EaselWebSocket", "EaselClientEngine", "EaselClient", "EaselTransport",
                "EaselSupport",
            ]),
        .executableTarget(
            name: "easel",
            dependencies: ["EaselServer", "EaselClient", "EaselTerminal", "EaselPlay", "EaselLoad", "EaselSupport"],
            swiftSettings: strict),
        .executableTarget(
            name: "undo-with-others",
            dependencies: ["EaselCore", "EaselProtocol", "EaselClientEngine", "EaselClient", "EaselPlay"],
            swiftSettings: strict),

        suite("EaselCoreTests", ["EaselCore"]),
        suite("EaselProtocolTests", ["EaselCore", "EaselProtocol"]),
        suite("EaselWebSocketTests", ["EaselWebSocket"]),
        suite("EaselServerEngineTests", ["EaselCore", "EaselProtocol", "EaselServerEngine"]),
        suite("EaselClientEngineTests", ["EaselCore", "EaselProtocol", "EaselClientEngine", "EaselPlay"]),
        suite("EaselClientTests", ["EaselClient", "EaselClientEngine", "EaselProtocol", "EaselCore"]),
        suite("EaselTransportTests", ["EaselTransport", "EaselSupport"]),
        suite("EaselStorageTests", ["EaselStorage", "EaselCore", "CSQLite"], exclude: ["Golden"]),
        suite(
            "EaselTerminalTests",
            [
                "EaselTerminal", "EaselCore", "EaselProtocol", "EaselClientEngine", "EaselClient", "EaselSupport",
                "CTickit",
            ]),
        suite("EaselPlayTests", ["EaselPlay", "EaselCore"]),
        suite("EaselLoadTests", ["EaselLoad", "EaselCore", "EaselProtocol", "EaselTransport", "EaselSupport"]),
        suite("EaselServerTests", ["EaselServer", "EaselCore", "EaselTransport", "EaselSupport"]),
        suite(
            "EndToEndTests",
            [
                "EaselCore", "EaselClient", "EaselClientEngine", "EaselProtocol", "EaselWebSocket", "EaselSupport",
                "easel", "undo-with-others",
            ]),

        .executableTarget(
            name: "echo-server", dependencies: ["EaselTransport", "EaselWebSocket", "EaselSupport"],
            path: "Tests/EchoServer", swiftSettings: strict),
        .systemLibrary(name: "CMachine", path: "Tests/Benchmarks/CMachine"),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "CMachine", "CSQLite", "EaselCore", "EaselProtocol", "EaselWebSocket", "EaselServerEngine",
                "EaselClientEngine", "EaselClient", "EaselStorage", "EaselSupport",
            ],
            path: "Tests/Benchmarks", exclude: ["CMachine"], swiftSettings: strict),
    ]
)
