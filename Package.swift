// swift-tools-version: 6.2
import PackageDescription

/// One set of habits for every room: Swift 6 mode, explicit existentials, imports that do not leak.
let habits: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + strictness

/// No warnings where we check ourselves: `.ci/run` says so by this variable. Whoever builds with a later compiler is
/// not to be stopped by what that one newly warns of.
var strictness: [SwiftSetting] {
    Context.environment["WARNINGS_ARE_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []
}

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: habits)
}

/// Tests are not optimised even where the rooms are: what ships is tested, and the tests build in a third of the time.
func proof(_ room: Target.Dependency, of name: String, _ others: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [room] + others,
        swiftSettings: habits + [.unsafeFlags(["-Onone"], .when(configuration: .release))])
}

/// For `.ci/release.sh`, on Linux: the Swift runtime inside, and every function bound before the program begins, so that
/// their table is read-only from then on. All of this is the linker's alone: modules that were compiled for tests are
/// what is linked. What static libraries need besides is named by modules that are compiled with `-static-stdlib` only.
var handedOut: [LinkerSetting] {
    #if os(Linux)
    guard Context.environment["HANDED_OUT"] == "1" else { return [] }
    let libraries = [
        "CoreFoundation", "_CFXMLInterface", "_FoundationCShims", "_FoundationCollections", "_FoundationICU",
        "swiftDispatch", "swiftGlibc", "swiftSynchronization", "swift_Concurrency", "swift_RegexParser",
        "swift_StringProcessing", "xml2",
    ]
    return [
        .unsafeFlags(
            ["-static-stdlib", "-no-toolchain-stdlib-rpath"] + libraries.map { "-l" + $0 }
                + ["relro", "now"].flatMap { ["-Xlinker", "-z", "-Xlinker", $0] })
    ]
    #else
    return []
    #endif
}

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
        // Cellar: system libraries and the few lines of C that Swift cannot say.
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"]), .brew(["libzip"])]),
        .systemLibrary(
            name: "CNghttp2", pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]),
        .systemLibrary(
            name: "CQRencode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
        .target(name: "CPoll"),
        .target(name: "CSQLiteGuard"),
        room("Bytes"),
        room("Files"),
        room("Text"),

        // Ground floor: the law, the letter format and the street door. They know nothing of each other.
        room("ATSPolicy", ["Text"]),
        room("HTTPWire", ["Bytes", "Text"]),
        room("NetLoop", ["Bytes", "CPoll", "Text"]),

        // Floor 1.
        room("TLSEngine", ["ATSPolicy", "Bytes", "COpenSSL", "Files", "Text"]),
        room("HTTP2Engine", ["Bytes", "CNghttp2", "HTTPWire", "Text"]),
        room("Records", ["ATSPolicy", "Bytes", "COpenSSL", "Text"]),
        room("Declarations", ["ATSPolicy", "CZip", "Files"]),

        // Floor 2.
        room("Dialing", ["ATSPolicy", "Bytes", "HTTPWire", "NetLoop", "Text"]),
        room("OriginHandshake", ["ATSPolicy", "Bytes", "Records", "TLSEngine"]),
        room(
            "ProxyCore",
            ["ATSPolicy", "Bytes", "HTTP2Engine", "HTTPWire", "OriginHandshake", "Records", "TLSEngine", "Text"]),
        room("Diagnosis", ["ATSPolicy", "Records", "Text"]),
        .target(
            name: "Reporting",
            dependencies: [
                "ATSPolicy", "Bytes", "CSQLiteGuard", "Diagnosis", "Files", "Records", "Text",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: [.embedInCode("HTML/Templates")], swiftSettings: habits),

        room("Setup", ["Text"]),

        // Floor 3.
        .target(
            name: "Onboarding", dependencies: ["ATSPolicy", "CQRencode", "ProxyCore", "Records", "Text"],
            resources: [.embedInCode("Page")], swiftSettings: habits),
        room(
            "ProxyServer",
            [
                "ATSPolicy", "Bytes", "Declarations", "Dialing", "HTTPWire", "NetLoop", "ProxyCore", "Records",
                "Reporting", "TLSEngine", "Text", .product(name: "Logging", package: "swift-log"),
            ]),
        room(
            "Probe",
            [
                "ATSPolicy", "Bytes", "Dialing", "Diagnosis", "NetLoop", "OriginHandshake", "Records", "TLSEngine",
                "Text",
            ]),
        room("Lab", ["ATSPolicy", "Bytes", "HTTPWire", "NetLoop", "TLSEngine", "Text"]),
        .target(
            name: "ControlPlane",
            dependencies: [
                "ATSPolicy", "Bytes", "Declarations", "Diagnosis", "HTTPWire", "NetLoop", "Onboarding", "Records",
                "Reporting", "Text",
            ],
            resources: [.embedInCode("Page")], swiftSettings: habits),

        // Roof.
        .executableTarget(
            name: "atsgate",
            dependencies: [
                "ATSPolicy", "ControlPlane", "Declarations", "Diagnosis", "Dialing", "Files", "Lab", "NetLoop",
                "Onboarding", "ProxyCore", "Probe", "ProxyServer", "Records", "Reporting", "Setup", "TLSEngine",
                "Text", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: habits, linkerSettings: handedOut),

        proof("Files", of: "Files"),
        proof("Text", of: "Text"),
        proof("Bytes", of: "Bytes"),
        proof("ATSPolicy", of: "ATSPolicy", ["Text"]),
        proof("HTTPWire", of: "HTTPWire", ["Bytes"]),
        proof("NetLoop", of: "NetLoop", ["Bytes", "CPoll"]),
        proof("TLSEngine", of: "TLSEngine", ["ATSPolicy", "Bytes"]),
        proof("HTTP2Engine", of: "HTTP2Engine", ["Bytes", "HTTPWire"]),
        proof("Records", of: "Records", ["ATSPolicy", "Bytes", "Text"]),
        proof("Declarations", of: "Declarations", ["ATSPolicy", "CZip"]),
        proof("Dialing", of: "Dialing", ["ATSPolicy", "Bytes"]),
        proof(
            "ProxyCore", of: "ProxyCore",
            ["ATSPolicy", "Bytes", "HTTP2Engine", "HTTPWire", "Records", "TLSEngine", "Text"]),
        proof(
            "ProxyServer", of: "ProxyServer",
            [
                "ATSPolicy", "Bytes", "Declarations", "Diagnosis", "Dialing", "Lab", "NetLoop", "ProxyCore", "Records",
                "Reporting", "TLSEngine", .product(name: "Logging", package: "swift-log"),
            ]),
        proof("Probe", of: "Probe", ["ATSPolicy", "Dialing", "Lab", "NetLoop", "Records", "TLSEngine"]),
        proof(
            "ControlPlane", of: "ControlPlane",
            ["ATSPolicy", "HTTPWire", "NetLoop", "Onboarding", "Records", "Reporting"]),
        proof("Setup", of: "Setup", ["Text"]),
        proof("Onboarding", of: "Onboarding", ["ATSPolicy", "ProxyCore", "Records", "Text"]),
        proof("Lab", of: "Lab", ["ATSPolicy", "Bytes", "HTTPWire", "NetLoop", "TLSEngine"]),
        proof("atsgate", of: "Command", ["ATSPolicy", "Processes", .product(name: "GRDB", package: "GRDB.swift")]),
        proof(
            "atsgate", of: "Endurance",
            ["loader", "Processes", "Reporting", .product(name: "GRDB", package: "GRDB.swift")]),
        proof("atsgate", of: "Abuse", ["CPoll", "Processes", "Text", "loader"]),
        .target(name: "Processes", path: "Tests/Processes", swiftSettings: habits),
        .executableTarget(
            name: "loader",
            dependencies: [
                "ATSPolicy", "Bytes", "HTTP2Engine", "HTTPWire", "NetLoop", "Records", "Reporting", "TLSEngine", "Text",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Bench/Loader", swiftSettings: habits),
        proof("Diagnosis", of: "Diagnosis", ["ATSPolicy", "Declarations", "Records", "Text"]),
        proof(
            "Reporting", of: "Reporting",
            [
                "ATSPolicy", "Diagnosis", "Records", "Text", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "SwiftCSV", package: "SwiftCSV"),
            ]),
    ]
)

// What .ci/run builds for the thread sanitizer: these tests and what they need. All would take minutes more.
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
