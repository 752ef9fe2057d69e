import ATSPolicy
import CVersions
import Foundation
import TLSEngine
import Text

/// The version in `--version` and in reports. The scripts for packages and archives read it from here.
let toolVersion = "0.1.0"

/// The versions of the program and its libraries, for bug reports.
enum VersionReport {
    /// The answer to `--version`; nil if the arguments are not that. Needs no declared options, so that it is fast.
    static func text(for arguments: [String]) -> String? {
        switch arguments {
        case ["--version"]: toolVersion + "\n"
        case ["--version", "--verbose"], ["--verbose", "--version"], ["--version", "-v"], ["-v", "--version"]: verbose
        default: nil
        }
    }

    private static var verbose: String {
        let commit = String(cString: version_commit())
        let rows = [
            ("commit", commit.isEmpty ? "unknown: not built by make release" : commit),
            ("compiler", String(cString: version_compiler())),
            (
                "OpenSSL",
                String(cString: version_openssl())
                    + (OriginTLSContext.canOfferHybridGroup ? "" : ", without \(HelloShape.hybridGroupName)")
            ),
            ("nghttp2", String(cString: version_nghttp2())),
            ("SQLite", String(cString: version_sqlite())),
            ("libzip", String(cString: version_libzip())),
            ("system", "\(ProcessInfo.processInfo.operatingSystemVersionString), \(machine)"),
        ]
        return "atsgate \(toolVersion)\n" + rows.map { "\($0.0.padded(to: 10))\($0.1)\n" }.joined()
    }

    private static var machine: String {
        #if arch(x86_64)
        "x86_64"
        #elseif arch(arm64)
        "arm64"
        #else
        "another processor"
        #endif
    }
}
