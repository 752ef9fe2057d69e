import Foundation
public import TestSupport

/// The lab's origins and a gate before them, each a separate process.
public final class LabBehindGate {
    public let folder: Folder
    public let lab: Program
    public private(set) var gate: Program
    /// HOST:PORT of the gate's first listener.
    public private(set) var proxy = ""
    private let arguments: [String]
    private let descriptors: Int?

    public static let plain = "http://cleartext.lab.test"
    public static let intercepted = "https://good.lab.test"
    /// Tunnelled without decryption.
    public static let passthrough = "https://good12.lab.test"

    /// - Parameters:
    ///   - policy: The dictionary as JSON. By default everything is allowed.
    ///   - options: Additional options of the gate.
    ///   - descriptors: The limit on the gate's open files; nil keeps the current one.
    public init(
        policy: String = #"{"NSAllowsArbitraryLoads": true}"#, options: [String] = [], descriptors: Int? = nil
    ) throws {
        self.descriptors = descriptors
        folder = try Folder()
        lab = try Program("atsgate", ["lab", "--write-config", "lab.conf"], in: folder)
        let folder = folder
        try lab.wait(for: "lab") { !folder.read("lab.conf").isEmpty }
        try folder.write(policy, to: "app.json")
        arguments =
            [
                "proxy", "--config", "lab.conf", "--policy", "app.json", "--passthrough", "good12.lab.test",
                "--listen", "127.0.0.1:0", "--port-file", "port", "--ca-dir", "ca", "--store", "records.sqlite",
            ] + options
        gate = try Self.gate(arguments, in: folder, descriptors: descriptors)
        proxy = try Self.proxy(of: gate, in: folder)
    }

    public var storePath: String { folder.path("records.sqlite") }
    /// The port of the gate's first listener.
    public var port: Int { Int(proxy.split(separator: ":").last ?? "") ?? 0 }

    /// Starts another gate with the same store.
    public func replaceGate() throws {
        try? FileManager.default.removeItem(atPath: folder.path("port"))
        gate = try Self.gate(arguments, in: folder, descriptors: descriptors)
        proxy = try Self.proxy(of: gate, in: folder)
    }

    /// Starts the load generator with this gate as its proxy.
    public func loader(_ mode: String, _ url: String, _ options: [String] = []) throws -> Program {
        try Program("loader", [mode, "--url", url, "--proxy", proxy] + options, in: folder)
    }

    /// Sends one load, which must succeed.
    public func load(_ url: String, _ options: [String] = []) throws {
        let loader = try loader("body", url, ["--seconds", "120"] + options)
        guard loader.wait() == 0 else { throw TestFailure(description: "\(url): \(loader.written)") }
    }

    private static func gate(_ arguments: [String], in folder: Folder, descriptors: Int?) throws -> Program {
        guard let descriptors else { return try Program("atsgate", arguments, in: folder) }
        // Sets the hard and the soft limit, so that the gate cannot raise it. The words after the script are its $0, $1
        // and so on.
        let script = "ulimit -n \(descriptors) && exec \"$0\" \"$@\""
        let words = [Program.path(of: "atsgate")] + arguments
        return try Program(path: "/bin/sh", ["-c", script] + words, in: folder)
    }

    private static func proxy(of gate: Program, in folder: Folder) throws -> String {
        try gate.wait(for: "gate") { !folder.read("port").isEmpty }
        return "127.0.0.1:" + (folder.read("port").split(separator: "\n").first ?? "")
    }
}
