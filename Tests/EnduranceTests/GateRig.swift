import Foundation

/// The lab's origins, and a gate in front of them, each a process of its own.
final class GateRig {
    let folder: Folder
    let lab: Program
    private(set) var gate: Program
    private(set) var proxy = ""
    private let descriptors: Int?

    static let plain = "http://cleartext.lab.test"
    static let intercepted = "https://good.lab.test"
    /// Tunnelled undecrypted.
    static let passthrough = "https://good12.lab.test"

    /// - Parameter descriptors: how many files the gate may open; nil leaves the limit as it is.
    init(descriptors: Int? = nil) throws {
        self.descriptors = descriptors
        folder = try Folder()
        lab = try Program("atsgate", ["lab", "--write-config", "lab.conf"], in: folder)
        let folder = folder
        try lab.wait(for: "lab") { !folder.read("lab.conf").isEmpty }
        try Data(#"{"NSAllowsArbitraryLoads": true}"#.utf8).write(to: URL(fileURLWithPath: folder.path("app.json")))
        gate = try Self.gate(in: folder, descriptors: descriptors)
        proxy = try Self.proxy(of: gate, in: folder)
    }

    var storePath: String { folder.path("records.sqlite") }

    /// Starts another gate with the same store.
    func replaceGate() throws {
        try? FileManager.default.removeItem(atPath: folder.path("port"))
        gate = try Self.gate(in: folder, descriptors: descriptors)
        proxy = try Self.proxy(of: gate, in: folder)
    }

    /// Starts the load generator with this gate as its proxy.
    func loader(_ mode: String, _ url: String, _ options: [String] = []) throws -> Program {
        try Program("loader", [mode, "--url", url, "--proxy", proxy] + options, in: folder)
    }

    /// One load that has to succeed.
    func load(_ url: String, _ options: [String] = []) throws {
        let loader = try loader("body", url, ["--seconds", "120"] + options)
        guard loader.wait() == 0 else { throw Trouble(description: "\(url): \(loader.written)") }
    }

    private static func gate(in folder: Folder, descriptors: Int?) throws -> Program {
        let arguments = [
            "proxy", "--config", "lab.conf", "--policy", "app.json", "--passthrough", "good12.lab.test",
            "--listen", "127.0.0.1:0", "--port-file", "port", "--ca-dir", "ca", "--store", "records.sqlite",
        ]
        guard let descriptors else { return try Program("atsgate", arguments, in: folder) }
        // Hard and soft: the gate cannot raise it again. The words after the script are its $0, $1 and so on.
        let script = "ulimit -n \(descriptors) && exec \"$0\" \"$@\""
        let words = [Program.path(of: "atsgate")] + arguments
        return try Program(path: "/bin/sh", ["-c", script] + words, in: folder)
    }

    private static func proxy(of gate: Program, in folder: Folder) throws -> String {
        try gate.wait(for: "gate") { !folder.read("port").isEmpty }
        return "127.0.0.1:" + folder.read("port").trimmingCharacters(in: .newlines)
    }
}
