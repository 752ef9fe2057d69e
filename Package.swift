// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target: Swift 6 mode, explicit existentials, imports that are not re-exported. Release builds have
/// no debug information: the program is stripped, and building it and its tests takes 646 CPU seconds instead of 711.
let commonSettings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .unsafeFlags(["-gnone"], .when(configuration: .release)),
    ] + strictness

/// `.ci/run` makes warnings errors. For others they stay warnings, because a later compiler may warn more.
var strictness: [SwiftSetting] {
    Context.environment["WARNINGS_ARE_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []
}

/// Settings of released targets: a section for each function, so that the linker can remove unused ones.
let productSettings =
    commonSettings + [.unsafeFlags(["-Xfrontend", "-function-sections"], .when(configuration: .release))]

/// Settings of targets that run once for each command, or seldom: optimized for size. Loads do not pass through them.
let compactSettings = productSettings + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
    settings: [SwiftSetting] = productSettings
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

/// The target `nameTests` for tests of one target, with its other imports. Tests are not optimized in release builds:
/// they test released code, and this builds in a third of the time.
func tests(of target: Target.Dependency, named name: String, _ others: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [target] + others,
        swiftSettings: commonSettings + [.unsafeFlags(["-Onone"], .when(configuration: .release))])
}

/// A folder of Tests that tests of several targets share.
func shared(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/" + name, swiftSettings: commonSettings)
}

/// Linker settings that `.ci/release.sh` uses for the command on Linux: the Swift runtime inside; no identity that
/// depends on the folder; functions with the same code merged if their address is not taken (ld(1), --icf); and all
/// functions bound before the program starts, so that their table is read-only from then on. Only the linking differs:
/// the modules are those that the tests were built with. Modules compiled with `-static-stdlib` would name the libraries
/// below by themselves.
var releaseLinking: [LinkerSetting] {
    #if os(Linux)
    guard Context.environment["RELEASE_LINKING"] == "1" else { return [] }
    let libraries = [
        "CoreFoundation", "_CFXMLInterface", "_FoundationCShims", "_FoundationCollections", "_FoundationICU",
        "swiftDispatch", "swiftGlibc", "swiftSynchronization", "swift_Concurrency", "swift_RegexParser",
        "swift_StringProcessing", "xml2",
    ]
    return [
        .unsafeFlags(
            ["-static-stdlib", "-no-toolchain-stdlib-rpath"] + libraries.map { "-l" + $0 }
                + ["--build-id=none", "--no-export-dynamic", "--icf=safe", "-z", "relro", "-z", "now"].flatMap {
                    ["-Xlinker", $0]
                })
    ]
    #else
    return []
    #endif
}

/// For a release: the object file that contains commit and compiler, made by `.ci/release.sh`.
var origin: [LinkerSetting] {
    Context.environment["BUILT_FROM"].map { [.unsafeFlags([$0])] } ?? []
}

/// For a release: the address of this version's `docs`, such as `https://HOST/OWNER/NAME/blob/v0.1.0`, from
/// config/packages/project.env. Without it the program refers to its built-in pages.
let pages = Context.environment["PAGES"] ?? ""

