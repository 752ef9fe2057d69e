import Foundation
import Processes
import TestSupport

/// A CI machine with a checked-out app whose tests load one sound and one cleartext host of the lab.
final class CIJob {
    let folder: Folder
    private let lab: Launch
    private var more: [String: String] = [:]
    /// The server of the release archive, and its folder.
    private var releases: (Program, TestSupport.Folder)?
    /// The script that runs the program, once it is only in the archive.
    private var program: String?

    init() throws {
        folder = try Folder()
        lab = try Launch.lab(in: folder)
        for name in ["App", "bin", "results", "deploy"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
        }
        // Foundation treats a process as running while any process holds a descriptor that Foundation made. A gate in
        // the
        // background must not hold one. One of the descriptors is the one from which the shell reads this script.
        let script = """
            for fd in /dev/fd/*; do
              number=${fd##*/}
              if [ "$number" -gt 2 ] && ! [ "$fd" -ef "$0" ]; then eval "exec $number>&-"; fi
            done
            exec '\(Binary.path)' "$@"
            """
        try Self.write(script, as: "atsgate", in: folder)
        try folder.write(Self.plist(""), to: "App/Info.plist")
        try folder.write(
            "test:\n\t@curl -s -o /dev/null -o /dev/null https://good.lab.test/ http://cleartext.lab.test/\n",
            to: "Makefile")
        try folder.write("", to: "atsgate-baseline.txt")
    }

    /// Sets variables that the CI system would set.
    func set(_ variables: [String: String]) { more.merge(variables) { $1 } }

    /// Removes the program from the path, and serves its release archive instead, as the recipes download it. Packages of
    /// the system are taken as installed.
    func publish() throws {
        let release = try TestSupport.Folder()
        let name = "atsgate-0-test"
        try FileManager.default.createDirectory(atPath: release.path(name), withIntermediateDirectories: true)
        if program == nil {
            program = folder.read("bin/atsgate")
            try FileManager.default.removeItem(atPath: folder.path("bin/atsgate"))
        }
        try release.write(program ?? "", to: name + "/atsgate")
        try Self.makeExecutable(release.path(name + "/atsgate"))
        for tool in ["apt-get", "brew"] { try Self.write("echo \(tool) \"$@\" >> packages.log", as: tool, in: folder) }
        try Self.write("exec \"$@\"", as: "sudo", in: folder)
        let file = release.path("atsgate.tar.xz")
        let digest = try run("tar -cJf '\(file)' -C '\(release.url.path)' \(name) && sha256sum '\(file)'").output
        let server = try Program(
            path: "/usr/bin/env", ["python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "0"], in: release)
        try server.wait(for: "the server's port") { server.written.contains("(http://") }
        guard let address = server.written.firstMatch(of: /\((http:[^)]+)\/\)/)?.1 else {
            throw TestFailure(description: "no address: \(server.written)")
        }
        releases = (server, release)
        set(["ATSGATE_URL": "\(address)/atsgate.tar.xz", "ATSGATE_SHA256": String(digest.prefix { $0 != " " })])
        set(["GITHUB_PATH": folder.path("github-path")])
    }

    /// Ends the server of the release archive.
    func unpublish() { releases = nil }

    /// Runs a script as `bash -e` would, in the app's folder.
    func run(_ script: String) throws -> Binary.Outcome {
        let files = ["out", "err"].map { folder.url.appending(path: UUID().uuidString + "." + $0) }
        for file in files { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-e", "-c", script]
        process.currentDirectoryURL = folder.url
        var environment = ProcessInfo.processInfo.environment
        let added = folder.read("github-path").split(separator: "\n").joined(separator: ":")
        environment["PATH"] = "\(folder.path("bin")):\(added):" + environment["PATH", default: "/usr/bin:/bin"]
        environment["ATSGATE_CONFIG"] = folder.path("lab.conf")
        environment["XDG_DATA_HOME"] = folder.path("data")
        for name in ["MAKEFLAGS", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"] { environment[name] = nil }
        process.environment = environment.merging(more) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.begin()
        process.waitForEnd()
        return Binary.Outcome(
            status: process.terminationStatus, output: try String(contentsOf: files[0], encoding: .utf8),
            prose: try String(contentsOf: files[1], encoding: .utf8))
    }

    /// Packs `MyApp.app` as the archives `names`.
    func pack(_ names: [String]) throws {
        let copies = names.map { "python3 -m zipfile -c \($0) Payload" }.joined(separator: " && ")
        let outcome = try run("mkdir -p Payload && cp -R MyApp.app Payload && \(copies) && rm -r Payload")
        guard outcome.status == 0 else { throw TestFailure(description: outcome.prose) }
    }

    /// Adds the entry that allows the cleartext load.
    func fix() throws {
        let entry = "<key>cleartext.lab.test</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>"
        try folder.write(
            Self.plist("<key>NSExceptionDomains</key>\n<dict>\(entry)</dict>\n"), to: "App/Info.plist")
    }

    /// Restores the app as it was checked out.
    func unfix() throws { try folder.write(Self.plist(""), to: "App/Info.plist") }

    /// Adds scripts that act as a Mac's tools: they log their arguments, and xcodebuild loads through the proxy that
    /// was set.
    func becomeMac() throws {
        let load = """
            port=$(awk '/-setwebproxy /{port = $NF} END {print port}' networksetup.log)
            exec curl -s -o /dev/null -x "http://127.0.0.1:$port" http://cleartext.lab.test/
            """
        let tools = [
            "sudo": "exec \"$@\"", "networksetup": "echo \"$@\" >> networksetup.log",
            "xcrun": "echo \"$@\" >> xcrun.log", "open": "echo \"$@\" >> open.log", "xcodebuild": load,
        ]
        for (name, script) in tools {
            try Self.write(script, as: name, in: folder)
        }
        // The arguments that setup would pass to networksetup.
        let setup = """
            if [ "$1" = setup ]; then
              echo "$@" >> setup.log
              last="${@: -1}"
              case "$*" in *--undo*) ;; *) echo "-setwebproxy Ethernet 127.0.0.1 ${last##*:}" >> networksetup.log ;; esac
              exit 0
            fi
            """
        let command = folder.read("bin/atsgate").replacing("#!/bin/bash\n", with: "")
        try Self.write(setup + "\n" + command, as: "atsgate", in: folder)
    }

    private static func write(_ script: String, as name: String, in folder: Folder) throws {
        try folder.write("#!/bin/bash\n\(script)\n", to: "bin/\(name)")
        try makeExecutable(folder.path("bin/\(name)"))
    }

    private static func makeExecutable(_ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    private static func plist(_ members: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0">
        <dict>
        <key>CFBundleIdentifier</key>
        <string>test.lab.app</string>
        <key>NSAppTransportSecurity</key>
        <dict>
        \(members)</dict>
        </dict>
        </plist>

        """
    }
}