let package = Package(
    name: "atsgate",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "atsgate", targets: ["atsgate"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/swiftcsv/SwiftCSV", exact: "0.10.0"),
    ],
    targets: [
        // docs/architecture.md describes the targets and their imports.

        // System libraries, and C code for system calls that Swift cannot make.
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(name: "CLibzip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"]), .brew(["libzip"])]),
        .systemLibrary(
            name: "CNghttp2", pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]),
        .systemLibrary(
            name: "CQRencode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
        .target(name: "CBuild", cSettings: [.define("ATSGATE_PAGES", to: "\"\(pages)\"")]),
        .target(name: "CCapture"),
        .target(name: "CPoll"),
        .target(name: "CPostgres"),  // Loads libpq itself.
        .target(name: "CResources"),
        // On Linux, loads libzip itself.
        .target(name: "CZip", dependencies: [.byName(name: "CLibzip", condition: .when(platforms: [.macOS]))]),
        .target(name: "CVersions", dependencies: ["CNghttp2", "COpenSSL", "CZip"]),
        // No imports from this package.
        library("Bytes"),
        library("Files"),
        library("Resources", ["CResources"]),
        library("Text"),

        // The rules of ATS, HTTP/1, and sockets, independent of each other.
        library("ATSPolicy", ["Text"]),
        library("HTTPWire", ["Bytes", "Text"]),
        library("NetLoop", ["Bytes", "CPoll", "Text"]),

        // TLS, HTTP/2, the record, and dictionaries from files.
        library("TLSEngine", ["ATSPolicy", "Bytes", "COpenSSL", "Files", "Text"]),
        library("HTTP2Engine", ["Bytes", "CNghttp2", "HTTPWire", "Text"]),
        library("Records", ["ATSPolicy", "Bytes", "COpenSSL", "Text"]),
        library("Declarations", ["ATSPolicy", "CZip", "Files", "Text"], settings: compactSettings),
        library("Postgres", ["COpenSSL", "CPostgres", "Text"]),  // PostgreSQL statements.
        // Connections to origins, the proxy without sockets, reports and the store, verdicts.
        library("Dialing", ["ATSPolicy", "Bytes", "HTTPWire", "NetLoop", "Text"]),
        library("OriginHandshake", ["ATSPolicy", "Bytes", "Records", "TLSEngine"]),
        library(
            "ProxyCore",
            ["ATSPolicy", "Bytes", "HTTP2Engine", "HTTPWire", "OriginHandshake", "Records", "TLSEngine", "Text"]),
        library("Diagnosis", ["ATSPolicy", "CBuild", "Records", "Text"], settings: compactSettings),
        library("Evidence", ["ATSPolicy", "Text"], settings: compactSettings),  // Device logs.
        library("Topics", ["Resources"]),
        library("Agents", ["Text"], settings: compactSettings),
        library(
            "Audit", ["ATSPolicy", "COpenSSL", "Declarations", "Diagnosis", "Files", "TLSEngine", "Text"],
            settings: compactSettings),
        library(
            "Reporting",
            [
                "ATSPolicy", "Bytes", "Diagnosis", "Files", "Records", "Resources", "Text",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            exclude: ["HTML/Templates"]),
        library("Setup", ["Text"], settings: compactSettings),
        library(
            "Fleet", ["Bytes", "COpenSSL", "Postgres", "Records", "Reporting", "Resources", "Text"], exclude: ["Schema"]
        ),
        library("Capture", ["Bytes", "CCapture", "NetLoop", "Text"], settings: compactSettings),
        // The running parts: the gate, probes, the lab, the pages.
        library(
            "Onboarding", ["ATSPolicy", "CQRencode", "ProxyCore", "Records", "Resources", "Text"], exclude: ["Page"],
            settings: compactSettings),
        library(
            "ProxyServer",
            [
                "ATSPolicy", "Bytes", "Declarations", "Dialing", "HTTPWire", "NetLoop", "ProxyCore", "Records",
                "Reporting", "TLSEngine", "Text", .product(name: "Logging", package: "swift-log"),
            ]),
        library(
            "Probe",
            [
                "ATSPolicy", "Bytes", "Dialing", "Diagnosis", "NetLoop", "OriginHandshake", "Records", "TLSEngine",
                "Text",
            ], settings: compactSettings),
        library(
            "Lab", ["ATSPolicy", "Bytes", "HTTPWire", "NetLoop", "TLSEngine", "Text"], settings: compactSettings),
        library(
            "ControlPlane",
            [
                "ATSPolicy", "Bytes", "Declarations", "Diagnosis", "HTTPWire", "NetLoop", "Onboarding", "Records",
                "Reporting", "Resources", "Text",
            ],
            exclude: ["Page"], settings: compactSettings),
        // The command.
        .executableTarget(
            name: "atsgate",
            dependencies: [
                "ATSPolicy", "Agents", "Audit", "CVersions", "Capture", "ControlPlane", "Declarations", "Diagnosis",
                "Dialing", "Evidence", "Files", "Fleet", "Lab", "NetLoop", "Onboarding", "Postgres", "ProxyCore",
                "Probe", "ProxyServer", "Records", "Reporting", "Setup", "TLSEngine", "Text", "Topics",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: compactSettings, linkerSettings: releaseLinking + origin),

        tests(of: "Files", named: "Files", ["TestSupport"]),
        tests(of: "Text", named: "Text", ["Seeded"]),
        tests(of: "Bytes", named: "Bytes", ["Seeded"]),
        tests(of: "ATSPolicy", named: "ATSPolicy", ["Diagnosis", "Evidence", "Records", "Text"]),
        tests(of: "HTTPWire", named: "HTTPWire", ["Bytes", "Seeded"]),
        tests(of: "NetLoop", named: "NetLoop", ["Bytes", "CPoll", "TestSupport", "Text"]),
        tests(of: "Capture", named: "Capture", ["NetLoop", "Processes", "Seeded", "Text"]),
        tests(
            of: "TLSEngine", named: "TLSEngine", ["ATSPolicy", "Bytes", "COpenSSL", "Files", "Seeded", "TestSupport"]),
        tests(of: "HTTP2Engine", named: "HTTP2Engine", ["Bytes", "HTTPWire", "Seeded"]),
        tests(of: "Records", named: "Records", ["ATSPolicy", "Bytes", "Seeded", "Text"]),
        tests(of: "Postgres", named: "Postgres", ["COpenSSL", "CPostgres", "PostgresServer", "Processes", "Seeded"]),
        tests(of: "Declarations", named: "Declarations", ["ATSPolicy", "CZip", "Seeded", "TestSupport"]),
        tests(of: "Dialing", named: "Dialing", ["ATSPolicy", "Bytes"]),
        tests(
            of: "ProxyCore", named: "ProxyCore",
            [
                "ATSPolicy", "Bytes", "HTTP2Engine", "HTTPWire", "OriginHandshake", "Records", "Seeded", "TLSEngine",
                "Text",
            ]),
        tests(
            of: "ProxyServer", named: "ProxyServer",
            [
                "ATSPolicy", "Bytes", "CPoll", "Declarations", "Diagnosis", "Dialing", "Files", "Lab", "NetLoop",
                "Processes", "ProxyCore", "Records", "Reporting", "TLSEngine",
                .product(name: "Logging", package: "swift-log"),
            ]),
        tests(
            of: "Probe", named: "Probe",
            ["ATSPolicy", "Dialing", "Dictionaries", "Lab", "NetLoop", "Records", "TLSEngine"]),
        tests(
            of: "ControlPlane", named: "ControlPlane",
            ["ATSPolicy", "HTTPWire", "NetLoop", "Onboarding", "Records", "Reporting"]),
        tests(of: "Audit", named: "Audit", ["ATSPolicy", "Diagnosis", "Seeded"]),
        tests(of: "Evidence", named: "Evidence", ["ATSPolicy", "Seeded", "Text"]),
        tests(of: "Setup", named: "Setup", ["Text"]),
        tests(of: "Agents", named: "Agents", ["Seeded", "Text"]),
        tests(
            of: "Fleet", named: "Fleet",
            [
                "ATSPolicy", "Postgres", "PostgresServer", "Processes", "Records", "Reporting", "Seeded", "Text",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        tests(of: "Onboarding", named: "Onboarding", ["ATSPolicy", "ProxyCore", "Records", "Text"]),
        tests(of: "Lab", named: "Lab", ["ATSPolicy", "Bytes", "HTTPWire", "NetLoop", "TLSEngine", "TestSupport"]),
        tests(
            of: "atsgate", named: "Command",
            [
                "ATSPolicy", "Diagnosis", "Fleet", "Postgres", "PostgresServer", "Processes", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        tests(
            of: "atsgate", named: "Endurance",
            ["loader", "Processes", "Reporting", "TestSupport", .product(name: "GRDB", package: "GRDB.swift")]),
        tests(
            of: "atsgate", named: "Chaos",
            [
                "Fleet", "Postgres", "PostgresServer", "Processes", "Seeded", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        tests(of: "atsgate", named: "Abuse", ["CPoll", "Processes", "Seeded", "TestSupport", "Text", "loader"]),
        shared("Processes", ["TestSupport"]),
        shared("TestSupport"),
        shared("Dictionaries", ["ATSPolicy", "Seeded", "Text"]),
        shared("PostgresServer", ["Postgres", "Processes"]),
        shared("Samples", ["ATSPolicy", "Records", "Reporting", "Seeded"]),
        shared("Seeded"),
        .executableTarget(
            name: "loader",
            dependencies: [
                "ATSPolicy", "Bytes", "HTTP2Engine", "HTTPWire", "NetLoop", "PostgresServer", "Records", "Reporting",
                "TLSEngine", "Text", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Bench/Loader", swiftSettings: commonSettings),
        tests(of: "Diagnosis", named: "Diagnosis", ["ATSPolicy", "Declarations", "Dictionaries", "Records", "Text"]),
        tests(
            of: "Reporting", named: "Reporting",
            [
                "ATSPolicy", "Diagnosis", "Processes", "Records", "Samples", "Seeded", "TestSupport", "Text",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "SwiftCSV", package: "SwiftCSV"),
            ]),
        tests(
            of: "Reporting", named: "Store",
            [
                "ATSPolicy", "Fleet", "Postgres", "PostgresServer", "Records", "Samples", "Seeded", "TestSupport",
                "Text",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
    ]
)

// .ci/run builds these tests and their dependencies for the thread sanitizer. Building all would take minutes more.
if let only = Context.environment["ONLY_TESTS"] {
    var needed = Set<String>()
    var unseen = only.split(separator: ",").map { String($0) + "Tests" }
    while let name = unseen.popLast() {
        guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
            continue
        }
        unseen += target.dependencies.compactMap { dependency in
            if case .byNameItem(let name, _) = dependency { name } else { nil }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
